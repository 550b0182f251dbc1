"""Whether the key of a question holds: looks that solve it without the key, and the Protocol of what keeps them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal, Protocol

from sprout.learning.marking.keyed_answers import Option
from sprout.learning.paths.shelf import Actor
from sprout.learning.questions.questions import Criterion, QuestionFormat

SURE = 0.5  # below it a solution is a guess, which says nothing about the key
LOOKS = 2  # at a contested question
MAX_REASON = 2_000

ContestOutcome = Literal["wrong", "held", "unsettled"]

SAYS: dict[ContestOutcome, str] = {
    "wrong": (
        "You were right to doubt it: solved again, this question did not hold. It is taken out, and your progress is "
        "as if it had never been asked."
    ),
    "held": "This question was solved again, twice, and it holds: it stays as it is, and so does what you answered.",
    "unsettled": (
        "It could not be settled whether this question holds. Leave it out if you like; you can also ask again."
    ),
}


class Look(StrEnum):
    """What somebody who solved a question without its key says of the key."""

    AGREES = "agrees"
    DISAGREES = "disagrees"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True)
class ToSolve:
    """A question as it is solved again: of what is right nothing, except where only meaning can tell.

    Args:
        options: of a choice, in the order in which they are kept.
        answer: of an open question the full answer that came with it, to be judged with its criteria.
        reason: why the learner says that the question is wrong.
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
    """What a look found.

    Args:
        option_id: of a choice the right option; None where none is right, or more than one.
        number: of a numeric question its answer; None where no single number answers it.
        holds: of an open question whether its criteria and its answer do.
        sure: 0..1.
    """

    question_id: str
    sure: float
    option_id: str | None = None
    number: str | None = None
    holds: bool | None = None


@dataclass(frozen=True, slots=True)
class Contest:
    """A learner's word that a question is wrong; `outcome` is None while it is looked at.

    Args:
        node_id: where the looking at it is done.
    """

    question_id: str
    node_id: str
    reason: str | None
    at: datetime
    outcome: ContestOutcome | None = None

    @property
    def settled(self) -> bool:
        """Whether it is decided for good; what could not be settled may be asked again."""
        return self.outcome in ("wrong", "held")


def look_at(format: QuestionFormat, solution: Solution, *, right: str | None) -> Look:
    """What a solution of a choice or of an open question says of the key.

    Args:
        right: the id of the option that the key names.
    """
    if solution.sure < SURE:
        return Look.UNSURE
    if format == "mcq":
        return Look.AGREES if solution.option_id is not None and solution.option_id == right else Look.DISAGREES
    if solution.holds is None:
        return Look.UNSURE
    return Look.AGREES if solution.holds else Look.DISAGREES


def outcome_of(looks: Sequence[Look]) -> ContestOutcome:
    """What the looks at a contested question come to: both must say the same and be sure of it."""
    if len(looks) < LOOKS or len(set(looks)) > 1 or looks[0] is Look.UNSURE:
        return "unsettled"
    return "wrong" if looks[0] is Look.DISAGREES else "held"


class Keys(Protocol):
    """Keeps what became of the keys of a learner's questions; what is missing and somebody else's is NotFound."""

    async def unchecked(self, node_id: str, *, user_id: str) -> Sequence[str]:
        """The ids of a concept's choice questions whose key nobody has checked and that nobody has answered."""
        ...

    async def to_solve(self, question_ids: Sequence[str], *, user_id: str) -> Sequence[ToSolve]:
        """Those of the questions that are still asked, in their order."""
        ...

    async def keep_solutions(self, node_id: str, solutions: Sequence[Solution], *, actor: Actor) -> None:
        """Verify the questions whose key the solutions agree with, and void the others: one transaction with the
        events and the end of the call. A guess changes nothing."""
        ...

    async def pose(self, node_id: str, *, actor: Actor) -> None:
        """Have the concept's questions asked that are held back and could not be checked."""
        ...

    async def contest(self, question_id: str, *, user_id: str, reason: str | None) -> Contest:
        """Keep the learner's word that a question is wrong, once. Raises NotFound."""
        ...

    async def contested(self, question_id: str, *, user_id: str) -> Contest:
        """What became of it. Raises NotFound: nobody has said that this question is wrong."""
        ...

    async def keep_look(self, solution: Solution, *, actor: Actor) -> None:
        """Keep what the actor's run found about a contested question, with the end of the call."""
        ...

    async def settle(self, question_id: str, *, actor: Actor) -> None:
        """Decide a contest by the looks of the actor's root run. A question that was wrong is voided, and progress is
        as if it had never been asked; the events are told in the same transaction."""
        ...
