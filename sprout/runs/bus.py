"""The Protocol of the news: lossy and fast, the log is the truth."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from sprout.runs.log import Logged


@dataclass(frozen=True, slots=True)
class Passing:
    """An event that is not stored: a delta of the block `block_id`, or a word of the server to its reader.

    `root_id` is the channel: a root run, or a learner. `offset` counts the characters of the block that came before
    and `length` those that this adds (0: not said), so that a reader can tell what it has already, and what it lacks.
    """

    root_id: str
    kind: str
    data: str
    block_id: str = ""
    offset: int = 0
    length: int = 0


News = Logged | Passing
RUN_ADMITTED = "run_admitted"  # a learner's channel: a root run of hers is there, its id is the data


def learner_channel(user_id: str) -> str:
    """Where the learner's new root runs are told."""
    return f"learner:{user_id}"


class Overflow(Exception):
    """A reader fell too far behind: some news is gone, read the log again from the cursor."""


class BusClosed(Exception):
    """The server goes away: there is no more news here."""


class Tail(Protocol):
    """What one reader hears: the news of its channels, each from the moment on at which it began to listen."""

    async def batch(self) -> list[News]:
        """All that waits, as soon as something does; nothing after a nudge. May be cancelled without a loss.

        Raises Overflow (the next batch is what came since), BusClosed.
        """
        ...

    async def listen(self, channel: str) -> None:
        """Hear of this channel too, from the return on."""
        ...

    def leave(self, channel: str) -> None:
        """Hear no more of it; what waits already may still come."""
        ...

    def nudge(self) -> None:
        """End the wait for a batch, now or the next time."""
        ...


class EventBus(Protocol):
    """News by channel, which may get lost, come twice, or stop coming while the bus is down; never an error."""

    def publish(self, news: News) -> None:
        """Tell everyone who listens to the channel `news.root_id`. Never waits."""
        ...

    def recent(self, root_id: str, cursor: int) -> Sequence[Logged]:
        """Stored events of a root run that were told here: those past the cursor, without a hole, as far as they go.

        Nothing where the next one is not remembered, or is not there yet: then the log has to be asked.
        """
        ...

    def tail(self, channel: str) -> AbstractAsyncContextManager[Tail]:
        """The news of a channel from the moment of entering on."""
        ...

    def close(self) -> None:
        """End every tail, and those that are still to come."""
        ...
