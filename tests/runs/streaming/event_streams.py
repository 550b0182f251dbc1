"""Streams of runs on a real store: buses that lose and double, and runs that a test fills by hand."""

import asyncio
import json
import random
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from harness.builders import RecordingDispatcher, a_run, a_topic, end_run, start_run
from sprout.engines.memory_bus import MemoryBus
from sprout.events import Event, Guardrail, NodeRow, ReasoningDelta, RunResumed, wire_data
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.runs.run_store import LogEnd, StoredEvent
from sprout.runs.state import Run
from sprout.runs.streaming.bus import RUN_ADMITTED, BusMessage, EphemeralEvent, EventBus, Tail, learner_channel
from sprout.runs.streaming.follow import follow
from sprout.runs.streaming.in_flight import InFlightBlocks
from sprout.runs.streaming.multiplex import TaggedEvent, multiplex
from sprout.runs.streaming.poller import LogPoller
from sprout.store.documents.local_storage import LocalStorage
from sprout.store.engine.database import Database
from sprout.store.paths.paths import SqlPaths
from sprout.store.runs.repository import SqlRunStore

ENOUGH_S = 20.0

T = TypeVar("T")


class SilentBus:
    """A bus that tells nothing, as one whose server is down."""

    def __init__(self) -> None:
        self._bus = MemoryBus()

    def publish(self, message: BusMessage) -> None:
        """Lose it."""

    async def snapshots(self, root_id: str) -> Sequence[EphemeralEvent]:
        return await self._bus.snapshots(root_id)

    def drop_blocks(self, root_id: str, run_id: str) -> None:
        self._bus.drop_blocks(root_id, run_id)

    def recent(self, root_id: str, cursor: int) -> Sequence[StoredEvent]:
        return self._bus.recent(root_id, cursor)

    def tail(self, channel: str) -> AbstractAsyncContextManager[Tail]:
        return self._bus.tail(channel)

    def close(self) -> None:
        self._bus.close()


class UnreliableBus(SilentBus):
    """A bus that loses, doubles and repeats by chance; its blocks in flight are whole."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._chance = random.Random(seed)
        self._before: list[BusMessage] = []
        self._in_flight = InFlightBlocks()

    async def snapshots(self, root_id: str) -> Sequence[EphemeralEvent]:
        return self._in_flight.snapshots(root_id)

    def publish(self, message: BusMessage) -> None:
        self._in_flight.apply(message)
        self._before = [*self._before[-20:], message]
        for _ in range(self._chance.choice((0, 1, 1, 1, 2))):
            self._bus.publish(message)
        if self._chance.random() < 0.1:
            self._bus.publish(self._chance.choice(self._before))


@dataclass
class EventStreams:
    """A store whose news goes over `bus`, and the streams of it."""

    store: SqlRunStore
    paths: SqlPaths
    bus: EventBus
    poller: LogPoller
    block_lengths: Counter[str] = field(default_factory=Counter)

    async def a_run(self, user_id: str = DEFAULT_USER_ID) -> Run:
        """A root run that has begun, in a topic of its own; its learner is told of it."""
        node = await a_topic(self.paths, f"Topic {random.random()}", user_id=user_id)
        run = await running_run(self.store, node)
        self.bus.publish(EphemeralEvent(learner_channel(user_id), RUN_ADMITTED, run.id))
        return run

    async def append(self, run: Run, *events: Event) -> None:
        await self.store.append(run, events)

    def publish_delta(self, run: Run, block_id: str, text: str) -> None:
        """Tell more text of a block in flight, as the worker of the run does."""
        delta = ReasoningDelta(agent=run.label, run_id=run.id, block_id=block_id, text=text)
        block = f"{run.epoch}:{block_id}"
        offset, data = self.block_lengths[block], wire_data(delta)
        self.block_lengths[block] += len(text)
        self.bus.publish(EphemeralEvent(run.root_id, delta.kind, data, block_id, offset, len(text), run.id, run.epoch))

    def follow(self, run: Run, after: int = 0) -> AsyncGenerator[list[BusMessage], None]:
        return follow(self.store, self.bus, run.root_id, after, poller=self.poller)

    def follow_all(
        self, cursor: str | None = "", user_id: str = DEFAULT_USER_ID
    ) -> AsyncGenerator[list[TaggedEvent], None]:
        """The learner's stream after a cursor as it stands in an id; None for one that cannot be read."""
        cursors = None if cursor is None else cursors_in(cursor)
        return multiplex(self.store, self.bus, user_id, cursors, poller=self.poller)

    async def log(self, run: Run) -> list[StoredEvent]:
        return await self.store.events(run.root_id, limit=10_000)


async def running_run(store: SqlRunStore, node: NodeRow, *events: Event) -> Run:
    """A root run on the node that is running, with these events after its first."""
    run = await start_run(store, a_run(node))
    await store.append(run, events)
    return run


def event_streams(
    database: Database, folder: Path, bus: EventBus, *, every_s: float = 0.01, life_s: float = 3600
) -> EventStreams:
    """On this database, with a look at the log as often as given."""
    store = SqlRunStore(database, bus.publish, RecordingDispatcher())
    paths = SqlPaths(database, bus.publish, storage=LocalStorage(folder))
    return EventStreams(store, paths, bus, LogPoller(store, interval_s=every_s, lifetime_s=life_s))


def cursors_in(cursor: str) -> dict[str, int]:
    return {root: int(seq) for root, _, seq in (place.partition(":") for place in cursor.split(",") if place)}


async def all_of(batches: AsyncGenerator[list[T], None]) -> list[T]:
    """Everything, to the end of the stream."""
    async with asyncio.timeout(ENOUGH_S), aclosing(batches):
        return [one async for batch in batches for one in batch]


async def next_of(batches: AsyncIterator[list[T]], count: int) -> list[T]:
    """The next pieces, at least so many, of a stream that goes on."""
    got: list[T] = []
    async with asyncio.timeout(ENOUGH_S):
        while len(got) < count:
            got += await anext(batches)
    return got


async def collect(batches: AsyncGenerator[list[T], None], into: list[T]) -> None:
    """Put everything into a list, to the end of the stream or until cancelled."""
    async with aclosing(batches):
        async for batch in batches:
            into += batch


async def until(true: Callable[[], bool]) -> None:
    """Return once it holds, which other tasks see to."""
    async with asyncio.timeout(ENOUGH_S):
        while not true():
            await asyncio.sleep(0)


def by_root(events: Sequence[TaggedEvent]) -> dict[str, list[StoredEvent]]:
    """Stored events among the tagged ones, by root run."""
    found: dict[str, list[StoredEvent]] = {}
    for one in events:
        if isinstance(one.message, StoredEvent):
            found.setdefault(one.message.root_id, []).append(one.message)
    return found


def stored_events(messages: Sequence[BusMessage]) -> list[StoredEvent]:
    return [one for one in messages if isinstance(one, StoredEvent)]


def text_of(messages: Sequence[BusMessage], block_id: str) -> str | None:
    """The text of a block as a page shows it that takes the news as it comes; None where it shows none."""
    shown: str | None = None
    for one in messages:
        data = json.loads(one.data)
        if one.kind == "run_resumed":
            shown = None
        elif data.get("blockId") == block_id:
            shown = (shown or "") + data["text"] if one.kind.endswith("_delta") else data["text"]
    return shown


def something(number: int = 1) -> Event:
    return Guardrail(level=number, tool=None, noticed="something 🌱\nelse")


def resumed(attempt: int = 1) -> Event:
    return RunResumed(attempt=attempt, cause="cut_off")


async def fill_and_end(here: EventStreams, runs: Sequence[Run], events: int) -> None:
    """Fill the logs of some runs in turn, then end them."""
    for number in range(events):
        for run in runs:
            await here.append(run, something(number))
    for run in runs:
        await end_run(here.store, run)


class CountedStore(SqlRunStore):
    """A store that counts what streams ask of it, and can be made to fail."""

    def __init__(self, database: Database, bus: EventBus) -> None:
        super().__init__(database, bus.publish, RecordingDispatcher())
        self.asked: Counter[str] = Counter()
        self.fails: Exception | None = None

    async def wait_for_polls(self, count: int) -> None:
        """Wait until as many more looks at the ends of logs are over."""
        enough = self.asked["looks"] + count
        await until(lambda: self.asked["looks"] > enough)

    async def log_ends(self, root_ids: Collection[str], user_ids: Collection[str]) -> list[LogEnd]:
        self.asked["looks"] += 1
        if self.fails is not None:
            raise self.fails
        return await super().log_ends(root_ids, user_ids)

    async def events(self, root_id: str, *, after: int = 0, limit: int = 500) -> list[StoredEvent]:
        self.asked[root_id] += 1
        return await super().events(root_id, after=after, limit=limit)


def on_counted_store(here: EventStreams, database: Database, every_s: float) -> tuple[EventStreams, CountedStore]:
    store = CountedStore(database, here.bus)
    return replace(here, store=store, poller=LogPoller(store, interval_s=every_s)), store
