"""Multiplexed stream: all root runs of a learner, each without a gap."""

from collections import deque
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass

from sprout.errors import NotFound
from sprout.runs.run_store import RunStore, StoredEvent
from sprout.runs.state import Run
from sprout.runs.streaming.bus import RUN_ADMITTED, BusClosed, BusMessage, EventBus, learner_channel
from sprout.runs.streaming.cursor import LogCursor
from sprout.runs.streaming.follow import catch_up, read_page, reconnect_event, resync_event
from sprout.runs.streaming.poller import LogPoller, Subscription

PAGE = 100  # events of one root run, before the next has its turn
ENDED_RUNS_MAX = 256  # so that a late announcement of a run does not stream it all over again


@dataclass(frozen=True, slots=True)
class TaggedEvent:
    """A message, and with a stored event the stream's cursor after it: `root:seq,root:seq` of the unfinished runs.

    The cursor of a `run_done` still names its own root, so that a cursor is never empty.
    """

    message: BusMessage
    cursor: str = ""


async def multiplex(
    store: RunStore,
    bus: EventBus,
    user_id: str,
    cursors: Mapping[str, int] | None,
    *,
    poller: LogPoller | None = None,
    live: bool = True,
) -> AsyncGenerator[list[TaggedEvent], None]:
    """Batches of messages of the learner's root runs, each run in order, new ones from their first event.

    Unfinished runs that `cursors` does not name are streamed from their start, named ones from their number on, also
    those that have ended; a name that is no root run of the learner is ignored. Ends with `reconnect`.

    Args:
        cursors: by root run the number of the reader's last event; None where they could not be parsed: then a
            `resync` precedes each run.
        poller: shared by the streams of the process; one of its own by default.
        live: whether to continue with live events; else the stream ends after the stored ones, without `reconnect`.
    """
    poller = poller or LogPoller(store)
    try:
        async with bus.tail(learner_channel(user_id)) as tail:
            log_cursors: dict[str, LogCursor] = {}
            subscription = Subscription(tail, log_cursors, poller.stream_deadline_s(), user_id, due=False)
            stream = _LearnerStream(store, bus, subscription, log_cursors, user_id)
            async with poller.polling(subscription):
                events = await stream.open(cursors)
                while not subscription.expired:
                    if events:
                        yield events
                    if not (live or stream.is_behind):
                        return
                    events = await stream.next_batch()
    except BusClosed:
        pass  # after reconnecting, the client gets what is left
    yield [TaggedEvent(reconnect_event())]


class _LearnerStream:
    """One learner's stream: a cursor for each root run, and the queue of those that have to read the log."""

    def __init__(
        self,
        store: RunStore,
        bus: EventBus,
        subscription: Subscription,
        cursors: dict[str, LogCursor],
        user_id: str,
    ) -> None:
        self._store = store
        self._bus = bus
        self._subscription = subscription
        self._cursors = cursors
        self._user_id = user_id
        self._behind: deque[LogCursor] = deque()
        self._positions: dict[str, str] = {}  # by root run: its part of the cursor
        self._ended: dict[str, None] = {}

    async def open(self, cursors: Mapping[str, int] | None) -> list[TaggedEvent]:
        """Add the unfinished runs and those that the cursors name; the events that precede all others."""
        named = cursors or {}
        for root_id, seq in named.items():
            await self._follow_run(root_id, seq)
        for run in await self._store.unfinished_roots(self._user_id):
            await self._add_cursor(run, 0)
        return [TaggedEvent(resync_event(root_id)) for root_id in self._cursors] if cursors is None else []

    @property
    def is_behind(self) -> bool:
        """Whether a log has more to be read."""
        return bool(self._behind)

    async def next_batch(self) -> list[TaggedEvent]:
        """The next events: a page of a log that is behind, each in turn, and live messages. Raises BusClosed."""
        events: list[TaggedEvent] = []
        if self._behind:
            events += await self._read_page(self._behind.popleft())
            self._subscription.tail.interrupt()  # between two pages, take pending messages without waiting for more
        batch = await self._subscription.next_batch()
        if self._subscription.due:
            self._subscription.due = False
            await self._check_logs()
        return events + await self._route(batch)

    async def _read_page(self, cursor: LogCursor) -> list[TaggedEvent]:
        try:
            messages, more = await read_page(self._store, self._bus, cursor, PAGE)
        except NotFound:
            self._remove(cursor)
            return []
        if more and not cursor.at_end:
            self._behind.append(cursor)
        else:
            messages += cursor.accept(await self._bus.snapshots(cursor.root_id))
        return self._tag(cursor, messages)

    async def _check_logs(self) -> None:
        """Find new root runs and logs that have grown, after messages may have been lost."""
        ends = {run.id: run for run in await self._store.unfinished_roots(self._user_id)}
        for cursor in list(self._cursors.values()):
            if cursor.root_id not in ends or ends[cursor.root_id].last_seq > cursor.seq:
                self._enqueue(cursor)
        for run in ends.values():
            await self._add_cursor(run, 0)

    async def _route(self, batch: Sequence[BusMessage]) -> list[TaggedEvent]:
        by_root: dict[str, list[BusMessage]] = {}
        for message in batch:
            by_root.setdefault(message.root_id, []).append(message)
        for message in by_root.pop(learner_channel(self._user_id), ()):
            if message.kind == RUN_ADMITTED:
                await self._follow_run(message.data, 0)
        events: list[TaggedEvent] = []
        for root_id, messages in by_root.items():
            cursor = self._cursors.get(root_id)
            if cursor is None or cursor in self._behind:
                continue  # it has ended, or its log is read anyway
            if cursor.has_gap(messages):
                self._enqueue(cursor)
            else:
                events += self._tag(cursor, await catch_up(cursor, messages, self._bus))
        return events

    async def _follow_run(self, root_id: str, after: int) -> None:
        """Add a root run by its id, if it is the learner's."""
        try:
            run = await self._store.run(root_id, user_id=self._user_id)
        except NotFound:
            return
        if run.id == run.root_id and not (run.ended and after == run.last_seq):
            await self._add_cursor(run, after)

    async def _add_cursor(self, run: Run, after: int) -> None:
        if run.id in self._cursors or run.id in self._ended:
            return
        cursor = self._cursors[run.id] = LogCursor(run.id, seq=after)
        self._positions[run.id] = f"{run.id}:{after}"
        await self._subscription.tail.listen(run.id)
        self._enqueue(cursor)

    def _enqueue(self, cursor: LogCursor) -> None:
        if cursor not in self._behind:
            self._behind.append(cursor)

    def _tag(self, cursor: LogCursor, batch: Sequence[BusMessage]) -> list[TaggedEvent]:
        events = [TaggedEvent(one, self._cursor_after(one) if isinstance(one, StoredEvent) else "") for one in batch]
        if cursor.at_end:
            self._remove(cursor)
        return events

    def _cursor_after(self, event: StoredEvent) -> str:
        self._positions[event.root_id] = f"{event.root_id}:{event.seq}"
        return ",".join(self._positions.values())

    def _remove(self, cursor: LogCursor) -> None:
        self._subscription.tail.unlisten(cursor.root_id)
        del self._cursors[cursor.root_id]
        del self._positions[cursor.root_id]
        self._ended[cursor.root_id] = None
        if len(self._ended) > ENDED_RUNS_MAX:
            del self._ended[next(iter(self._ended))]
