"""What is worth keeping of a learner from one lesson to the next: the rows, and the Protocol of what keeps them."""

from collections.abc import Sequence
from typing import Protocol

from sprout.events import Wire
from sprout.learning.paths.shelf import Actor

LONGEST_MEMORY = 500
MOST_MEMORIES = 200
RECALLED = 8


class MemoryRow(Wire):
    """Something about a learner; `source` says who kept it: `run:<id>` an agent, `learner` what they changed."""

    id: str
    user_id: str
    text: str
    source: str
    created_at: str
    updated_at: str


class Memories(Protocol):
    """Owner-scoped: what is missing and what is somebody else's are the same NotFound."""

    async def memories(self, user_id: str) -> Sequence[MemoryRow]:
        """All of them, oldest first."""
        ...

    async def recalled(self, query: str, *, user_id: str) -> Sequence[MemoryRow]:
        """Those that share most words with the query, best first; the newest where none does."""
        ...

    async def remember(self, text: str, *, actor: Actor) -> MemoryRow:
        """Keep a text; the same words again stay as they are. One transaction with the end of the actor's call.

        Raises BadInput: nothing, too much, or more entries than are kept.
        """
        ...

    async def change_memory(self, memory_id: str, text: str, *, user_id: str) -> MemoryRow: ...

    async def forget(self, memory_id: str, *, user_id: str) -> None: ...
