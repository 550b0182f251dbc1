"""The Protocol of documents that wait to be read, and the values that pass through it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from sprout.learning.paths.shelf import Passage


@dataclass(frozen=True, slots=True)
class Unread:
    """A document in the hands of somebody who reads it.

    Args:
        mime_type: that of the kind that its bytes were found to be.
        claim: names this taking; what is brought under another one is not taken.
        attempt: counts how often it was begun.
    """

    id: str
    filename: str
    mime_type: str
    storage_name: str
    claim: str
    attempt: int


class Pile(Protocol):
    """The documents that wait to be read. Each is in one pair of hands at a time, over all processes."""

    async def take(self) -> Unread | None:
        """The next one, whose attempt is counted before it is given; None where none waits."""
        ...

    async def content(self, unread: Unread) -> bytes:
        """Its bytes. Raises Unreadable (they are gone), StorageAway."""
        ...

    async def hold(self, unread: Unread) -> bool:
        """Go on holding it; False where it is not in these hands any more."""
        ...

    async def keep(self, unread: Unread, text: str, passages: Sequence[Passage], pages: int | None) -> bool:
        """All of what it says in one transaction, and that it is read; False, and nothing is written, where it is not
        in these hands any more."""
        ...

    async def fail(self, unread: Unread, problem: str, *, again: bool) -> bool:
        """That it cannot be read, and whether trying again may help; False as in `keep`."""
        ...

    async def put_back(self, unread: Unread, *, counts: bool) -> None:
        """Leave it to whoever comes next; the attempt counts or does not."""
        ...
