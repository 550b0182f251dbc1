"""Adaptation: answers, progress and changes on which a path is adapted, and their repository."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from sprout.events import DiagnosticStatus
from sprout.learning.actor import Actor
from sprout.learning.graph.changes import Change
from sprout.learning.mastery.mastery import RIGHT_FROM
from sprout.learning.misconceptions.repository import HeldBelief


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A learner's answer to a question about a concept, the one that counts, and what came of it.

    Args:
        tests: ids of the subconcepts that the question is about.
        difficulty: 1..5.
        score: 0..1; None as long as it is not graded.
        feedback: as the learner got it.
        misconceptions: the misconceptions that it reveals.
        help_level: of the help that was given before it; 0 where the answer was the learner's own.
        contested: whether the learner has said that the question is wrong.
        blank: whether it says "I don't know", or nothing.
        choice: whether an option was to be picked.
        sure: whether the learner said that they were sure.
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
    sure: bool = False

    @property
    def right(self) -> bool:
        return self.score is not None and self.score >= RIGHT_FROM

    @property
    def surely_wrong(self) -> bool:
        """Whether the learner was sure of a wrong answer: the strongest sign of a misconception."""
        return self.sure and self.score is not None and not self.right

    @property
    def usable(self) -> bool:
        """Whether it may be the evidence of a change."""
        return self.unusable_reason is None

    @property
    def unusable_reason(self) -> str | None:
        """Why it may not be cited as evidence; None if it may."""
        if self.contested:
            return "its question is contested"
        if self.blank:
            return 'it says "I don\'t know"'
        if self.score is None:
            return "it is not graded"
        return "it was given with help" if self.help_level else None


@dataclass(frozen=True, slots=True)
class ReviewedAnswers:
    """Ids of the answers that a run has reviewed, by whether they were graded then."""

    graded: frozenset[str] = frozenset()
    ungraded: frozenset[str] = frozenset()

    def has_new(self, items: Sequence[AnsweredQuestion]) -> bool:
        """Whether there is a new answer, or a new grade of one."""
        return any(
            item.answer_id not in self.graded and (item.score is not None or item.answer_id not in self.ungraded)
            for item in items
        )


def mark_reviewed(items: Sequence[AnsweredQuestion], *, grading_ended: bool) -> ReviewedAnswers:
    """The reviewed answers, as they are now.

    Args:
        grading_ended: whether grading was tried; otherwise an ungraded answer stays new, to be tried again.
    """
    graded = frozenset(item.answer_id for item in items if item.score is not None)
    settled = frozenset(item.answer_id for item in items if item.blank or grading_ended)
    return ReviewedAnswers(graded, settled - graded)


@dataclass(frozen=True, slots=True)
class NodeProgress:
    """A learner's progress on a node.

    Args:
        mastery: 0..1.
        started: they have opened it, talked or worked on it; answers of a diagnostic alone do not count.
    """

    mastery: float = 0.0
    learned: bool = False
    mastered: bool = False
    started: bool = False


@dataclass(frozen=True, slots=True)
class ConceptProgress:
    """A concept of any of the learner's paths that they have worked on."""

    title: str
    mastery: float
    learned: bool


class AdaptationRepository(Protocol):
    """Owner-scoped: another learner's rows are treated as missing."""

    async def answers(self, concept_id: str, *, user_id: str) -> Sequence[AnsweredQuestion]:
        """The answer to each question about the concept that counts, oldest first, without voided questions: the first
        graded one, else the newest."""
        ...

    async def held_beliefs(self, concept_id: str, *, user_id: str) -> Sequence[HeldBelief]:
        """The learner's misconceptions about a concept that are not cleared, those that they were sure of first."""
        ...

    async def reviewed(self, concept_id: str, *, user_id: str) -> ReviewedAnswers:
        """The answers that the last refinement of the concept reviewed; empty without one."""
        ...

    async def child_progress(self, parent_id: str, *, user_id: str) -> Mapping[str, NodeProgress]:
        """The learner's progress for every child of a node, by its id."""
        ...

    async def history(self, *, user_id: str) -> Sequence[ConceptProgress]:
        """The concepts of all paths that the learner has worked on, oldest first."""
        ...

    async def changes(self, parent_id: str, *, user_id: str) -> Sequence[Change]:
        """Every change of the children of a node, oldest first."""
        ...

    async def undo_run(self, parent_id: str, *, actor: Actor) -> int:
        """Undo the changes of the actor's run under a node, newest first, in one transaction; returns their number.

        Raises NotFound, InvalidGraphEdit (the learner has worked with them since).
        """
        ...

    async def diagnostic_status(self, concept_id: str, *, user_id: str) -> DiagnosticStatus | None:
        """Progress in the concept's diagnostic; None if there is none yet."""
        ...
