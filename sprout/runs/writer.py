"""From the steps of a loop to its log: what comes within some milliseconds is merged, stored together, then told."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, get_args

from sprout.crashing import crash_point
from sprout.events import (
    BlockSnapshot,
    Message,
    MessageDelta,
    MessageReset,
    Reasoning,
    ReasoningDelta,
    Thinking,
    ThinkingDelta,
    wire_data,
)
from sprout.loop.execution import CallDone
from sprout.loop.kept import as_json, messages_as_json, result_as_text, said_as_json
from sprout.loop.model import Text, ToolUse
from sprout.loop.result import Compacted
from sprout.loop.tools import Effect
from sprout.loop.turn import CallStarted, MessageAdded, Step, TurnResult
from sprout.runs.bus import EventBus, Passing
from sprout.runs.log import CallBegun, CallCleared, CallEnded, Checkpoint, CheckpointKind, Entry, RunStore
from sprout.runs.observer import Observer
from sprout.runs.privacy import without_words
from sprout.runs.state import Run

MERGE_S = 0.03

Delta = ReasoningDelta | ThinkingDelta | MessageDelta
EndOfBlock = Reasoning | Thinking | Message | MessageReset
ENDS_OF_BLOCKS = get_args(EndOfBlock)


@dataclass(frozen=True, slots=True)
class Flight:
    """A block that is still growing: who says it, what kind, and the text so far as it was told."""

    agent: str
    run_id: str
    of: Literal["agent_reasoning_delta", "thinking_delta", "message_delta"]
    text: str


class Flights:
    """The blocks in flight of all root runs, so that a late reader gets each from its start."""

    def __init__(self) -> None:
        self._by_root: dict[str, dict[str, Flight]] = {}

    def grown(self, root_id: str, block_id: str, delta: Delta, run: Run) -> int:
        """Take in a delta; the number of characters that the block had before."""
        blocks = self._by_root.setdefault(root_id, {})
        known = blocks.get(block_id)
        before = known.text if known else ""
        blocks[block_id] = Flight(run.label, run.id, delta.kind, before + delta.text)
        return len(before)

    def landed(self, root_id: str, block_id: str) -> None:
        blocks = self._by_root.get(root_id, {})
        blocks.pop(block_id, None)
        if not blocks:
            self._by_root.pop(root_id, None)

    def dropped(self, run: Run) -> None:
        """Forget what a run was saying: its carrier is gone."""
        for block_id, flight in list(self._by_root.get(run.root_id, {}).items()):
            if flight.run_id == run.id:
                self.landed(run.root_id, block_id)

    def snapshots(self, root_id: str) -> list[Passing]:
        """Each block in flight as one event; its `offset` is the length of its text."""
        return [
            Passing(
                root_id,
                "block_snapshot",
                wire_data(
                    BlockSnapshot(
                        agent=flight.agent, run_id=flight.run_id, of=flight.of, block_id=block_id, text=flight.text
                    )
                ),
                block_id,
                len(flight.text),
            )
            for block_id, flight in self._by_root.get(root_id, {}).items()
        ]


@dataclass(slots=True)
class _Growth:
    """Text of one block that waits to be told: deltas that came together are told as one."""

    first: Delta
    pieces: list[str]

    def delta(self, run: Run) -> Delta:
        said = "".join(self.pieces)
        return type(self.first)(block_id=self.first.block_id, text=said, agent=run.label, run_id=run.id)


class RunWriter:
    """Writes one run's steps in their order. Text that waits is merged; a call's begin is stored before it starts.

    Args:
        begun: the calls that have an envelope already.
        elapsed_s: how long the run has worked so far, all its carriers together.
        came_further: called once something is stored from which a later carrier would go on.
        private: whether its agent's words are kept from everybody.
    """

    def __init__(
        self,
        run: Run,
        store: RunStore,
        bus: EventBus,
        flights: Flights,
        observer: Observer,
        *,
        elapsed_s: Callable[[], float],
        begun: Iterable[str] = (),
        came_further: Callable[[], object] = lambda: None,
        private: bool = False,
    ) -> None:
        self._run = run
        self._store = store
        self._bus = bus
        self._flights = flights
        self._observer = observer
        self._elapsed_s = elapsed_s
        self._pending: list[Entry | _Growth] = []
        self._begun = set(begun)
        self._came_further = came_further
        self._private = private
        self._writing = asyncio.Lock()
        self._ticking: asyncio.Task[None] | None = None
        self._last_s = {True: 0.0, False: 0.0}

    async def take(self, step: Step) -> None:
        """Take in a step; returns at once, but after a call's begin only when all so far is stored."""
        match step:
            case ReasoningDelta() | ThinkingDelta() | MessageDelta() if self._private:
                return
            case ReasoningDelta() | ThinkingDelta() | MessageDelta() as delta:
                self._grow(delta)
            case CallStarted():
                self._pending.append(
                    self.begun(step.call, step.effect, iteration=step.iteration, said=step.said, safe=step.repeatable)
                )
                await self.flush()
                crash_point("call_begun")
                return
            case CallDone():
                self._pending.extend(self._ends(step))
            case MessageAdded(message, iteration, stop_reason):
                kind: CheckpointKind = "llm_response" if message.role == "assistant" else "tool_result"
                kept = messages_as_json([message])
                self._pending.append(Checkpoint(kind, iteration, kept, self._elapsed_s(), stop_reason))
            case Compacted(state, iteration):
                self._pending.append(Checkpoint("compaction", iteration, elapsed_s=self._elapsed_s(), state=state))
            case TurnResult():
                return
            case event:
                self._pending.extend(self._seen([event]))
        self._tick()

    def begun(
        self, call: ToolUse, effect: Effect, *, iteration: int, said: Sequence[Text] = (), safe: bool = True
    ) -> CallBegun:
        """The envelope of a call, whose end will be stored."""
        self._begun.add(call.id)
        return CallBegun(
            call.id, call.name, as_json(dict(call.input)), effect.value, iteration, said_as_json(said), safe
        )

    def knows(self, call_id: str) -> bool:
        """Whether the call has an envelope."""
        return call_id in self._begun

    async def leave(self, done: CallDone) -> None:
        """Store the end of a call that came while the run was being left."""
        self._pending.extend(self._ends(done))
        await self.flush()

    async def keep(self, entries: Sequence[Entry]) -> None:
        """Store entries after all that was taken in so far."""
        self._pending.extend(self._seen(entries))
        await self.flush()

    def _seen(self, entries: Sequence[Entry]) -> Iterator[Entry]:
        """The entries that are stored; whoever looks on is shown the events among them."""
        for entry in entries:
            if isinstance(entry, Checkpoint | CallBegun | CallEnded | CallCleared):
                yield entry
                continue
            event = without_words(entry) if self._private else entry
            if event is not None:
                self._observer.observe(self._run, event)
                yield event

    def _ends(self, done: CallDone) -> list[CallEnded]:
        """The end of the call's envelope; a call that was refused has none."""
        if done.call.id not in self._begun:
            return []
        return [CallEnded(done.call.id, result_as_text(done.result.content), done.result.is_error, done.attempts)]

    async def flush(self) -> None:
        """Store and tell everything that was taken in."""
        async with self._writing:
            pending, self._pending = self._pending, []
            now_s = asyncio.get_running_loop().time()
            self._last_s.update((isinstance(entry, _Growth), now_s) for entry in pending)
            for only_told, group in groupby(pending, key=lambda entry: isinstance(entry, _Growth)):
                if only_told:
                    for growth in group:
                        self._tell(growth)
                else:
                    await self._keep(_entries(group))

    async def close(self) -> list[Entry]:
        """End the ticking; what was taken in and is not stored yet, for the caller to store with its last words.

        Raises what a flush has failed with. Closing again gives nothing.
        """
        if self._ticking is not None:
            await self._ticking
        pending, self._pending = self._pending, []
        return _entries(pending)

    async def stop(self) -> None:
        """Leave no task and no text in flight behind. What was taken in and is neither stored nor told is dropped."""
        if self._ticking is not None:
            self._ticking.cancel()
            await asyncio.gather(self._ticking, return_exceptions=True)
        self._flights.dropped(self._run)

    def _grow(self, delta: Delta) -> None:
        last = self._pending[-1] if self._pending else None
        if isinstance(last, _Growth) and last.first.block_id == delta.block_id:
            last.pieces.append(delta.text)
        else:
            self._pending.append(_Growth(delta, [delta.text]))

    def _tick(self) -> None:
        """See to it that what is pending is flushed; a flush that failed fails the run at its next step."""
        if self._ticking is not None and self._ticking.done():
            self._ticking.result()
            self._ticking = None
        if self._ticking is None and not self._told_at_once():
            self._ticking = asyncio.create_task(self._flush_soon())

    def _told_at_once(self) -> bool:
        """Tell the text that waits where it is due and nothing is stored before it; whether that was so.

        Nearly all text at a model's pace goes this way, which saves it a task.
        """
        now_s = asyncio.get_running_loop().time()
        if self._writing.locked() or now_s < self._last_s[True] + MERGE_S or not _only_told(self._pending):
            return False
        pending, self._pending = self._pending, []
        self._last_s[True] = now_s
        for growth in pending:
            self._tell(growth)
        return True

    async def _flush_soon(self) -> None:
        """At once after a silence, else `MERGE_S` after the last flush of the same sort.

        Text that is only told does not wait for what was stored.
        """
        loop = asyncio.get_running_loop()
        while self._pending:
            only_told = _only_told(self._pending)
            await asyncio.sleep(max(0.0, self._last_s[only_told] + MERGE_S - loop.time()))
            await self.flush()

    def _tell(self, growth: Entry | _Growth) -> None:
        assert isinstance(growth, _Growth), "only text in flight is told without being stored"
        delta = growth.delta(self._run)
        offset = self._flights.grown(self._run.root_id, delta.block_id, delta, self._run)
        told = Passing(self._run.root_id, delta.kind, wire_data(delta), delta.block_id, offset, len(delta.text))
        self._bus.publish(told)
        crash_point("delta_told")

    async def _keep(self, entries: Sequence[Entry]) -> None:
        await self._store.append(self._run, entries)
        self.landed(entries)
        if any(isinstance(entry, CallEnded | Checkpoint) for entry in entries):
            self._came_further()
        for entry in entries:
            if isinstance(entry, CallEnded):
                crash_point("call_ended")
            elif isinstance(entry, Checkpoint) and entry.kind == "llm_response":
                crash_point("reply_kept")

    def landed(self, entries: Sequence[Entry]) -> None:
        """Forget the flights of the blocks that these entries end."""
        for entry in entries:
            if isinstance(entry, ENDS_OF_BLOCKS):
                self._flights.landed(self._run.root_id, entry.block_id)


def _only_told(pending: Iterable[Entry | _Growth]) -> bool:
    return all(isinstance(entry, _Growth) for entry in pending)


def _entries(pending: Iterable[Entry | _Growth]) -> list[Entry]:
    return [entry for entry in pending if not isinstance(entry, _Growth)]
