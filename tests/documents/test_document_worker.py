"""Reading in the background: two at once, one failure harms no other, and a stop puts back what is being read."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from sprout.documents.document_worker import INTERNAL_ERROR, MAX_CONCURRENT, DocumentWorker
from sprout.documents.file_types import FileType
from sprout.documents.sandbox.extractor import ExtractedDocument, Extractor
from sprout.errors import StorageUnavailable, UnreadableDocument
from sprout.learning.paths.document_queue import DocumentQueue, QueuedDocument
from sprout.learning.paths.passages import Passage


class InMemoryQueue:
    """In-memory document queue that records the outcome of each document."""

    def __init__(self, *names: str) -> None:
        self.waiting = [QueuedDocument(name, name, "text/markdown", name, "mine", 1) for name in names]
        self.became: dict[str, str] = {}
        self.changed = asyncio.Event()

    async def claim(self) -> QueuedDocument | None:
        return self.waiting.pop(0) if self.waiting else None

    async def content(self, unread: QueuedDocument) -> bytes:
        if unread.filename == "away.md":
            raise StorageUnavailable("The bucket does not answer.")
        return unread.filename.encode()

    async def renew_claim(self, unread: QueuedDocument) -> bool:
        return True

    async def complete(self, unread: QueuedDocument, text: str, passages: Sequence[Passage], pages: int | None) -> bool:
        return self._becomes(unread, f"read: {text}")

    async def fail(self, unread: QueuedDocument, error: UnreadableDocument) -> bool:
        return self._becomes(unread, f"failed: {error} {error.retryable}")

    async def release(self, unread: QueuedDocument, *, counts: bool) -> None:
        self._becomes(unread, f"put back {counts}")

    def _becomes(self, unread: QueuedDocument, outcome: str) -> bool:
        self.became[unread.filename] = outcome
        self.changed.set()
        return True

    async def until(self, count: int) -> None:
        while len(self.became) < count:
            self.changed.clear()
            await self.changed.wait()


class SlowExtractor:
    """Reads each until it is let go, and knows how many were being read at once."""

    def __init__(self) -> None:
        self.going, self.most = 0, 0
        self.go_on = asyncio.Event()
        self.begun = asyncio.Event()

    async def extract(self, name: str, kind: FileType, content: bytes) -> ExtractedDocument:
        self.going += 1
        self.most = max(self.most, self.going)
        self.begun.set()
        try:
            await self.go_on.wait()
        finally:
            self.going -= 1
        match name:
            case "locked.md":
                raise UnreadableDocument("It is locked.", retryable=False)
            case "bug.md":
                raise ZeroDivisionError
        return ExtractedDocument(name, (), None)


FITS: type[DocumentQueue] = InMemoryQueue  # mypy checks it


async def test_P3_one_that_cannot_be_read_one_that_meets_a_bug_and_one_that_is_away_harm_no_other() -> None:
    document_queue, slow = InMemoryQueue("locked.md", "bug.md", "away.md", "sound.md"), SlowExtractor()
    slow.go_on.set()
    intake = DocumentWorker(document_queue, slow)
    async with asyncio.timeout(10), intake.running(process_backlog=True):
        await document_queue.until(4)
    assert document_queue.became == {
        "locked.md": "failed: It is locked. False",
        "bug.md": f"failed: {INTERNAL_ERROR} True",
        "away.md": "put back True",
        "sound.md": "read: sound.md",
    }


async def test_at_most_two_are_read_at_once() -> None:
    document_queue, slow = InMemoryQueue(*(f"{n}.md" for n in range(6))), SlowExtractor()
    async with asyncio.timeout(10), DocumentWorker(document_queue, slow).running(process_backlog=True):
        await slow.begun.wait()
        slow.go_on.set()
        await document_queue.until(6)
    assert slow.most <= MAX_CONCURRENT


async def test_a_stop_puts_back_what_is_being_read_and_does_not_count_it() -> None:
    document_queue, slow = InMemoryQueue("a.md", "b.md", "c.md"), SlowExtractor()
    async with asyncio.timeout(10), DocumentWorker(document_queue, slow).running(process_backlog=True):
        while slow.going < MAX_CONCURRENT:
            await asyncio.sleep(0)
    assert document_queue.became == {"a.md": "put back False", "b.md": "put back False"}
    assert [one.filename for one in document_queue.waiting] == ["c.md"]


async def test_a_command_reads_only_once_it_has_brought_something_itself() -> None:
    document_queue = InMemoryQueue("anothers.md")
    intake = DocumentWorker(document_queue, Extractor(), poll_interval_s=0.0)
    async with asyncio.timeout(10), intake.running(process_backlog=False):
        for _ in range(20):
            await asyncio.sleep(0)
        assert document_queue.became == {}
        intake.wake()
        await document_queue.until(1)
    assert document_queue.became == {"anothers.md": "read: anothers.md"}


async def test_what_another_process_has_left_is_found_without_being_told() -> None:
    document_queue = InMemoryQueue()
    async with (
        asyncio.timeout(10),
        DocumentWorker(document_queue, Extractor(), poll_interval_s=0.01).running(process_backlog=True),
    ):
        document_queue.waiting.append(QueuedDocument("left.md", "left.md", "text/markdown", "left.md", "mine", 2))
        await document_queue.until(1)
    assert document_queue.became == {"left.md": "read: left.md"}


async def test_an_error_of_who_has_it_open_comes_out_as_it_is() -> None:
    with suppress(UnreadableDocument):
        async with DocumentWorker(InMemoryQueue(), Extractor()).running(process_backlog=True):
            raise UnreadableDocument("mine", retryable=False)
