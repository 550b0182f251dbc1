"""Memories of a learner across lessons."""

from collections.abc import Sequence
from typing import Protocol

from sprout.events import Wire
from sprout.learning.actor import Actor

MAX_MEMORY = 500
MAX_MEMORIES = 200
MAX_RECALLED = 8


class MemoryRow(Wire):
    """A memory of a learner; `source` is its author: `run:<id>` for an agent, `learner` once they changed it."""

    id: str
    user_id: str
    text: str
    source: str
    created_at: str
    updated_at: str


class Memories(Protocol):
    """Owner-scoped: what is missing or another learner's raises NotFound."""

    async def memories(self, user_id: str) -> Sequence[MemoryRow]:
        """All of them, oldest first."""
        ...

    async def search(self, query: str, *, user_id: str) -> Sequence[MemoryRow]:
        """The memories that share most words with the query, best first; the newest if none does."""
        ...

    async def remember(self, text: str, *, actor: Actor) -> MemoryRow:
        """Store a text; the same words again change nothing. One transaction with the end of the actor's call.

        Raises BadInput: an empty text, or one that is too long. NoChangeNeeded: there are `MAX_MEMORIES` entries.
        """
        ...

    async def change_memory(self, memory_id: str, text: str, *, user_id: str) -> MemoryRow:
        """Raises NotFound, BadInput."""
        ...

    async def forget(self, memory_id: str, *, user_id: str) -> None:
        """Raises NotFound."""
        ...
