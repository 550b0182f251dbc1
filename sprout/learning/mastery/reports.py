"""Progress reports: rows for the learner, and the repository that computes them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from sprout.events import CriterionShown, Wire
from sprout.learning.questions.questions import QuestionFormat

AnswerMark = Literal["right", "partly", "missed"]
MAX_LAST_MARKS = 5


class TurnRow(Wire):
    """Milestone of a node: from `at` on it was begun and no more, learned, or mastered."""

    node_id: str
    at: str
    reached: Literal["begun", "learned", "mastered"]


class StudiedRow(Wire):
    """Activity in the quarter of an hour from `at` on: count and duration; the reader's time zone decides the day."""

    at: str
    deeds: int
    seconds: float


class BegunRow(Wire):
    """A subconcept that the learner has answered about, or that is known without an answer.

    Args:
        mastery: 0..1.
        right_needed: how many more questions make it learned if each is answered right at once, without help.
        last: the marks of the last answers about it, oldest first.
        looks_like: the misconception that its last answers have in common; null where none was recorded.
    """

    node_id: str
    title: str
    concept_id: str
    branch_id: str
    branch_title: str
    mastery: float
    learned: bool
    mastered: bool
    right_needed: int
    answers: int
    last: list[AnswerMark]
    looks_like: str | None


class ConceptRow(Wire):
    """A concept of which something is begun, and how many parts it has."""

    node_id: str
    title: str
    branch_id: str
    branch_title: str
    parts: int


class RecallRow(Wire):
    """Recall in the reviews of the last weeks, as the cards had predicted it and as it came.

    Args:
        weeks: how many they are.
        needed: how many reviews it takes to compare.
        reviews: how many of them had a prediction.
        predicted: how many of these were expected to be recalled; a sum of probabilities.
        finding: whether the two differ by more than chance.
    """

    weeks: int
    needed: int
    reviews: int
    predicted: float
    recalled: int
    finding: Literal["too_few", "as_predicted", "more", "less"]


class CostRow(Wire):
    """Cost of the learner's runs since the start of the month (UTC), as far as their paths still exist."""

    since: str
    usd: float


class ProgressReport(Wire):
    """Progress in all paths or in one.

    Args:
        parts: how many subconcepts there are.
        begun: those that were answered about or are known, lowest mastery first.
        concepts: theirs, in the order of creation.
        turns: how each came to where it is, oldest first.
        studied: when something was answered or said, oldest first.
    """

    parts: int
    begun: list[BegunRow]
    concepts: list[ConceptRow]
    turns: list[TurnRow]
    studied: list[StudiedRow]
    recall: RecallRow
    cost: CostRow


class EvidenceRow(Wire):
    """A graded answer that counts for a node, with what its learner may see of the grade.

    Args:
        said: their own words, or the option that they chose; of a drawing the note beside it.
        help_level: of the help that was given before it; only 0 counts, the rest is practice.
    """

    answer_id: str
    at: str
    prompt: str
    format: QuestionFormat
    said: str
    drawn: bool
    mark: AnswerMark
    score: float
    help_level: int
    criteria: list[CriterionShown]
    feedback: str | None


@dataclass(frozen=True, slots=True)
class AnswerLine:
    """An attempt, as a table of all attempts has it; `score` is None where it is not graded."""

    at: str
    path: str
    concept: str
    about: tuple[str, ...]
    prompt: str
    answer: str
    score: float | None
    help_level: int
    feedback: str | None


@dataclass(frozen=True, slots=True)
class MasteryLine:
    """A subconcept with the learner's progress on it; `mastery` is 0..1."""

    path: str
    concept: str
    title: str
    mastery: float
    answers: int
    learned_at: str | None
    mastered_at: str | None


class Reports(Protocol):
    """Owner-scoped, over all paths or one: another learner's branch raises NotFound."""

    async def report(self, user_id: str, *, branch_id: str | None = None) -> ProgressReport:
        """Raises NotFound: the branch is not the user's."""
        ...

    async def evidence(self, node_id: str, *, user_id: str) -> Sequence[EvidenceRow]:
        """The answers that the mastery of a node goes by, newest first. Raises NotFound."""
        ...

    async def answers(self, user_id: str, *, branch_id: str | None = None) -> Sequence[AnswerLine]:
        """Every attempt, oldest first. Raises NotFound."""
        ...

    async def masteries(self, user_id: str, *, branch_id: str | None = None) -> Sequence[MasteryLine]:
        """Every subconcept, in the order of creation. Raises NotFound."""
        ...


def answer_mark(score: float) -> AnswerMark:
    """A score (0..1) as one of three marks."""
    return "right" if score >= 1 else "partly" if score > 0 else "missed"


def common_misconception(thoughts: Iterable[str]) -> str | None:
    """The misconception that stands behind most of the answers; of several the newest.

    Args:
        thoughts: what each answer has revealed, oldest first.
    """
    counted = Counter(newest_first := list(thoughts)[::-1])
    return max(newest_first, key=lambda one: counted[one], default=None)
