"""Variants: fresh questions about parts that are due soon and have none left, made in the background."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from sprout.events import NodeRow
from sprout.learning.actor import Actor
from sprout.learning.questions.questions import QuestionDraft

DUE_WITHIN = timedelta(days=2)
ACTIVE_WITHIN = timedelta(days=7)  # since something was learned or reviewed: who stays away gets none made
CONCEPTS_AT_ONCE = 2  # of one learner
GIVEN_QUESTIONS = 3  # about a part, as models for its variants


@dataclass(frozen=True, slots=True)
class LackingConcept:
    """A concept with parts that lack fresh questions.

    Args:
        cards: each such part, by its id, and when it was last reviewed or learned.
    """

    concept: NodeRow
    user_id: str
    cards: tuple[tuple[str, datetime], ...]

    @property
    def key(self) -> str:
        """The same until another part lacks questions, or one of these was reviewed."""
        parts = sorted(f"{node_id} {seen_at.isoformat()}" for node_id, seen_at in self.cards)
        return f"variants:{hashlib.sha256(' '.join(parts).encode()).hexdigest()[:32]}"


@dataclass(frozen=True, slots=True)
class LackingPart:
    """A part that lacks fresh questions, with known ones as models."""

    node: NodeRow
    given: tuple[QuestionDraft, ...]


class Variants(Protocol):
    """Owner-scoped: what is missing or another learner's raises NotFound.

    What names an actor is one transaction with the end of the actor's call, if it names one. It raises Conflict (the
    call has ended already) and Fenced; nothing is written then.
    """

    async def lacking_concepts(self) -> Sequence[LackingConcept]:
        """The concepts of all learners for which no run was started yet; few of each learner, the soonest due first.

        Left out are paths that were made small, and learners who have not learned or reviewed anything lately.
        """
        ...

    async def lacking_parts(self, concept_id: str, *, user_id: str) -> Sequence[LackingPart]:
        """The parts of a concept that lack fresh questions, the soonest due first."""
        ...

    async def save(self, concept_id: str, drafts: Sequence[QuestionDraft], *, actor: Actor, held_back: bool) -> int:
        """Store valid questions for the reviews of a concept; the number of those that were not there yet.

        Args:
            held_back: choices and numbers are asked once their keys have been checked.
        """
        ...

    async def held_back(self, concept_id: str, *, user_id: str) -> Sequence[str]:
        """Ids of a concept's variants whose keys have not been checked."""
        ...

    async def drop_held_back(self, concept_id: str, *, actor: Actor) -> None:
        """Withdraw the variants whose keys could not be checked."""
        ...
