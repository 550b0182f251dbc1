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

from sprout.engines.memory_bus import MemoryBus
from sprout.events import Event, Guardrail, NodeRow, ReasoningDelta, RunResumed, wire_data
from sprout.learning.paths.library import DEFAULT_USER_ID
from sprout.runs.bus import RUN_ADMITTED, EventBus, News, Passing, Tail, learner_channel
from sprout.runs.follow import followed
from sprout.runs.log import LogEnd, Logged
from sprout.runs.multiplex import Told, multiplexed
from sprout.runs.state import Run
from sprout.runs.watch import LogWatch
from sprout.runs.writer import Flights
from sprout.store.database import Database
from sprout.store.files import Files
from sprout.store.library import SqlLibrary
from sprout.store.runs import SqlRunStore
from tests.builders import NotedWakeUps, a_run, a_topic, ended, started

ENOUGH_S = 20.0

T = TypeVar("T")


class Deaf:
    """A bus that tells nothing, as one whose server is down."""

    def __init__(self) -> None:
        self._bus = MemoryBus()

    def publish(self, news: News) -> None:
        """Lose it."""

    def recent(self, root_id: str, cursor: int) -> Sequence[Logged]:
        return self._bus.recent(root_id, cursor)

    def tail(self, channel: str) -> AbstractAsyncContextManager[Tail]:
        return self._bus.tail(channel)

    def close(self) -> None:
        self._bus.close()


class Unreliable(Deaf):
    """A bus that loses, doubles and repeats by chance."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._chance = random.Random(seed)
        self._before: list[News] = []

    def publish(self, news: News) -> None:
        self._before = [*self._before[-20:], news]
        for _ in range(self._chance.choice((0, 1, 1, 1, 2))):
            self._bus.publish(news)
        if self._chance.random() < 0.1:
            self._bus.publish(self._chance.choice(self._before))


@dataclass
class Streams:
    """A store whose news goes over `bus`, and the streams of it."""

    store: SqlRunStore
    library: SqlLibrary
    bus: EventBus
    watch: LogWatch
    flights: Flights = field(default_factory=Flights)

    async def a_run(self, user_id: str = DEFAULT_USER_ID) -> Run:
        """A root run that has begun, in a topic of its own; its learner is told of it."""
        node = await a_topic(self.library, f"Topic {random.random()}", user_id=user_id)
        run = await begun(self.store, node)
        self.bus.publish(Passing(learner_channel(user_id), RUN_ADMITTED, run.id))
        return run

    async def say(self, run: Run, *events: Event) -> None:
        await self.store.append(run, events)

    def grow(self, run: Run, block_id: str, text: str) -> None:
        """Tell more text of a block in flight, as the carrier of the run does."""
        delta = ReasoningDelta(agent=run.label, run_id=run.id, block_id=block_id, text=text)
        offset = self.flights.grown(run.root_id, block_id, delta, run)
        self.bus.publish(Passing(run.root_id, delta.kind, wire_data(delta), block_id, offset, len(text)))

    def follow(self, run: Run, after: int = 0) -> AsyncGenerator[list[News], None]:
        return followed(self.store, self.bus, self.flights, run.root_id, after, watch=self.watch)

    def follow_all(self, cursor: str | None = "", user_id: str = DEFAULT_USER_ID) -> AsyncGenerator[list[Told], None]:
        """The learner's stream after a cursor as it stands in an id; None for one that cannot be read."""
        cursors = None if cursor is None else cursors_in(cursor)
        return multiplexed(self.store, self.bus, self.flights, user_id, cursors, watch=self.watch)

    async def log(self, run: Run) -> list[Logged]:
        return await self.store.events(run.root_id, limit=10_000)


async def begun(store: SqlRunStore, node: NodeRow, *events: Event) -> Run:
    """A root run on the node that is running, with these events after its first."""
    run = await started(store, a_run(node))
    await store.append(run, events)
    return run


def streams(database: Database, folder: Path, bus: EventBus, *, every_s: float = 0.01, life_s: float = 3600) -> Streams:
    """On this database, with a look at the log as often as given."""
    store = SqlRunStore(database, bus.publish, NotedWakeUps())
    library = SqlLibrary(database, bus.publish, files=Files(folder))
    return Streams(store, library, bus, LogWatch(store, every_s=every_s, life_s=life_s))


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


def by_root(told: Sequence[Told]) -> dict[str, list[Logged]]:
    """What was stored of the news, by root run."""
    found: dict[str, list[Logged]] = {}
    for one in told:
        if isinstance(one.news, Logged):
            found.setdefault(one.news.root_id, []).append(one.news)
    return found


def logged(news: Sequence[News]) -> list[Logged]:
    return [one for one in news if isinstance(one, Logged)]


def text_of(news: Sequence[News], block_id: str) -> str | None:
    """The text of a block as a page shows it that takes the news as it comes; None where it shows none."""
    shown: str | None = None
    for one in news:
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


async def many_ended(here: Streams, runs: Sequence[Run], events: int) -> None:
    """Fill the logs of some runs in turn, then end them."""
    for number in range(events):
        for run in runs:
            await here.say(run, something(number))
    for run in runs:
        await ended(here.store, run)


class CountedStore(SqlRunStore):
    """A store that counts what streams ask of it, and can be made to fail."""

    def __init__(self, database: Database, bus: EventBus) -> None:
        super().__init__(database, bus.publish, NotedWakeUps())
        self.asked: Counter[str] = Counter()
        self.fails: Exception | None = None

    async def looks(self, count: int) -> None:
        """Wait until as many more looks at the ends of logs are over."""
        enough = self.asked["looks"] + count
        await until(lambda: self.asked["looks"] > enough)

    async def log_ends(self, root_ids: Collection[str], user_ids: Collection[str]) -> list[LogEnd]:
        self.asked["looks"] += 1
        if self.fails is not None:
            raise self.fails
        return await super().log_ends(root_ids, user_ids)

    async def events(self, root_id: str, *, after: int = 0, limit: int = 500) -> list[Logged]:
        self.asked[root_id] += 1
        return await super().events(root_id, after=after, limit=limit)


def on_counted_store(here: Streams, database: Database, every_s: float) -> tuple[Streams, CountedStore]:
    store = CountedStore(database, here.bus)
    return replace(here, store=store, watch=LogWatch(store, every_s=every_s)), store
