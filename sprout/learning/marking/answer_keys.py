"""Answer keys: blind solutions that check them, contests by learners, and their repository."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal, Protocol

from sprout.learning.actor import Actor
from sprout.learning.marking.choices import Option
from sprout.learning.questions.questions import Criterion, QuestionFormat

MIN_CONFIDENCE = 0.5  # below it a solution is a guess and decides nothing
CONTEST_LOOKS = 2  # solutions of a contested question
MAX_REASON = 2_000

ContestOutcome = Literal["wrong", "held", "unsettled"]

OUTCOME_TEXTS: dict[ContestOutcome, str] = {
    "wrong": (
        "You were right: this question is wrong. We've removed it, and your progress is as if it had never been asked."
    ),
    "held": "We've checked this question twice, and it is right. It stays, and so does your answer.",
    "unsettled": ("We couldn't tell whether this question is right. You can skip it, or ask us to check again."),
}


class KeyVerdict(StrEnum):
    """Judgement of a key by a solution that was found without it."""

    AGREES = "agrees"
    DISAGREES = "disagrees"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True)
class BlindQuestion:
    """A question without its key; an open question has its answer and criteria, which are to be judged.

    Args:
        options: for a choice, in stored order.
        answer: for an open question, the full answer that came with it.
        reason: the learner's reason for contesting it.
    """

    id: str
    node_id: str
    prompt: str
    format: QuestionFormat
    options: tuple[Option, ...] = ()
    unit: str | None = None
    answer: str | None = None
    criteria: tuple[Criterion, ...] = ()
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Solution:
    """A blind solution.

    Args:
        option_id: for a choice, the right option; None if none is right, or more than one.
        number: for a numeric question, its answer; None if no single number answers it.
        holds: for an open question, whether its criteria and its answer are right.
        sure: 0..1.
    """

    question_id: str
    sure: float
    option_id: str | None = None
    number: str | None = None
    holds: bool | None = None


@dataclass(frozen=True, slots=True)
class Contest:
    """A learner's claim that a question is wrong; `outcome` is None while it is being checked.

    Args:
        node_id: node of the run that checks it.
    """

    question_id: str
    node_id: str
    reason: str | None
    at: datetime
    outcome: ContestOutcome | None = None

    @property
    def settled(self) -> bool:
        """Whether it is decided for good; an unsettled contest may be repeated."""
        return self.outcome in ("wrong", "held")


def judge_key(format: QuestionFormat, solution: Solution, *, right: str | None) -> KeyVerdict:
    """The judgement of a choice's or an open question's key.

    Args:
        right: id of the option that the key names.
    """
    if solution.sure < MIN_CONFIDENCE:
        return KeyVerdict.UNSURE
    if format == "mcq":
        return (
            KeyVerdict.AGREES
            if solution.option_id is not None and solution.option_id == right
            else KeyVerdict.DISAGREES
        )
    if solution.holds is None:
        return KeyVerdict.UNSURE
    return KeyVerdict.AGREES if solution.holds else KeyVerdict.DISAGREES


def contest_outcome(looks: Sequence[KeyVerdict]) -> ContestOutcome:
    """The outcome of a contest: both verdicts must be sure and agree."""
    if len(looks) < CONTEST_LOOKS or len(set(looks)) > 1 or looks[0] is KeyVerdict.UNSURE:
        return "unsettled"
    return "wrong" if looks[0] is KeyVerdict.DISAGREES else "held"


class AnswerKeys(Protocol):
    """Keys of one owner's questions: what is missing or another learner's raises NotFound.

    What names an actor is one transaction with its events and, if the actor names a call, the end of that call. It
    raises Conflict (the call has ended already, or the run's epoch is an old one) and RunAlreadyEnded; nothing is
    written then.
    """

    async def unchecked_ids(self, node_id: str, *, user_id: str) -> Sequence[str]:
        """Ids of the concept's choices and numbers that are neither checked nor answered."""
        ...

    async def blind_questions(self, question_ids: Sequence[str], *, user_id: str) -> Sequence[BlindQuestion]:
        """The questions without their keys, in the order of the ids; voided ones are left out."""
        ...

    async def save_solutions(self, node_id: str, solutions: Sequence[Solution], *, actor: Actor) -> None:
        """Verify the questions whose keys the solutions agree with, and void the others. A guess changes nothing."""
        ...

    async def release_held_back(self, node_id: str, *, actor: Actor) -> None:
        """Ask the concept's questions that were held back and could not be checked."""
        ...

    async def contest(self, question_id: str, *, user_id: str, reason: str | None) -> Contest:
        """Store the learner's claim that a question is wrong; an open or settled contest stays as it is."""
        ...

    async def find_contest(self, question_id: str, *, user_id: str) -> Contest:
        """The contest of a question. Raises NotFound: it is not contested."""
        ...

    async def save_contest_solution(self, solution: Solution, *, actor: Actor) -> None:
        """Store the actor's run's solution of a contested question."""
        ...

    async def settle_contest(self, question_id: str, *, actor: Actor) -> None:
        """Decide a contest by the solutions of the actor's root run. A wrong question is voided, and progress is as if
        it had never been asked."""
        ...
