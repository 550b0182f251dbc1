"""Open event streams, counted and limited by learner and by address."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass

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


class OpenStreams:
    """Counts the streams of this process, by learner and by address.

    Args:
        gauge: entered for as long as a stream is open, for the server's metrics.
    """

    def __init__(self, gauge: Callable[[], AbstractContextManager[None]] = nullcontext) -> None:
        self._gauge = gauge
        self._by_learner: Counter[str] = Counter()
        self._by_address: Counter[str] = Counter()

    @property
    def count(self) -> int:
        """The number of open streams."""
        return self._by_learner.total()

    def check_room(self, client: StreamClient) -> None:
        """Raises TooManyStreams if one more would exceed a limit."""
        for open_, limit in (
            (self._by_learner[client.user_id], client.per_learner),
            (self._by_address[client.address], client.per_address),
        ):
            if open_ >= limit:
                raise TooManyStreams(limit)

    @contextmanager
    def track(self, client: StreamClient) -> Iterator[None]:
        """Count a stream as open inside the block. Raises TooManyStreams."""
        self.check_room(client)
        places = ((self._by_learner, client.user_id), (self._by_address, client.address))
        for counts, name in places:
            counts[name] += 1
        try:
            with self._gauge():
                yield
        finally:
            for counts, name in places:
                counts[name] -= 1
                if not counts[name]:
                    del counts[name]
