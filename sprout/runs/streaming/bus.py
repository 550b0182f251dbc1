"""Event bus: publish and subscribe by channel. It is lossy and fast; the event log is the source of truth."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from sprout.runs.run_store import StoredEvent


@dataclass(frozen=True, slots=True)
class EphemeralEvent:
    """An event that is not stored: a delta or snapshot of the block `block_id`, or a control message of the stream.

    `root_id` is the channel: a root run, or a learner. `offset` counts the characters of the block before this event
    and `length` those that it adds (0: unknown), so that a reader can recognise repeated and missing text. `epoch` is
    that of the run's claim: text of an older one is void.
    """

    root_id: str
    kind: str
    data: str
    block_id: str = ""
    offset: int = 0
    length: int = 0
    run_id: str = ""
    epoch: int = 0


BusMessage = StoredEvent | EphemeralEvent
RUN_ADMITTED = "run_admitted"  # on a learner's channel: a new root run of the learner, its id is the data


def learner_channel(user_id: str) -> str:
    """The channel on which a learner's new root runs are announced."""
    return f"learner:{user_id}"


class Overflow(Exception):
    """A reader fell too far behind and lost messages: it has to read the log again from its cursor."""


class BusClosed(Exception):
    """The server shuts down: no more messages will come."""


class Tail(Protocol):
    """One reader's subscription: the messages of its channels, each from the moment of `listen` on."""

    async def receive(self) -> list[BusMessage]:
        """All pending messages as soon as there are any; an empty list after `interrupt`. Safe to cancel.

        Raises Overflow (the next batch holds what came since), BusClosed.
        """
        ...

    async def listen(self, channel: str) -> None:
        """Subscribe to another channel; effective on return."""
        ...

    def unlisten(self, channel: str) -> None:
        """Unsubscribe from a channel; pending messages of it may still be received."""
        ...

    def interrupt(self) -> None:
        """End the current `receive`, or else the next one."""
        ...


class EventBus(Protocol):
    """Messages by channel, in order within each, and the blocks in flight that they add up to, for all processes.

    While the bus is down messages may be lost, doubled or late, and blocks missing; that never raises.
    """

    def publish(self, message: BusMessage) -> None:
        """Send a message to every subscriber of the channel `message.root_id`. Never blocks."""
        ...

    async def snapshots(self, root_id: str) -> Sequence[EphemeralEvent]:
        """Each block in flight of a root run as one event, whose `offset` is the length of its text.

        What is published after the call has begun is in it or will be received by a tail that was opened before.
        """
        ...

    def drop_blocks(self, root_id: str, run_id: str) -> None:
        """Forget the blocks in flight of a run that this process executes no more."""
        ...

    def recent(self, root_id: str, cursor: int) -> Sequence[StoredEvent]:
        """Recently published events of a root run past the cursor, without a gap.

        Empty where the next one is not in memory, or does not exist yet: then the log has to be read.
        """
        ...

    def tail(self, channel: str) -> AbstractAsyncContextManager[Tail]:
        """Subscribe to a channel from the moment of entering on."""
        ...

    def close(self) -> None:
        """End every tail, and those that are opened later."""
        ...
