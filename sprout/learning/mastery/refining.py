"""What a path is adapted by: what a learner has answered, how far they are, what was changed before; its Protocol."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from sprout.events import DiagnosticStatus
from sprout.learning.graph.changes import Change
from sprout.learning.paths.shelf import Actor

RIGHT = 0.7  # a score from which an answer counts as right


@dataclass(frozen=True, slots=True)
class Item:
    """A learner's newest answer to a question about a concept, and what came of it.

    Args:
        tests: ids of the subconcepts that the question is about.
        difficulty: 1..5.
        score: 0..1; None as long as it is not graded.
        feedback: what the learner was told.
        misconceptions: the wrong thoughts that it reveals.
        help_level: of the help that was given before it; 0 where the answer was the learner's own.
        contested: whether the learner has said that the question is wrong.
        blank: whether it says "I don't know", or nothing.
        choice: whether an option was to be picked.
    """

    answer_id: str
    question_id: str
    prompt: str
    tests: tuple[str, ...]
    difficulty: int
    score: float | None
    feedback: str | None = None
    misconceptions: tuple[str, ...] = ()
    help_level: int = 0
    contested: bool = False
    blank: bool = False
    choice: bool = False

    @property
    def right(self) -> bool:
        return self.score is not None and self.score >= RIGHT

    @property
    def usable(self) -> bool:
        """Whether it may be the evidence of a change."""
        return self.why_not is None

    @property
    def why_not(self) -> str | None:
        """Why it is no evidence, for whoever cites it; None where it is."""
        if self.contested:
            return "its question is contested"
        if self.blank:
            return 'it says "I don\'t know"'
        if self.score is None:
            return "it is not graded"
        return "it was given with help" if self.help_level else None


@dataclass(frozen=True, slots=True)
class Seen:
    """The answers that a run has looked at, by id: graded by then, or not."""

    graded: frozenset[str] = frozenset()
    ungraded: frozenset[str] = frozenset()

    def has_news(self, items: Sequence[Item]) -> bool:
        """Whether an answer came since, or the grade of one."""
        return any(
            item.answer_id not in self.graded and (item.score is not None or item.answer_id not in self.ungraded)
            for item in items
        )


def seen(items: Sequence[Item], *, grading_ended: bool) -> Seen:
    """That these were looked at, as they are.

    Args:
        grading_ended: whether what is not graded by now was tried; else it stays news, to be tried again (A3).
    """
    graded = frozenset(item.answer_id for item in items if item.score is not None)
    settled = frozenset(item.answer_id for item in items if item.blank or grading_ended)
    return Seen(graded, settled - graded)


@dataclass(frozen=True, slots=True)
class Known:
    """How far the learner is with a node.

    Args:
        mastery: 0..1.
        started: they have opened it, talked or worked on it; answers of a diagnostic alone do not count.
    """

    mastery: float = 0.0
    mastered: bool = False
    started: bool = False


@dataclass(frozen=True, slots=True)
class Learned:
    """A concept of any of the learner's paths that they have worked on."""

    title: str
    mastery: float
    mastered: bool


class Refining(Protocol):
    """Owner-scoped: what is not the user's is as if it were not there."""

    async def items(self, concept_id: str, *, user_id: str) -> Sequence[Item]:
        """The newest answer to each question about the concept, oldest first; not to those that were taken back."""
        ...

    async def seen(self, concept_id: str, *, user_id: str) -> Seen:
        """What the last refinement of the concept has looked at."""
        ...

    async def known(self, parent_id: str, *, user_id: str) -> Mapping[str, Known]:
        """How far the learner is with each child of a node."""
        ...

    async def history(self, *, user_id: str) -> Sequence[Learned]: ...

    async def changes(self, parent_id: str, *, user_id: str) -> Sequence[Change]:
        """Every change of the children of a node, oldest first."""
        ...

    async def take_back(self, parent_id: str, *, actor: Actor) -> int:
        """Take back what the actor's run has changed under a node, newest first, all or nothing; how many changes.

        Raises NotFound, GraphRefused (the learner has built on it meanwhile).
        """
        ...

    async def diagnostic(self, concept_id: str, *, user_id: str) -> DiagnosticStatus | None:
        """How far the learner has come with the concept's diagnostic; None where it has none yet."""
        ...
