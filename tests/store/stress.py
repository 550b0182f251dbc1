"""Everything that can happen to runs, at once and by chance: workers that die and come back, learners who interrupt.

Usage: python -m tests.store.stress URL SECONDS SEED; URL is of a database that is up to date and may be filled.
Prints what was done how often, and what was refused.
"""

import asyncio
import json
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from harness.builders import (
    RecordingDispatcher,
    a_child,
    a_concept,
    a_question,
    a_reasoning_event,
    a_run,
    a_topic,
    enroll_worker,
    expire_worker,
    unfinished_runs,
)
from sprout.clock import utc_now
from sprout.errors import Conflict
from sprout.events import NodeRow, RunDone, Usage
from sprout.learning.actor import Actor
from sprout.runs.run_store import CallBegun, CallEnded, Checkpoint, Entry, LaneBusy, OnBusy, StoredEvent, WorkerLease
from sprout.runs.state import TERMINAL_STATES, Fenced, Run, RunAlreadyEnded, RunState
from sprout.runs.streaming.bus import BusMessage
from sprout.store.documents.local_storage import LocalStorage
from sprout.store.engine.database import Database, open_database
from sprout.store.paths.paths import SqlPaths
from sprout.store.paths.repository import SqlPathRepository
from sprout.store.runs.repository import SqlRunStore

TOPICS, CONCEPTS, WORKERS = 5, 3, 8
LEAST_RUNS = 30
EXPECTED = (Fenced, RunAlreadyEnded, LaneBusy)
CONFLICTS = ("answered already", "nothing to resume", "still active", "was not begun")


@dataclass
class Story:
    """Concurrent operations on the runs of some topics and their concepts.

    Args:
        databases: one connection to the same database per process.
        published: the events that were published.
        mine: the runs as their workers last saw them, lost ones included.
    """

    databases: Sequence[Database]
    chance: random.Random
    published: list[StoredEvent] = field(default_factory=list)
    done: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    topics: list[NodeRow] = field(default_factory=list)
    concepts: dict[str, list[NodeRow]] = field(default_factory=dict)
    mine: list[Run] = field(default_factory=list)
    claims: list[WorkerLease] = field(default_factory=list)

    @property
    def database(self) -> Database:
        return self.chance.choice(self.databases)

    @property
    def runs(self) -> SqlRunStore:
        """Of any process."""
        return SqlRunStore(self.database, self._hear, RecordingDispatcher())

    @property
    def repositories(self) -> SqlPathRepository:
        return SqlPathRepository(self.database, self._hear, split=lambda _name, _text: [])

    def _hear(self, message: BusMessage) -> None:
        if isinstance(message, StoredEvent):
            self.published.append(message)

    async def begin(self, user_id: str) -> None:
        paths = SqlPaths(self.database, self._hear, storage=LocalStorage(Path("documents")))
        self.topics = [await a_topic(paths, f"Topic {n}", user_id=user_id) for n in range(TOPICS)]
        for topic in self.topics:
            self.concepts[topic.id] = [await a_concept(paths, topic, f"Concept {n}") for n in range(CONCEPTS)]
        self.claims = [await enroll_worker(self.runs, f"{user_id} worker {n}") for n in range(3)]

    @property
    def lanes(self) -> list[str]:
        concepts = [f"concept:{one.id}" for ones in self.concepts.values() for one in ones]
        return [f"topic:{one.id}" for one in self.topics] + concepts

    def one_of_mine(self) -> Run:
        return self.chance.choice(self.mine[-LEAST_RUNS:])

    async def step(self) -> None:
        """Do something by chance. Raises what must not happen."""
        does = self.chance.choices(*_BY_CHANCE)[0] if self.mine else admit
        self.done[does.__name__] += 1
        try:
            await does(self)
        except EXPECTED as error:
            self.refused[type(error).__name__] += 1
        except Conflict as error:
            if not any(words in str(error) for words in CONFLICTS):
                raise
            self.refused[str(error)] += 1

    async def finish(self) -> None:
        """Bring all that is left to its end, as one who is alone."""
        alone = WorkerLease("the last", 30.0, exclusive=True)
        await self.runs.acquire_lease(alone)
        while left := await unfinished_runs(self.runs):
            for run in left:
                if run.state is RunState.WAITING_ON_HUMAN:
                    await self.runs.cancel(run.id)
            for lane in await self.runs.claimable_lanes(alone):
                if (taken := await self.runs.claim(lane, alone)) is not None:
                    await settle_randomly(self, taken)

    async def check(self) -> None:
        """I1, I2, I4, I7 and the order of each lane, when all has ended."""
        by_root: dict[str, list[StoredEvent]] = defaultdict(list)
        for one in self.published:
            by_root[one.root_id].append(one)
        user_id = self.topics[0].user_id
        everyone = await self.runs.runs(user_id=user_id, roots_only=False, limit=1_000_000)
        assert all(run.ended and not run.cut_off for run in everyone)
        for root in (run for run in everyone if run.is_root):
            stored = await self.runs.events(root.id, limit=1_000_000)
            assert [one.seq for one in stored] == list(range(1, root.last_seq + 1)), "I2"
            assert sorted(by_root[root.id], key=lambda one: one.seq) == stored, "I1"
            ends = [one for one in stored if one.kind == "run_done"]
            assert ends == stored[-1:], "I4"
            assert json.loads(ends[0].data)["status"] == root.state
        for lane in self.lanes:
            assert_in_order([run for run in reversed(everyone) if run.lane == lane])


def assert_in_order(of_a_lane: Sequence[Run]) -> None:
    """I7, R1: they began in the order in which they came, each after the end of the one before."""
    started = [run for run in of_a_lane if run.started_at is not None]
    for earlier, later in pairwise(started):
        assert earlier.ended_at is not None
        assert later.started_at is not None
        assert earlier.ended_at <= later.started_at


async def admit(story: Story) -> None:
    chance, topic = story.chance, story.chance.choice(story.topics)
    run = a_run(topic)
    if chance.random() < 0.4:
        concept = chance.choice(story.concepts[topic.id])
        run = a_run(concept, lane=f"concept:{concept.id}")
    claim = chance.choice(story.claims) if chance.random() < 0.7 else None
    story.mine.append((await story.runs.admit(run, on_busy=chance.choice(list(OnBusy)), lease=claim)).run)


async def admit_child(story: Story) -> None:
    parent = story.one_of_mine()
    if parent.node_id in story.concepts:
        child = a_child(parent, story.chance.choice(story.concepts[parent.node_id]), root_id=parent.root_id)
        on_busy = story.chance.choice([OnBusy.ATTACH, OnBusy.ENQUEUE])
        admission = await story.runs.admit(child, on_busy=on_busy, lease=story.chance.choice(story.claims))
        story.mine.append(admission.run)


async def claim(story: Story) -> None:
    run = await story.runs.claim(story.chance.choice(story.lanes), story.chance.choice(story.claims))
    if run is not None:
        story.mine.append(run)


async def sweep(story: Story) -> None:
    worker = story.chance.choice(story.claims)
    for lane in await story.runs.claimable_lanes(worker):
        if (run := await story.runs.claim(lane, worker)) is not None:
            story.mine.append(run)


async def append(story: Story) -> None:
    sorts: list[list[Entry]] = [
        [a_reasoning_event()],
        [CallBegun("c", "save", "{}", "write"), CallEnded("c", "saved", is_error=False, attempts=1)],
        [Checkpoint("llm_response", 1), a_reasoning_event()],
    ]
    await story.runs.append(story.one_of_mine(), story.chance.choice(sorts))


async def edit(story: Story) -> None:
    run, n = story.one_of_mine(), story.chance.randrange(1_000_000_000)
    await story.runs.append(run, [CallBegun(f"e{n}", "save", "{}", "write")])
    actor = Actor(run.user_id, run.label, run.id, run.root_id, f"e{n}", epoch=run.epoch)
    parent = run.node_id if run.node_id in story.concepts else story.topics[0].id
    await story.repositories.edit_graph(parent, lambda graph: graph.add(f"Saved {n}", None, utc_now()), actor=actor)


async def pause(story: Story) -> None:
    story.mine.append(await story.runs.pause(story.one_of_mine(), a_question(), [Checkpoint("human_pause", 1)]))


async def answer(story: Story) -> None:
    story.mine.append(await story.runs.answer(story.one_of_mine(), [a_reasoning_event()], []))


async def cancel(story: Story) -> None:
    await story.runs.cancel(story.one_of_mine().id)


async def settle(story: Story) -> None:
    await settle_randomly(story, story.one_of_mine())


async def settle_randomly(story: Story, run: Run) -> None:
    state = story.chance.choice(list(TERMINAL_STATES))
    closing: list[Entry] = [RunDone(status=TERMINAL_STATES[state], reason="end", usage=Usage())] if run.is_root else []
    await story.runs.settle(run, state, reason="end", usage=Usage(), error=None, entries=closing)


async def abandon(story: Story) -> None:
    await story.runs.release_run(story.one_of_mine(), crashed=True)


async def offer(story: Story) -> None:
    await story.runs.request_resume(await story.runs.run(story.one_of_mine().id))


async def discard(story: Story) -> None:
    await story.runs.discard(await story.runs.run(story.one_of_mine().id))


async def die(story: Story) -> None:
    await expire_worker(story.database, story.chance.choice(story.claims))


async def renew(story: Story) -> None:
    await story.runs.renew_lease(story.chance.choice(story.claims))


async def release(story: Story) -> None:
    worker = story.chance.choice(story.claims)
    await story.runs.release_lease(worker)
    await story.runs.acquire_lease(worker)


_CHANCES: dict[Callable[[Story], Awaitable[None]], int] = {
    admit: 8,
    admit_child: 8,
    claim: 4,
    sweep: 4,
    append: 12,
    edit: 4,
    pause: 5,
    answer: 5,
    cancel: 3,
    settle: 10,
    abandon: 2,
    offer: 1,
    discard: 1,
    die: 2,
    renew: 2,
    release: 1,
}
_BY_CHANCE = (list(_CHANCES), list(_CHANCES.values()))


async def happen(story: Story, *, go_on: Callable[[], bool]) -> None:
    """Let it all happen, several things at once, as long as this says so; then end it and check it."""

    async def work() -> None:
        while go_on():
            await story.step()

    async with asyncio.TaskGroup() as tasks:
        for _ in range(WORKERS):
            tasks.create_task(work())
    await story.finish()
    await story.check()


@asynccontextmanager
async def processes(url: str) -> AsyncIterator[Sequence[Database]]:
    """The database as several processes have it, where several can have it."""
    async with AsyncExitStack() as stack:
        several = 1 if url.startswith("sqlite") else 2
        yield [await stack.enter_async_context(open_database(url)) for _ in range(several)]


async def main(url: str, seconds: float, seed: int) -> None:
    async with processes(url) as databases:
        story = Story(databases, random.Random(seed))
        await story.begin(f"stress {seed} {time.time()}")
        until = time.monotonic() + seconds
        await happen(story, go_on=lambda: time.monotonic() < until)
    sys.stdout.write(f"{story.done.total()} done: {dict(story.done)}\nrefused: {dict(story.refused)}\n")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3])))
