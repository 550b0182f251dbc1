"""In-flight blocks: the text of blocks that still grow and are not stored yet."""

from dataclasses import dataclass
from typing import Literal

from sprout.events import BlockSnapshot, MessageDelta, ReasoningDelta, ThinkingDelta, wire_data
from sprout.runs.state import Run
from sprout.runs.streaming.bus import EphemeralEvent

Delta = ReasoningDelta | ThinkingDelta | MessageDelta


@dataclass(frozen=True, slots=True)
class InFlightBlock:
    """A growing block: its author, the kind of its deltas, and the text published so far."""

    agent: str
    run_id: str
    of: Literal["agent_reasoning_delta", "thinking_delta", "message_delta"]
    text: str


class InFlightBlocks:
    """The in-flight blocks of all root runs of this process, so that a late reader gets each from its start."""

    def __init__(self) -> None:
        self._by_root: dict[str, dict[str, InFlightBlock]] = {}

    def extend(self, root_id: str, block_id: str, delta: Delta, run: Run) -> int:
        """Append a delta to its block; the number of characters that the block had before."""
        blocks = self._by_root.setdefault(root_id, {})
        known = blocks.get(block_id)
        before = known.text if known else ""
        blocks[block_id] = InFlightBlock(run.label, run.id, delta.kind, before + delta.text)
        return len(before)

    def remove(self, root_id: str, block_id: str) -> None:
        blocks = self._by_root.get(root_id, {})
        blocks.pop(block_id, None)
        if not blocks:
            self._by_root.pop(root_id, None)

    def remove_run(self, run: Run) -> None:
        """Forget the blocks of a run that is executed here no more."""
        for block_id, block in list(self._by_root.get(run.root_id, {}).items()):
            if block.run_id == run.id:
                self.remove(run.root_id, block_id)

    def snapshots(self, root_id: str) -> list[EphemeralEvent]:
        """Each in-flight block of a root run as one event; its `offset` is the length of its text."""
        return [_snapshot(root_id, block_id, block) for block_id, block in self._by_root.get(root_id, {}).items()]


def _snapshot(root_id: str, block_id: str, block: InFlightBlock) -> EphemeralEvent:
    event = BlockSnapshot(agent=block.agent, run_id=block.run_id, of=block.of, block_id=block_id, text=block.text)
    return EphemeralEvent(root_id, event.kind, wire_data(event), block_id, offset=len(block.text), run_id=block.run_id)
