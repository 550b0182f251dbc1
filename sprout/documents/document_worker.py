"""Worker that extracts the text of queued documents in the background, a few at a time."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol

from sprout.documents.file_types import FileType
from sprout.documents.sandbox.extractor import ExtractedDocument
from sprout.errors import SproutError, UnreadableDocument
from sprout.failpoints import failpoint
from sprout.learning.paths.document_queue import DocumentQueue, QueuedDocument
from sprout.runs.cancellation import end_tasks, raise_if_cancelled
from sprout.runs.dispatcher import Transaction

MAX_CONCURRENT = 2
POLL_INTERVAL_S = 15.0
RENEW_INTERVAL_S = 20.0
INTERNAL_ERROR = UnreadableDocument(
    "Something went wrong in Sprout while reading the file. Try again, or upload it in another format.",
    code="not_read",
    retryable=True,
)

log = logging.getLogger(__name__)


class DocumentExtractor(Protocol):
    """Extracts the text of a file; `Extractor` is the implementation."""

    async def extract(self, name: str, kind: FileType, content: bytes) -> ExtractedDocument:
        """Raises UnreadableDocument."""
        ...


class DocumentWorker:
    """Processes the queue of documents; `running` owns its tasks.

    Args:
        poll_interval_s: how often the queue is polled, for documents that another process has left.
    """

    def __init__(
        self,
        queue: DocumentQueue,
        extractor: DocumentExtractor,
        *,
        max_concurrent: int = MAX_CONCURRENT,
        poll_interval_s: float = POLL_INTERVAL_S,
    ) -> None:
        self._queue = queue
        self._extractor = extractor
        self._free_slots = max_concurrent
        self._poll_interval_s = poll_interval_s
        self._wakeup = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    def wake(self) -> None:
        """Check the queue now."""
        self._wakeup.set()

    def wake_after(self, transaction: Transaction) -> None:
        """Check the queue once this transaction is committed."""
        transaction.after_commit(self.wake)

    @asynccontextmanager
    async def running(self, *, process_backlog: bool) -> AsyncIterator[None]:
        """Process documents in this block; those in progress at its end are released.

        Args:
            process_backlog: whether to begin with what is queued already, instead of at the first `wake`.
        """
        polling = asyncio.create_task(self._poll(process_backlog=process_backlog), name="documents")
        try:
            yield
        finally:
            await end_tasks([polling])
            await end_tasks(self._tasks)

    async def _poll(self, *, process_backlog: bool) -> None:
        if not process_backlog:
            await self._wakeup.wait()
        while True:
            self._wakeup.clear()
            try:
                await self._start_tasks()
            except SproutError:
                log.warning("document.claim_failed", exc_info=True)
            raise_if_cancelled()
            try:
                async with asyncio.timeout(self._poll_interval_s):
                    await self._wakeup.wait()
            except TimeoutError:
                pass  # poll: another process may have queued a document

    async def _start_tasks(self) -> None:
        """Start a task for each free slot, as far as there are documents."""
        while self._free_slots and (document := await self._queue.claim()) is not None:
            self._free_slots -= 1
            task = asyncio.create_task(self._process(document), name=f"document {document.id}")
            self._tasks.add(task)
            task.add_done_callback(self._on_done)

    def _on_done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._free_slots += 1
        self.wake()

    async def _process(self, document: QueuedDocument) -> None:
        """Process a document; a failure ends neither the worker nor the others."""
        fields = {"document": document.id, "count": document.attempt}
        renewal = asyncio.create_task(self._renew_claim(document))
        try:
            stored = await self._extract_and_store(document)
            log.info("document.done" if stored else "document.claim_lost", extra=fields)
        except asyncio.CancelledError:
            await self._release(document, counts=False)
            raise
        except SproutError:
            log.warning("document.released", extra=fields, exc_info=True)
            await self._release(document, counts=True)
        except Exception:
            # A bug in one document must not end the worker.
            log.exception("document.crashed", extra=fields)
            await self._fail(document)
        finally:
            await end_tasks([renewal])

    async def _extract_and_store(self, document: QueuedDocument) -> bool:
        """Whether the claim still held when the result was stored."""
        try:
            content = await self._queue.content(document)
            kind = next(kind for kind in FileType if kind.media_type == document.mime_type)
            found = await self._extractor.extract(document.filename, kind, content)
        except UnreadableDocument as error:
            return await self._queue.fail(document, error)
        failpoint("document_parsed")
        return await self._queue.complete(document, found.text, found.passages, found.pages)

    async def _release(self, document: QueuedDocument, *, counts: bool) -> None:
        try:
            await self._queue.release(document, counts=counts)
        except SproutError:
            log.warning("document.release_failed", extra={"document": document.id}, exc_info=True)  # its claim expires

    async def _fail(self, document: QueuedDocument) -> None:
        try:
            await self._queue.fail(document, INTERNAL_ERROR)
        except SproutError:
            log.warning("document.failure_not_stored", extra={"document": document.id}, exc_info=True)

    async def _renew_claim(self, document: QueuedDocument) -> None:
        while True:
            await asyncio.sleep(RENEW_INTERVAL_S)
            try:
                await self._queue.renew_claim(document)
            except SproutError:
                log.warning("document.claim_not_renewed", extra={"document": document.id}, exc_info=True)
