"""The Protocol of the news: lossy and fast, the log is the truth."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from sprout.runs.log import Logged


@dataclass(frozen=True, slots=True)
class Passing:
    """An event that is not stored: a delta of the block `block_id`, or a word of the server to its reader.

    `offset` counts the characters of the block that came before, so that a reader who was given a snapshot of the
    block can tell what it has already.
    """

    root_id: str
    kind: str
    data: str
    block_id: str = ""
    offset: int = 0


News = Logged | Passing


class Overflow(Exception):
    """A reader fell too far behind: some news is gone, read the log again from the cursor."""


class EventBus(Protocol):
    def publish(self, news: News) -> None:
        """Tell everyone who tails this root run. Never waits."""
        ...

    def tail(self, root_id: str) -> AbstractAsyncContextManager[AsyncIterator[list[News]]]:
        """All news of a root run from the moment of entering on, in batches of what waits together.

        Ends when the bus is closed. Raises Overflow.
        """
        ...

    def close(self) -> None:
        """End every tail, and those that are still to come."""
        ...
