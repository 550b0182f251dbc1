"""Assessments: questions, a learner's answers and their grades."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import EllipsisType
from typing import Literal, Protocol

from sprout.errors import Conflict, NotFound
from sprout.events import AssessmentRow, Compare, CriterionShown, GradeStateShown, Mark, Wire
from sprout.learning.questions.questions import QuestionDraft
from sprout.learning.sources import PassageRow

AssessmentType = Literal["diagnostic", "quiz", "recall"]


class QuestionRow(Wire):
    """A question as the contract has it; `options` is a JSON list in a string.

    It has no key, unless the deployment serves clients that mark choices by themselves: then
    `correct_answer` is the text of a choice's right option.
    """

    id: str
    assessment_id: str
    node_id: str | None
    format: Literal["mcq", "open_ended"]
    prompt: str
    options: str | None
    correct_answer: str | None = None
    grading_rubric: None = None
    difficulty: int
    created_at: str


class GradeShown(Wire):
    """The visible part of a grade: `state` is ungraded or unsure where there is no mark, never a wrong one.

    `cut` says that the answer was too long and its end was not graded.
    """

    state: GradeStateShown
    criteria: list[CriterionShown]
    next_step: str | None
    cut: bool


class AnswerRow(Wire):
    """An attempt. `is_correct` and `score` are null as long as it is not graded, and where there was none to grade.

    Once its assessment is complete, `answer` is what would have been right, `why` the reason for it and `passage` what
    the learner's documents say of it, where there is one; or `compare` is there if the attempt is left to the learner
    to compare.

    Args:
        skipped: whether it tries nothing: left out, "I don't know", a complaint, a question of the learner's own.
    """

    id: str
    user_id: str
    assessment_id: str
    question_id: str
    answer_text: str | None
    selected_option: str | None
    is_correct: bool | None
    score: float | None
    feedback: str | None
    created_at: str
    grade: GradeShown | None = None
    skipped: bool = False
    answer: str | None = None
    why: str | None = None
    passage: PassageRow | None = None
    compare: Compare | None = None


class Diagnostic(Wire):
    """A concept's questions and how far the learner has come with them."""

    assessment: AssessmentRow
    questions: list[QuestionRow]
    answered_count: int
    required_answers: int
    is_complete: bool


class DiagnosticMissing(NotFound):
    """The concept has no diagnostic yet."""

    def __init__(self, concept_id: str) -> None:
        super().__init__("diagnostic", concept_id)


class DiagnosticInProgress(Conflict):
    """A run is still making the questions: a part of them is never shown as the diagnostic."""

    code = "questions_in_progress"

    def __init__(self, run_id: str) -> None:
        super().__init__("The questions are still being made.")
        self.run_id = run_id


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """Learner's answer to a question: words, or an option by its text or id; with neither, it is "I don't know".

    Args:
        sure: whether they say that they are sure; None if they say nothing of it.
    """

    question_id: str
    text: str | None = None
    option: str | None = None
    sure: bool | None = None


@dataclass(frozen=True, slots=True)
class SelfMark:
    """The learner's verdicts on their own answer, by the ids of the criteria; None where they said that the whole is
    partly met, and no more.

    Args:
        misconception: the expected mix-up that they recognise as theirs.
    """

    verdicts: Mapping[str, Mark | None]
    misconception: str | None = None


class Assessments(Protocol):
    """Owner-scoped: what is missing or another learner's raises NotFound."""

    async def assessments(self, user_id: str, *, target_node_id: str | None = None) -> list[AssessmentRow]: ...

    async def assessment(self, assessment_id: str, *, user_id: str) -> AssessmentRow: ...

    async def change_assessment(
        self, assessment_id: str, *, user_id: str, title: str | None, completed_at: datetime | EllipsisType | None = ...
    ) -> AssessmentRow:
        """The assessment with what is given changed; `completed_at` None opens it again."""
        ...

    async def questions(self, assessment_id: str, *, user_id: str) -> list[QuestionRow]:
        """The questions in their order, without held-back and voided ones."""
        ...

    async def answers(self, assessment_id: str, *, user_id: str) -> Sequence[AnswerRow]:
        """All attempts, oldest first."""
        ...

    async def newest_answer(self, concept_id: str, *, user_id: str, since: datetime) -> str | None:
        """The id of the newest attempt at a question about the concept from that time on, if there is one."""
        ...

    async def record_answer(self, assessment_id: str, given: GivenAnswer, *, user_id: str) -> AnswerRow:
        """Keep an attempt, graded where code can, and what follows from it; the newest one again is that one.

        Raises NotFound (the assessment, or a question that is not in it), BadInput (an option that is not there).
        """
        ...

    async def record_self_mark(self, answer_id: str, mark: SelfMark, *, user_id: str) -> AnswerRow:
        """The attempt with the learner's own verdicts, which are practice.

        Raises NotFound; Conflict (it is not to be compared), BadInput (the verdicts do not fit).
        """
        ...

    async def skip_question(self, question_id: str, *, user_id: str) -> AnswerRow:
        """Keep that the learner leaves a question out: an attempt without words and without a choice."""
        ...

    async def create_assessment(
        self, target_node_id: str, *, user_id: str, type: AssessmentType, title: str | None
    ) -> tuple[AssessmentRow, bool]:
        """A new assessment of a node, and True; a node's one diagnostic, and False, where it has it already."""
        ...

    async def add_question(
        self, assessment_id: str, draft: QuestionDraft, *, user_id: str, node_id: str | None
    ) -> QuestionRow:
        """A person's question at the end of an assessment; one about a part of a concept tests that part.

        Raises NotFound (the assessment or the node), BadInput (a node elsewhere), Conflict (it is asked already).
        """
        ...

    async def diagnostic(self, concept_id: str, *, user_id: str) -> Diagnostic:
        """Raises NotFound; BadInput (not a concept); DiagnosticMissing; DiagnosticInProgress."""
        ...
