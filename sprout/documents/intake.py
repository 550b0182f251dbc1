"""Documents are read in the background, a few at once: taken from the pile, read, and kept or given up."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol

from sprout.crashing import crash_point
from sprout.documents.extracting import Extracted
from sprout.documents.kinds import Kind
from sprout.errors import SproutError, Unreadable
from sprout.learning.paths.reading import Pile, Unread

AT_ONCE = 2
LOOK_EVERY_S = 15.0
HOLD_EVERY_S = 20.0
BROKE = "Something went wrong inside Sprout while it was read. Try again, or add it in another form."

log = logging.getLogger(__name__)


class Reads(Protocol):
    """Gets the text out of a file; `Extractor` fits."""

    async def extracted(self, name: str, kind: Kind, content: bytes) -> Extracted:
        """Raises Unreadable."""
        ...


class Intake:
    """Reads what waits; whoever has it open owns its tasks.

    Args:
        look_every_s: how often documents are looked for that nobody told of: another process may have left them.
    """

    def __init__(
        self, pile: Pile, extractor: Reads, *, at_once: int = AT_ONCE, look_every_s: float = LOOK_EVERY_S
    ) -> None:
        self._pile = pile
        self._extractor = extractor
        self._free = at_once
        self._look_every_s = look_every_s
        self._told = asyncio.Event()
        self._reading: set[asyncio.Task[None]] = set()

    def tell(self) -> None:
        """There may be something to read."""
        self._told.set()

    @asynccontextmanager
    async def running(self, *, take_up: bool) -> AsyncIterator[None]:
        """Read in this block; what is being read at its end is put back.

        Args:
            take_up: whether to read what is found there, and not only once somebody tells of something.
        """
        looking = asyncio.create_task(self._look(take_up=take_up), name="documents")
        try:
            yield
        finally:
            looking.cancel()
            await asyncio.wait([looking])
            for task in self._reading:
                task.cancel()
            if self._reading:
                await asyncio.wait(set(self._reading))

    async def _look(self, *, take_up: bool) -> None:
        if not take_up:
            await self._told.wait()
        while True:
            self._told.clear()
            try:
                await self._begin()
            except SproutError:
                log.warning("document.not_taken", exc_info=True)
            try:
                async with asyncio.timeout(self._look_every_s):
                    await self._told.wait()
            except TimeoutError:
                pass  # another process may have left something

    async def _begin(self) -> None:
        """Begin to read as many as there are hands free for."""
        while self._free and (unread := await self._pile.take()) is not None:
            self._free -= 1
            task = asyncio.create_task(self._read(unread), name=f"document {unread.id}")
            self._reading.add(task)
            task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._reading.discard(task)
        self._free += 1
        self.tell()

    async def _read(self, unread: Unread) -> None:
        """Read a document to its end, whatever that is; nothing of it harms another."""
        whose = {"document": unread.id, "count": unread.attempt}
        holding = asyncio.create_task(self._hold(unread))
        try:
            kept = await self._kept(unread)
            log.info("document.done" if kept else "document.gone", extra=whose)
        except asyncio.CancelledError:
            await self._put_back(unread, counts=False)
            raise
        except SproutError:
            log.warning("document.put_back", extra=whose, exc_info=True)
            await self._put_back(unread, counts=True)
        except Exception:
            # A bug in reading one must not end the reading of all.
            log.exception("document.broke", extra=whose)
            await self._gave_up(unread)
        finally:
            holding.cancel()
            await asyncio.wait([holding])

    async def _kept(self, unread: Unread) -> bool:
        """Whether the document was still in these hands when what came of it was kept."""
        try:
            content = await self._pile.content(unread)
            kind = next(kind for kind in Kind if kind.media_type == unread.mime_type)
            found = await self._extractor.extracted(unread.filename, kind, content)
        except Unreadable as error:
            return await self._pile.fail(unread, str(error), again=error.again)
        crash_point("document_parsed")
        return await self._pile.keep(unread, found.text, found.passages, found.pages)

    async def _put_back(self, unread: Unread, *, counts: bool) -> None:
        try:
            await self._pile.put_back(unread, counts=counts)
        except SproutError:
            log.warning("document.held", extra={"document": unread.id}, exc_info=True)  # until its claim runs out

    async def _gave_up(self, unread: Unread) -> None:
        try:
            await self._pile.fail(unread, BROKE, again=True)
        except SproutError:
            log.warning("document.held", extra={"document": unread.id}, exc_info=True)

    async def _hold(self, unread: Unread) -> None:
        while True:
            await asyncio.sleep(HOLD_EVERY_S)
            try:
                await self._pile.hold(unread)
            except SproutError:
                log.warning("document.not_held", extra={"document": unread.id}, exc_info=True)
