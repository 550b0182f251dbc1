"""Open event streams, counted and limited by learner and by address."""

from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass
from typing import Protocol

from sprout.errors import TooManyRequests

RETRY_AFTER_S = 10.0


class TooManyStreams(TooManyRequests):
    """The limit of a learner or an address is reached."""

    code = "too_many_streams"

    def __init__(self, limit: int) -> None:
        text = "{most} event streams are open already. Close some pages and try again."
        super().__init__(text, retry_after_s=RETRY_AFTER_S, most=limit)


@dataclass(frozen=True, slots=True)
class StreamClient:
    """The learner and the address that open a stream, with their limits."""

    user_id: str
    address: str
    per_learner: int
    per_address: int


class StreamCounter(Protocol):
    """Counts open streams by name."""

    async def count(self, name: str) -> int:
        """The number of open streams."""
        ...

    def track(self, name: str) -> AbstractAsyncContextManager[None]:
        """Count a stream as open inside the block."""
        ...


class LocalStreamCounter:
    """The StreamCounter of one process."""

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()

    @property
    def total(self) -> int:
        return self._open.total()

    async def count(self, name: str) -> int:
        return self._open[name]

    @asynccontextmanager
    async def track(self, name: str) -> AsyncIterator[None]:
        self._open[name] += 1
        try:
            yield
        finally:
            self._open[name] -= 1
            if not self._open[name]:
                del self._open[name]


class OpenStreams:
    """The open streams. Those of an address are limited by each process for itself.

    Args:
        gauge: entered for as long as a stream is open, for the server's metrics.
        learners: counts those of each learner, in all processes.
    """

    def __init__(
        self,
        gauge: Callable[[], AbstractContextManager[None]] = nullcontext,
        learners: StreamCounter | None = None,
    ) -> None:
        self._gauge = gauge
        self._by_address = LocalStreamCounter()
        self._by_learner = learners or LocalStreamCounter()

    @property
    def count(self) -> int:
        """The number of open streams of this process."""
        return self._by_address.total

    async def check_room(self, client: StreamClient) -> None:
        """Raises TooManyStreams if one more would exceed a limit."""
        if await self._by_address.count(client.address) >= client.per_address:
            raise TooManyStreams(client.per_address)
        if await self._by_learner.count(client.user_id) >= client.per_learner:
            raise TooManyStreams(client.per_learner)

    @asynccontextmanager
    async def track(self, client: StreamClient) -> AsyncIterator[None]:
        """Count a stream as open inside the block. Raises TooManyStreams."""
        await self.check_room(client)
        async with self._by_address.track(client.address), self._by_learner.track(client.user_id):
            with self._gauge():
                yield
