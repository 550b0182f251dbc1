"""Log cursor: one reader's position in the log of a root run. It filters repeated, late and incomplete messages."""

from collections.abc import Sequence

from sprout.events import BLOCK_END_KINDS, LAST_EVENT_KIND
from sprout.runs.run_store import StoredEvent
from sprout.runs.streaming.bus import BusMessage, EphemeralEvent
from sprout.runs.streaming.in_flight import SNAPSHOT_KIND, resumed_epoch

COMPLETED_BLOCKS_MAX = 64  # a late delta of a completed block is at most a few batches old


class LogCursor:
    """The number of the reader's last event, and the length of the text that it has of each in-flight block.

    `incomplete` holds the blocks of which text was lost: their deltas are withheld until a snapshot replaces the text,
    or the whole block is in the log.
    """

    __slots__ = ("_completed", "_epochs", "_offsets", "_runs", "at_end", "incomplete", "root_id", "seq")

    def __init__(self, root_id: str, *, seq: int) -> None:
        self.root_id = root_id
        self.seq = seq
        self.at_end = False
        self.incomplete: set[str] = set()
        self._offsets: dict[str, int] = {}  # block → characters that the reader has
        self._runs: dict[str, str] = {}  # the same blocks → their run
        self._epochs: dict[str, int] = {}  # run → the newest epoch that the reader knows of
        self._completed: dict[str, None] = {}

    def reset(self) -> None:
        """Forget everything: the log is read again from its start."""
        self.seq = 0
        self.incomplete.clear()
        self._offsets.clear()
        self._runs.clear()
        self._epochs.clear()
        self._completed.clear()

    def has_gap(self, batch: Sequence[BusMessage]) -> bool:
        """Whether a number is missing between the cursor and the batch, or within the batch."""
        return len(self.before_gap(batch)) < len(batch)

    def before_gap(self, batch: Sequence[BusMessage]) -> list[BusMessage]:
        """The batch without the stored events that come after a missing number."""
        expected, found = self.seq + 1, []
        for message in batch:
            if isinstance(message, StoredEvent) and message.seq >= expected:
                if message.seq > expected:
                    continue
                expected += 1
            found.append(message)
        return found

    def accept(self, batch: Sequence[BusMessage]) -> list[BusMessage]:
        """Advance over a batch; the messages that are new to the reader, none of them past the end."""
        return [
            message
            for message in batch
            if (self._accept_stored(message) if isinstance(message, StoredEvent) else self._accept_ephemeral(message))
        ]

    def accept_snapshots(self, snapshots: Sequence[EphemeralEvent]) -> list[BusMessage]:
        """The snapshots of incomplete blocks; a block without one stays incomplete."""
        return self.accept([snapshot for snapshot in snapshots if snapshot.block_id in self.incomplete])

    def _accept_stored(self, event: StoredEvent) -> bool:
        if event.seq <= self.seq or self.at_end:
            return False
        self.seq = event.seq
        if event.kind in BLOCK_END_KINDS:
            self._complete_block(event.block_id)
        elif event.kind == "run_resumed":
            self._begin_epoch(event.run_id, max(resumed_epoch(event), self._epochs.get(event.run_id, 0)))
        elif event.kind == LAST_EVENT_KIND:
            self.at_end = True
        return True

    def _accept_ephemeral(self, event: EphemeralEvent) -> bool:
        block_id = event.block_id
        if not block_id:
            return True
        newest = self._epochs.setdefault(event.run_id, event.epoch)
        if block_id in self._completed or self.at_end or event.epoch < newest:
            return False
        if event.epoch > newest:
            self._begin_epoch(event.run_id, event.epoch)
        received = self._offsets.get(block_id)
        if received is None:
            received, self._runs[block_id] = 0, event.run_id
        if event.kind == SNAPSHOT_KIND:
            self._offsets[block_id] = event.offset
            self.incomplete.discard(block_id)
            return True
        if event.offset < received:
            return False
        if event.length and event.offset > received:
            self._offsets[block_id] = received
            self.incomplete.add(block_id)
            return False
        self._offsets[block_id] = event.offset + (event.length or 1)
        if self.incomplete:
            self.incomplete.discard(block_id)
        return True

    def _complete_block(self, block_id: str) -> None:
        self._drop_block(block_id)
        self._completed[block_id] = None
        if len(self._completed) > COMPLETED_BLOCKS_MAX:
            del self._completed[next(iter(self._completed))]

    def _begin_epoch(self, run_id: str, epoch: int) -> None:
        """Forget the in-flight blocks of a resumed run: they are void, and may grow again under the same ids."""
        self._epochs[run_id] = epoch
        for block_id in [block for block, run in self._runs.items() if run == run_id]:
            self._drop_block(block_id)

    def _drop_block(self, block_id: str) -> None:
        self._offsets.pop(block_id, None)
        self._runs.pop(block_id, None)
        self.incomplete.discard(block_id)
