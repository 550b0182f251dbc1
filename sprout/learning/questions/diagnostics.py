"""Diagnostic questions as an agent writes them, and the repository that stores them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from sprout.learning.actor import Actor
from sprout.learning.questions.questions import QuestionDraft


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A stored question: its prompt, and the titles of the subconcepts that it tests.

    Args:
        voided: its key was found wrong, and it is not asked any more.
    """

    prompt: str
    tests: tuple[str, ...]
    voided: bool = False


@dataclass(frozen=True, slots=True)
class SavedQuestion:
    """Stored question and its place; `position` counts from 1, `created` is false if it was stored before."""

    id: str
    assessment_id: str
    position: int
    created: bool


class DiagnosticRepository(Protocol):
    """The one diagnostic that a learner has of a concept.

    What names an actor is one transaction with its events and, if the actor names a call, the end of that call. It
    raises NotFound (no such concept, or another learner's), Conflict (the call has ended already, or the run's epoch is
    an old one) and RunAlreadyEnded (the actor's run); nothing is written then.
    """

    async def save_question(
        self, concept_id: str, draft: QuestionDraft, *, actor: Actor, held_back: bool = False
    ) -> SavedQuestion:
        """Add a question at the end of the diagnostic; a prompt that is there already stays as it is.

        Raises InvalidQuestion: the draft has faults, or the question was voided.

        Args:
            held_back: do not ask it before its key has been checked.
        """
        ...

    async def close_empty_diagnostic(self, concept_id: str, *, user_id: str) -> None:
        """Record that the concept has a diagnostic without questions, which is complete; one with questions stays as
        it is. Raises NotFound."""
        ...

    async def asked_questions(self, concept_id: str, *, user_id: str) -> Sequence[AskedQuestion]:
        """The questions of the diagnostic in their order, voided ones too; none without a diagnostic."""
        ...

    async def resolve_question_tests(self, concept_id: str, *, actor: Actor) -> None:
        """Point the questions at the subconcepts that they name by title, and update progress accordingly."""
        ...
