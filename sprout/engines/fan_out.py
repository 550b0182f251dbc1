"""Fan-out within the process: the subscriptions of its readers by channel, each with a bounded queue."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager

from sprout.runs.streaming.bus import BusClosed, BusMessage, Overflow

MAX_WAITING = 2_000


class FanOut:
    """Subscriptions by channel. A reader that falls behind by `max_waiting` messages loses them all.

    Args:
        subscribe: awaited whenever a reader has joined a channel, before it counts as subscribed.
    """

    def __init__(
        self, *, max_waiting: int = MAX_WAITING, subscribe: Callable[[str], Awaitable[None]] | None = None
    ) -> None:
        self._max_waiting = max_waiting
        self._subscribe = subscribe
        self._tails: dict[str, dict[_Tail, None]] = {}  # of each channel in the order of arrival
        self._closed = False

    @property
    def channels(self) -> set[str]:
        """The channels with subscribers."""
        return set(self._tails)

    def deliver(self, channel: str, messages: Iterable[BusMessage]) -> None:
        """Put messages into the queue of every reader of a channel."""
        if tails := self._tails.get(channel):
            for message in messages:
                for tail in tails:
                    tail.put(message)

    def overflow(self) -> None:
        """Tell every reader that messages were lost."""
        for tail in {tail for tails in self._tails.values() for tail in tails}:
            tail.overflow()

    @asynccontextmanager
    async def tail(self, channel: str) -> AsyncIterator["_Tail"]:
        """Subscribe to a channel from the moment of entering on."""
        tail = _Tail(self, self._max_waiting)
        if self._closed:
            tail.close()
        try:
            await tail.listen(channel)
            yield tail
        finally:
            for subscribed in tuple(tail.channels):
                tail.unlisten(subscribed)

    def close(self) -> None:
        """End every tail, and those that are opened later."""
        self._closed = True
        for tails in self._tails.values():
            for tail in tails:
                tail.close()

    async def add(self, tail: "_Tail", channel: str) -> None:
        self._tails.setdefault(channel, {})[tail] = None
        if self._subscribe is not None and not self._closed:
            await self._subscribe(channel)

    def remove(self, tail: "_Tail", channel: str) -> None:
        tails = self._tails.get(channel, {})
        tails.pop(tail, None)
        if not tails:
            self._tails.pop(channel, None)


class _Tail:
    """One reader's queue, received as whole batches."""

    __slots__ = ("_closed", "_fan_out", "_max_waiting", "_overflowed", "_waiting", "_woken", "channels")

    def __init__(self, fan_out: FanOut, max_waiting: int) -> None:
        self._fan_out = fan_out
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
        await self._fan_out.add(self, channel)

    def unlisten(self, channel: str) -> None:
        self.channels.discard(channel)
        self._fan_out.remove(self, channel)

    def interrupt(self) -> None:
        self._woken.set()

    def put(self, message: BusMessage) -> None:
        if len(self._waiting) >= self._max_waiting:
            self.overflow()
        if not self._overflowed:
            self._waiting.append(message)
        self._woken.set()

    def overflow(self) -> None:
        """Drop what waits; what comes before the reader learns of it is dropped too."""
        self._waiting.clear()
        self._overflowed = True
        self._woken.set()

    def close(self) -> None:
        self._closed = True
        self._woken.set()
