"""Document queue: documents that wait for extraction, claimed by one worker at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from sprout.errors import UnreadableDocument
from sprout.learning.paths.passages import Passage


@dataclass(frozen=True, slots=True)
class QueuedDocument:
    """A document that a worker has claimed.

    Args:
        mime_type: detected from its bytes.
        claim: token of this claim; results under another token are refused.
        attempt: number of this attempt, from 1.
    """

    id: str
    filename: str
    mime_type: str
    storage_name: str
    claim: str
    attempt: int


class DocumentQueue(Protocol):
    """Documents that wait for extraction. Over all processes, one worker at a time holds each."""

    async def claim(self) -> QueuedDocument | None:
        """Claim the next document and count the attempt; None if none waits."""
        ...

    async def content(self, unread: QueuedDocument) -> bytes:
        """Its bytes. Raises UnreadableDocument (they are gone), StorageUnavailable."""
        ...

    async def renew_claim(self, unread: QueuedDocument) -> bool:
        """Extend the claim; False if it has been lost."""
        ...

    async def complete(self, unread: QueuedDocument, text: str, passages: Sequence[Passage], pages: int | None) -> bool:
        """Store text and passages and mark the document as completed, in one transaction; False, with nothing written,
        if the claim has been lost."""
        ...

    async def fail(self, unread: QueuedDocument, error: UnreadableDocument) -> bool:
        """Mark it as failed. False as in `complete`."""
        ...

    async def release(self, unread: QueuedDocument, *, counts: bool) -> None:
        """Give the claim up; `counts` says whether the attempt counts."""
        ...
