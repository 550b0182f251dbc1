"""Run writer: stores the steps of a loop; those that come within some milliseconds are merged and stored together."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from sprout.events import BLOCK_ENDS, MessageDelta, ReasoningDelta, ThinkingDelta, wire_data
from sprout.failpoints import failpoint
from sprout.loop.encoding.message_codec import messages_as_json, result_as_text, texts_as_json, to_json
from sprout.loop.model import Text, ToolUse
from sprout.loop.tools import Effect
from sprout.loop.turn import CallStarted, MessageAdded, Step, TurnResult
from sprout.loop.turn_steps import CallDone, ViewCompacted
from sprout.runs.execution.event_redaction import redact_event
from sprout.runs.execution.observer import Observer
from sprout.runs.run_store import CallBegun, CallCleared, CallEnded, Checkpoint, CheckpointKind, Entry, RunStore
from sprout.runs.state import Run
from sprout.runs.streaming.bus import EphemeralEvent, EventBus
from sprout.runs.streaming.in_flight import Delta

MERGE_S = 0.03


@dataclass(slots=True)
class _PendingText:
    """Pending text of one block: deltas that came together are published as one."""

    first: Delta
    texts: list[str]

    def delta(self, run: Run) -> Delta:
        text = "".join(self.texts)
        return type(self.first)(block_id=self.first.block_id, text=text, agent=run.label, run_id=run.id)


class RunWriter:
    """Writes the steps of one run in their order. Pending text is merged; a call is stored before it starts.

    Args:
        elapsed_s: seconds of execution so far, over all workers of the run.
        on_progress: called once something is stored from which a later worker would resume.
        private: whether the agent's words are hidden.
    """

    def __init__(
        self,
        run: Run,
        store: RunStore,
        bus: EventBus,
        observer: Observer,
        *,
        elapsed_s: Callable[[], float],
        on_progress: Callable[[], object] = lambda: None,
        private: bool = False,
    ) -> None:
        self._run = run
        self._store = store
        self._bus = bus
        self._block_lengths: dict[str, int] = {}  # of the blocks in flight
        self._observer = observer
        self._elapsed_s = elapsed_s
        self._pending: list[Entry | _PendingText] = []
        self._started_calls: set[str] = set()
        self._on_progress = on_progress
        self._private = private
        self._writing = asyncio.Lock()
        self._flush_task: asyncio.Task[None] | None = None
        self._last_s = {True: 0.0, False: 0.0}

    async def add(self, step: Step) -> None:
        """Take in a step; returns at once, but after a call's begin only when all so far is stored."""
        match step:
            case ReasoningDelta() | ThinkingDelta() | MessageDelta() if self._private:
                return
            case ReasoningDelta() | ThinkingDelta() | MessageDelta() as delta:
                self._add_delta(delta)
            case CallStarted():
                self._pending.append(
                    self.begin_call(
                        step.call,
                        step.effect,
                        iteration=step.iteration,
                        text_before=step.text_before,
                        repeatable=step.repeatable,
                    )
                )
                await self.flush()
                failpoint("call_begun")
                return
            case CallDone():
                self._pending.extend(self._call_ends(step))
            case MessageAdded(message, iteration, stop_reason, state):
                kind: CheckpointKind = "llm_response" if message.role == "assistant" else "tool_result"
                kept = messages_as_json([message])
                self._pending.append(Checkpoint(kind, iteration, kept, self._elapsed_s(), stop_reason, state))
            case ViewCompacted(state, iteration):
                self._pending.append(Checkpoint("compaction", iteration, elapsed_s=self._elapsed_s(), state=state))
            case TurnResult():
                return
            case event:
                self._pending.extend(self._observe([event]))
        self._schedule_flush()

    def begin_call(
        self,
        call: ToolUse,
        effect: Effect,
        *,
        iteration: int,
        text_before: Sequence[Text] = (),
        repeatable: bool = True,
    ) -> CallBegun:
        """The envelope of a call, whose end will be stored."""
        self._started_calls.add(call.id)
        return CallBegun(
            call.id,
            call.name,
            to_json(dict(call.input)),
            effect.value,
            iteration,
            texts_as_json(text_before),
            repeatable,
        )

    def expect_ends(self, started_calls: Iterable[str]) -> None:
        """Take the ends of calls whose envelopes an earlier worker stored."""
        self._started_calls.update(started_calls)

    def has_call(self, call_id: str) -> bool:
        """Whether the call has an envelope."""
        return call_id in self._started_calls

    async def store_late_end(self, done: CallDone) -> None:
        """Store the end of a call that came while the run was being left."""
        self._pending.extend(self._call_ends(done))
        await self.flush()

    async def store(self, entries: Sequence[Entry]) -> None:
        """Store entries after all that was taken in so far."""
        self._pending.extend(self._observe(entries))
        await self.flush()

    def _observe(self, entries: Sequence[Entry]) -> Iterator[Entry]:
        """The entries to store, whose events are shown to the observer."""
        for entry in entries:
            if isinstance(entry, Checkpoint | CallBegun | CallEnded | CallCleared):
                yield entry
                continue
            event = redact_event(entry) if self._private else entry
            if event is not None:
                self._observer.observe(self._run, event)
                yield event

    def _call_ends(self, done: CallDone) -> list[CallEnded]:
        """The end of the call's envelope; a call that was refused has none."""
        if done.call.id not in self._started_calls:
            return []
        return [CallEnded(done.call.id, result_as_text(done.result.content), done.result.is_error, done.attempts)]

    async def flush(self) -> None:
        """Store and tell everything that was taken in."""
        async with self._writing:
            pending, self._pending = self._pending, []
            now_s = asyncio.get_running_loop().time()
            self._last_s.update((isinstance(entry, _PendingText), now_s) for entry in pending)
            for only_told, group in groupby(pending, key=lambda entry: isinstance(entry, _PendingText)):
                if only_told:
                    for growth in group:
                        self._publish_delta(growth)
                else:
                    await self._append(_entries(group))

    async def close(self) -> list[Entry]:
        """End the ticking; what was taken in and is not stored yet, for the caller to store with its last words.

        Raises what a flush has failed with. Closing again gives nothing.
        """
        if self._flush_task is not None:
            await self._flush_task
        pending, self._pending = self._pending, []
        return _entries(pending)

    async def discard(self) -> None:
        """Leave no task and no text in flight behind. Events that are neither stored nor sent yet are dropped."""
        if self._flush_task is not None:
            self._flush_task.cancel()
            await asyncio.gather(self._flush_task, return_exceptions=True)
        self._bus.drop_blocks(self._run.root_id, self._run.id)

    def _add_delta(self, delta: Delta) -> None:
        last = self._pending[-1] if self._pending else None
        if isinstance(last, _PendingText) and last.first.block_id == delta.block_id:
            last.texts.append(delta.text)
        else:
            self._pending.append(_PendingText(delta, [delta.text]))

    def _schedule_flush(self) -> None:
        """See to it that what is pending is flushed; a flush that failed fails the run at its next step."""
        if self._flush_task is not None and self._flush_task.done():
            self._flush_task.result()
            self._flush_task = None
        if self._flush_task is None and not self._publish_now():
            self._flush_task = asyncio.create_task(self._flush_soon())

    def _publish_now(self) -> bool:
        """Tell the text that waits where it is due and nothing is stored before it; whether that was so.

        Nearly all text at a model's pace goes this way, which saves it a task.
        """
        now_s = asyncio.get_running_loop().time()
        if self._writing.locked() or now_s < self._last_s[True] + MERGE_S or not _only_deltas(self._pending):
            return False
        pending, self._pending = self._pending, []
        self._last_s[True] = now_s
        for growth in pending:
            self._publish_delta(growth)
        return True

    async def _flush_soon(self) -> None:
        """At once after a silence, else `MERGE_S` after the last flush of the same sort.

        Ephemeral text does not wait for stored events.
        """
        loop = asyncio.get_running_loop()
        while self._pending:
            only_told = _only_deltas(self._pending)
            await asyncio.sleep(max(0.0, self._last_s[only_told] + MERGE_S - loop.time()))
            await self.flush()

    def _publish_delta(self, growth: Entry | _PendingText) -> None:
        assert isinstance(growth, _PendingText), "only text in flight is sent without being stored"
        delta = growth.delta(self._run)
        offset = self._block_lengths.get(delta.block_id, 0)
        self._block_lengths[delta.block_id] = offset + len(delta.text)
        self._bus.publish(
            EphemeralEvent(
                self._run.root_id,
                delta.kind,
                wire_data(delta),
                delta.block_id,
                offset=offset,
                length=len(delta.text),
                run_id=self._run.id,
                epoch=self._run.epoch,
            )
        )
        failpoint("delta_published")

    async def _append(self, entries: Sequence[Entry]) -> None:
        await self._store.append(self._run, entries)
        for entry in entries:
            if isinstance(entry, BLOCK_ENDS):
                self._block_lengths.pop(entry.block_id, None)
        if any(isinstance(entry, CallEnded | Checkpoint) for entry in entries):
            self._on_progress()
        for entry in entries:
            if isinstance(entry, CallEnded):
                failpoint("call_ended")
            elif isinstance(entry, Checkpoint) and entry.kind == "llm_response":
                failpoint("reply_stored")


def _only_deltas(pending: Iterable[Entry | _PendingText]) -> bool:
    return all(isinstance(entry, _PendingText) for entry in pending)


def _entries(pending: Iterable[Entry | _PendingText]) -> list[Entry]:
    return [entry for entry in pending if not isinstance(entry, _PendingText)]
