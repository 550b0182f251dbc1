"""The EventBus of a single process: everything in memory."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager

from sprout.engines.fan_out import MAX_WAITING, FanOut
from sprout.engines.recent_events import RecentEvents
from sprout.runs.run_store import StoredEvent
from sprout.runs.streaming.bus import BusMessage, EphemeralEvent, Tail
from sprout.runs.streaming.in_flight import InFlightBlocks


class MemoryBus:
    """Fan-out within the process, its recent events, and the blocks in flight of the runs that it executes."""

    def __init__(self, *, max_waiting: int = MAX_WAITING) -> None:
        self._readers = FanOut(max_waiting=max_waiting)
        self._recent = RecentEvents()
        self._in_flight = InFlightBlocks()

    @property
    def channels(self) -> set[str]:
        """The channels with subscribers."""
        return self._readers.channels

    def publish(self, message: BusMessage) -> None:
        self._in_flight.apply(message)
        if isinstance(message, StoredEvent):
            self._recent.add(message)
        self._readers.deliver(message.root_id, (message,))

    async def snapshots(self, root_id: str) -> Sequence[EphemeralEvent]:
        return self._in_flight.snapshots(root_id)

    def drop_blocks(self, root_id: str, run_id: str) -> None:
        self._in_flight.remove_run(root_id, run_id)

    def recent(self, root_id: str, cursor: int) -> Sequence[StoredEvent]:
        return self._recent.after(root_id, cursor)

    def tail(self, channel: str) -> AbstractAsyncContextManager[Tail]:
        return self._readers.tail(channel)

    def close(self) -> None:
        self._readers.close()
