"""The EventBus of a single process: bounded queues in memory."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sprout.runs.bus import News, Overflow

MAX_WAITING = 2_000


class _Reader:
    def __init__(self) -> None:
        self.waiting: deque[News] = deque()
        self.overflowed = False
        self.woken = asyncio.Event()

    def tell(self, news: News) -> None:
        if len(self.waiting) >= MAX_WAITING:
            self.waiting.clear()
            self.overflowed = True
        if not self.overflowed:
            self.waiting.append(news)
        self.woken.set()


class MemoryBus:
    """Fan-out within the process. A reader who falls behind by `MAX_WAITING` pieces of news loses them all."""

    def __init__(self) -> None:
        self._readers: dict[str, set[_Reader]] = {}
        self._closed = False

    def publish(self, news: News) -> None:
        for reader in self._readers.get(news.root_id, ()):
            reader.tell(news)

    @asynccontextmanager
    async def tail(self, root_id: str) -> AsyncIterator[AsyncIterator[list[News]]]:
        reader = _Reader()
        self._readers.setdefault(root_id, set()).add(reader)
        try:
            yield self._batches(reader)
        finally:
            readers = self._readers[root_id]
            readers.discard(reader)
            if not readers:
                del self._readers[root_id]

    def close(self) -> None:
        self._closed = True
        for readers in self._readers.values():
            for reader in readers:
                reader.woken.set()

    async def _batches(self, reader: _Reader) -> AsyncIterator[list[News]]:
        while not self._closed:
            await reader.woken.wait()
            reader.woken.clear()
            if reader.overflowed:
                raise Overflow
            batch = list(reader.waiting)
            reader.waiting.clear()
            if batch:
                yield batch
