"""In-flight blocks: the text of blocks that still grow and are not stored yet."""

import json
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, Literal

from sprout.events import BLOCK_END_KINDS, BlockSnapshot, MessageDelta, ReasoningDelta, ThinkingDelta, wire_data
from sprout.runs.run_store import StoredEvent
from sprout.runs.streaming.bus import BusMessage, EphemeralEvent

Delta = ReasoningDelta | ThinkingDelta | MessageDelta
SNAPSHOT_KIND = "block_snapshot"


def resumed_epoch(event: StoredEvent) -> int:
    """The epoch that a `run_resumed` has opened: the second one is the first attempt to resume."""
    return int(json.loads(event.data)["attempt"]) + 1


@dataclass(slots=True)
class InFlightBlock:
    """A growing block: its author, the kind of its deltas, and the pieces of its text so far."""

    agent: str | None
    run_id: str
    epoch: int
    of: Literal["agent_reasoning_delta", "thinking_delta", "message_delta"]
    pieces: list[str] = field(default_factory=list)
    length: int = 0

    def snapshot(self, root_id: str, block_id: str) -> EphemeralEvent:
        """The block as one event; its `offset` is the length of its text."""
        text = "".join(self.pieces)
        event = BlockSnapshot(agent=self.agent, run_id=self.run_id, of=self.of, block_id=block_id, text=text)
        data = wire_data(event)
        return EphemeralEvent(root_id, event.kind, data, block_id, self.length, run_id=self.run_id, epoch=self.epoch)


class InFlightBlocks:
    """In-flight blocks by root run, made of the messages of a bus."""

    def __init__(self) -> None:
        self._by_root: dict[str, dict[str, InFlightBlock]] = {}

    @property
    def root_ids(self) -> Collection[str]:
        """The root runs that have blocks in flight."""
        return self._by_root.keys()

    def apply(self, message: BusMessage) -> InFlightBlock | None:
        """Take in a message; the block that it extends or ends. Text that does not join on to its block is ignored."""
        if isinstance(message, StoredEvent):
            return self._remove(message.root_id, message.block_id) if message.kind in BLOCK_END_KINDS else None
        return self._extend(message) if message.block_id else None

    def remove_run(self, root_id: str, run_id: str) -> dict[str, InFlightBlock]:
        """Forget the blocks of a run; which they were, by their ids."""
        blocks = self._by_root.get(root_id, {})
        removed = {block_id: block for block_id, block in blocks.items() if block.run_id == run_id}
        for block_id in removed:
            self._remove(root_id, block_id)
        return removed

    def snapshots(self, root_id: str) -> list[EphemeralEvent]:
        """Each in-flight block of a root run as one event."""
        return [block.snapshot(root_id, block_id) for block_id, block in self._by_root.get(root_id, {}).items()]

    def _extend(self, event: EphemeralEvent) -> InFlightBlock | None:
        block, data = self._by_root.get(event.root_id, {}).get(event.block_id), json.loads(event.data)
        is_snapshot = event.kind == SNAPSHOT_KIND
        if block is None or event.epoch > block.epoch:
            if not self._begin_epoch(event):
                return None
            of: Any = data["of"] if is_snapshot else event.kind
            block = InFlightBlock(data.get("agent"), event.run_id, event.epoch, of)
        if event.epoch < block.epoch or (0 if is_snapshot else event.offset) != block.length:
            return None
        block.pieces.append(data["text"])
        block.length += len(data["text"])
        self._by_root.setdefault(event.root_id, {})[event.block_id] = block
        return block

    def _begin_epoch(self, event: EphemeralEvent) -> bool:
        """Forget the run's blocks of older epochs than the event's; False if there is one of a newer epoch."""
        blocks = self._by_root.get(event.root_id, {})
        of_run = {block_id: block.epoch for block_id, block in blocks.items() if block.run_id == event.run_id}
        if any(epoch > event.epoch for epoch in of_run.values()):
            return False
        for block_id in [block_id for block_id, epoch in of_run.items() if epoch < event.epoch]:
            del blocks[block_id]
        return True

    def _remove(self, root_id: str, block_id: str) -> InFlightBlock | None:
        blocks = self._by_root.get(root_id, {})
        removed = blocks.pop(block_id, None)
        if not blocks:
            self._by_root.pop(root_id, None)
        return removed
