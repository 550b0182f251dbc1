"""Contract of every Dispatcher (runs.md, who carries the work; traps 72, 73)."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from harness.builders import a_run, a_topic
from sprout.engines.asyncio_dispatcher import AsyncioDispatcher
from sprout.engines.memory_bus import MemoryBus
from sprout.engines.procrastinate_dispatcher import ProcrastinateDispatcher
from sprout.runs.dispatcher import Dispatcher, Transaction
from sprout.runs.run_store import KeyReused, RequestKey
from sprout.store.documents.local_storage import LocalStorage
from sprout.store.engine.database import Database, open_database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.engine.urls import libpq_url
from sprout.store.paths.paths import SqlPaths
from sprout.store.runs.repository import SqlRunStore
from tests.runs.scripted_agents import drain_event_loop

LONGEST_S = 10.0


class Worker:
    """Notes which lanes it advances; each advance takes until it is let go, if it is told to hold them."""

    def __init__(self) -> None:
        self.advanced: list[str] = []
        self.at_once = 0
        self.most_at_once = 0
        self.looked: list[str] = []
        self.released = asyncio.Event()
        self.released.set()
        self._changed = asyncio.Event()

    async def advance(self, lane: str) -> None:
        self.advanced.append(lane)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        self._changed.set()
        await self.released.wait()
        self.at_once -= 1

    async def until_advanced(self, times: int) -> None:
        async with asyncio.timeout(LONGEST_S):
            while len(self.advanced) < times:
                await self._changed.wait()
                self._changed.clear()


class Job:
    """A job that fails the first time."""

    def __init__(self, *, fails: int = 1) -> None:
        self.done = 0
        self.enough = asyncio.Event()
        self._fails = fails

    async def __call__(self) -> None:
        self.done += 1
        if self.done > self._fails + 2:
            self.enough.set()
        if self.done <= self._fails:
            raise RuntimeError("the first time goes wrong")


class RolledBack(Exception):
    """A transaction is rolled back."""


@dataclass(frozen=True, slots=True)
class Wakeups:
    """Wake-ups from transactions of a database, and the dispatcher that brings them."""

    dispatcher: Dispatcher
    database: Database

    async def lane(self, lane: str) -> None:
        await self.database.write_tx(lambda tx: self.dispatcher.wake_lane(lane, tx))

    async def run(self, run_id: str) -> None:
        await self.database.write_tx(lambda tx: self.dispatcher.wake_run(run_id, tx))

    async def rolled_back(self, lane: str) -> None:
        def body(tx: WriteTransaction) -> None:
            self.dispatcher.wake_lane(lane, tx)
            raise RolledBack

        with pytest.raises(RolledBack):
            await self.database.write_tx(body)


@pytest.fixture(params=[("asyncio", "sqlite"), ("asyncio", "postgres"), ("procrastinate", "postgres")], ids="-".join)
async def wake(request: pytest.FixtureRequest) -> AsyncIterator[Wakeups]:
    engine, server = request.param
    url = request.getfixturevalue(f"{server}_url")
    async with open_database(url) as database:
        if engine == "asyncio":
            yield Wakeups(AsyncioDispatcher(), database)
        else:
            yield Wakeups(ProcrastinateDispatcher(libpq_url(url), places=8), database)


async def test_trap_72_a_lane_is_woken_by_what_is_committed_alone(wake: Wakeups) -> None:
    worker = Worker()
    async with wake.dispatcher.running(worker.advance, worker.looked.append):
        await wake.rolled_back("topic:2")
        await wake.lane("topic:1")
        await worker.until_advanced(1)
    assert worker.advanced == ["topic:1"]


async def test_B4_doubled_wake_ups_are_none_too_many(wake: Wakeups) -> None:
    worker = Worker()
    async with wake.dispatcher.running(worker.advance, worker.looked.append):
        for _ in range(10):
            await wake.lane("topic:1")
        await worker.until_advanced(1)
    assert 1 <= len(worker.advanced) <= 10


async def test_a_wake_up_while_the_lane_is_advanced_has_it_advanced_once_more(wake: Wakeups) -> None:
    worker = Worker()
    worker.released.clear()
    async with wake.dispatcher.running(worker.advance, worker.looked.append):
        await wake.lane("topic:1")
        await worker.until_advanced(1)
        await wake.lane("topic:1")
        worker.released.set()
        await worker.until_advanced(2)
    assert worker.advanced == ["topic:1", "topic:1"]


async def test_a_wake_up_while_an_advance_fails_is_not_lost(wake: Wakeups, caplog: pytest.LogCaptureFixture) -> None:
    worker, failing = Worker(), asyncio.Event()
    fails = [True]

    async def advance(lane: str) -> None:
        await worker.advance(lane)
        if fails.pop() if fails else False:
            await failing.wait()
            raise RuntimeError("the database is away")

    async with wake.dispatcher.running(advance, worker.looked.append):
        await wake.lane("topic:1")
        await worker.until_advanced(1)
        await wake.lane("topic:1")
        failing.set()
        await worker.until_advanced(2)
    assert "agent_run.dispatch_next_failed" in caplog.text


async def test_lanes_are_advanced_at_the_same_time(wake: Wakeups) -> None:
    worker = Worker()
    worker.released.clear()
    async with wake.dispatcher.running(worker.advance, worker.looked.append):
        await wake.lane("topic:1")
        await wake.lane("topic:2")
        await worker.until_advanced(2)
        assert worker.at_once == 2
        worker.released.set()


async def test_lanes_that_a_sweep_has_found_are_advanced(wake: Wakeups) -> None:
    worker = Worker()
    lanes = ["conversation:1", "topic:1", "topic:2"]
    async with wake.dispatcher.running(worker.advance, worker.looked.append):
        await wake.dispatcher.advance_all([])
        await wake.dispatcher.advance_all(lanes)
        await worker.until_advanced(3)
    assert sorted(worker.advanced) == lanes


async def test_a_wakeup_has_the_run_refreshed(wake: Wakeups) -> None:
    worker, looked = Worker(), asyncio.Event()

    def look(run_id: str) -> None:
        worker.looked.append(run_id)
        looked.set()

    async with wake.dispatcher.running(worker.advance, look), asyncio.timeout(LONGEST_S):
        while not looked.is_set():  # a notification reaches who listens already
            await wake.run("run")
            await asyncio.sleep(0)
    assert set(worker.looked) == {"run"}


async def test_a_job_that_fails_is_done_again_at_its_next_time(wake: Wakeups, caplog: pytest.LogCaptureFixture) -> None:
    worker, job, other = Worker(), Job(), Job(fails=0)
    async with wake.dispatcher.running(worker.advance, worker.looked.append):
        wake.dispatcher.every(0.001, job)
        wake.dispatcher.every(0.001, other)
        await asyncio.wait_for(job.enough.wait(), LONGEST_S)
        await asyncio.wait_for(other.enough.wait(), LONGEST_S)
    assert "job.failed" in caplog.text


async def test_at_its_end_everything_under_way_has_ended_and_nothing_more_begins(wake: Wakeups) -> None:
    worker, job = Worker(), Job()
    before = asyncio.all_tasks()
    worker.released.clear()
    async with wake.dispatcher.running(worker.advance, worker.looked.append):
        wake.dispatcher.every(0.001, job)
        await wake.lane("topic:1")
        await worker.until_advanced(1)
        asyncio.get_running_loop().call_soon(worker.released.set)
    assert worker.at_once == 0
    done = job.done
    await wake.lane("topic:1")
    await wake.run("run")
    await drain_event_loop()
    assert (worker.advanced, worker.looked, job.done) == (["topic:1"], [], done)
    async with asyncio.timeout(LONGEST_S):
        while not asyncio.all_tasks() <= before:  # other servers of this process have some of their own
            await asyncio.sleep(0)


async def test_once_it_is_stopped_no_lane_is_advanced(wake: Wakeups) -> None:
    worker = Worker()
    async with wake.dispatcher.running(worker.advance, worker.looked.append):
        wake.dispatcher.stop()
        await wake.lane("topic:1")
        await drain_event_loop()
    assert worker.advanced == []


class TableDispatcher(AsyncioDispatcher):
    """A dispatcher whose wake-ups are rows in the database of the runs."""

    def wake_lane(self, lane: str, transaction: Transaction) -> None:
        assert isinstance(transaction.connection, Connection)
        transaction.connection.execute(text("insert into wakeups (lane) values (:lane)"), {"lane": lane})


async def test_a_dispatcher_joins_the_transaction_that_admits_a_run(database: Database, data_dir: Path) -> None:
    bus, table = MemoryBus(), TableDispatcher()

    async def wakeups() -> list[str]:
        return await database.read_tx(
            lambda connection: [*connection.execute(text("select lane from wakeups")).scalars()]
        )

    def admit_and_fail(write: WriteTransaction) -> None:
        table.wake_lane("another lane", write)
        raise KeyReused

    await database.write_tx(lambda write: write.connection.execute(text("create table wakeups (lane text)")))
    try:
        store = SqlRunStore(database, bus.publish, table)
        run = a_run(await a_topic(SqlPaths(database, bus.publish, storage=LocalStorage(data_dir))))
        await store.admit(run, key=RequestKey("key", "digest"))
        with pytest.raises(KeyReused):
            await database.write_tx(admit_and_fail)
        assert await wakeups() == [run.lane]
    finally:
        await database.write_tx(lambda write: write.connection.execute(text("drop table wakeups")))
