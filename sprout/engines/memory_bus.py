"""The EventBus of a single process: bounded queues in memory."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from sprout.engines.recent_events import RecentEvents
from sprout.runs.run_store import StoredEvent
from sprout.runs.streaming.bus import BusClosed, BusMessage, Overflow

MAX_WAITING = 2_000


class MemoryBus:
    """Fan-out within the process. A reader that falls behind by `max_waiting` messages loses them all."""

    def __init__(self, *, max_waiting: int = MAX_WAITING) -> None:
        self._max_waiting = max_waiting
        self._tails: dict[str, dict[_Tail, None]] = {}  # of each channel in the order of arrival
        self._recent = RecentEvents()
        self._closed = False

    @property
    def channels(self) -> set[str]:
        """The channels with subscribers."""
        return set(self._tails)

    def publish(self, message: BusMessage) -> None:
        if isinstance(message, StoredEvent):
            self._recent.add(message)
        for tail in self._tails.get(message.root_id, ()):
            tail.put(message)

    def recent(self, root_id: str, cursor: int) -> Sequence[StoredEvent]:
        return self._recent.after(root_id, cursor)

    @asynccontextmanager
    async def tail(self, channel: str) -> AsyncIterator["_Tail"]:
        tail = _Tail(self, self._max_waiting)
        if self._closed:
            tail.close()
        await tail.listen(channel)
        try:
            yield tail
        finally:
            for subscribed in tuple(tail.channels):
                tail.unlisten(subscribed)

    def close(self) -> None:
        self._closed = True
        for tails in self._tails.values():
            for tail in tails:
                tail.close()

    def add(self, tail: "_Tail", channel: str) -> None:
        self._tails.setdefault(channel, {})[tail] = None

    def remove(self, tail: "_Tail", channel: str) -> None:
        tails = self._tails.get(channel, {})
        tails.pop(tail, None)
        if not tails:
            self._tails.pop(channel, None)


class _Tail:
    """One reader's queue, received as whole batches."""

    __slots__ = ("_bus", "_closed", "_max_waiting", "_overflowed", "_waiting", "_woken", "channels")

    def __init__(self, bus: MemoryBus, max_waiting: int) -> None:
        self._bus = bus
        self._max_waiting = max_waiting
        self._waiting: list[BusMessage] = []
        self._woken = asyncio.Event()
        self._overflowed = False
        self._closed = False
        self.channels: set[str] = set()

    async def receive(self) -> list[BusMessage]:
        await self._woken.wait()
        if self._closed:
            raise BusClosed
        self._woken.clear()
        if self._overflowed:
            self._overflowed = False
            raise Overflow
        batch, self._waiting = self._waiting, []
        return batch

    async def listen(self, channel: str) -> None:
        self.channels.add(channel)
        self._bus.add(self, channel)

    def unlisten(self, channel: str) -> None:
        self.channels.discard(channel)
        self._bus.remove(self, channel)

    def interrupt(self) -> None:
        self._woken.set()

    def put(self, message: BusMessage) -> None:
        if len(self._waiting) >= self._max_waiting:
            self._waiting.clear()
            self._overflowed = True
        if not self._overflowed:
            self._waiting.append(message)
        self._woken.set()

    def close(self) -> None:
        self._closed = True
        self._woken.set()
