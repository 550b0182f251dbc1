"""What the dispatcher on Procrastinate promises beyond the contract of `tests/runs/test_dispatcher.py` (scale.md)."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import psycopg
import pytest

from sprout.engines.procrastinate_dispatcher import ProcrastinateDispatcher
from sprout.store.engine.database import Database, open_database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.engine.urls import libpq_url
from tests.runs.scripted_agents import drain_event_loop

LONGEST_S = 20.0
BURST = 300


@dataclass(slots=True)
class Carrier:
    """A worker whose runs hold their places until they are let go."""

    advanced: list[str] = field(default_factory=list)
    places: dict[str, asyncio.Event] = field(default_factory=dict)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    async def advance(self, lane: str) -> asyncio.Event:
        self.advanced.append(lane)
        self.places[lane] = asyncio.Event()
        self._changed.set()
        return self.places[lane]

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(LONGEST_S):
            while not condition():
                self._changed.clear()
                await self._changed.wait()

    async def until_advanced(self, *lanes: str) -> None:
        await self.until(lambda: {*lanes} <= {*self.advanced})

    def let_all_go(self) -> None:
        for place in self.places.values():
            place.set()


@dataclass(frozen=True, slots=True)
class Queue:
    """The job queue of a database."""

    url: str
    database: Database

    def dispatcher(self, places: int = 4, **options: object) -> ProcrastinateDispatcher:
        return ProcrastinateDispatcher(libpq_url(self.url), places=places, **options)  # type: ignore[arg-type]

    @asynccontextmanager
    async def worker(self, places: int = 4) -> AsyncIterator[Carrier]:
        carrier = Carrier()
        async with self.dispatcher(places).running(carrier.advance, lambda _: None):
            try:
                yield carrier
            finally:
                carrier.let_all_go()

    async def wake(self, *lanes: str) -> None:
        web = self.dispatcher(0)
        for lane in lanes:
            await self.database.write_tx(lambda tx, lane=lane: web.wake_lane(lane, tx))  # type: ignore[misc]

    def workers(self) -> int:
        """How many workers are registered."""
        with psycopg.connect(self.url) as connection:
            return len(connection.execute("select id from procrastinate_workers").fetchall())

    def jobs(self) -> list[tuple[str, str]]:
        """Lane and state of every job, in their order."""
        with psycopg.connect(self.url) as connection:
            return connection.execute(
                "select args ->> 'lane', status::text from procrastinate_jobs order by id"
            ).fetchall()


@pytest.fixture
async def queue(postgres_url: str) -> AsyncIterator[Queue]:
    async with open_database(postgres_url) as database:
        yield Queue(postgres_url, database)


async def test_a_lesson_is_served_while_growth_fills_the_places(queue: Queue) -> None:
    await queue.wake(*(f"topic:{n}" for n in range(10)))
    async with queue.worker(places=4) as carrier:
        await carrier.until(lambda: len(carrier.advanced) == 3)
        await queue.wake("conversation:1")
        await carrier.until_advanced("conversation:1")
        assert len(carrier.advanced) == 4, "of four places one is kept for lessons"


async def test_a_place_that_becomes_free_is_given_to_a_lesson_first(queue: Queue) -> None:
    await queue.wake(*(f"topic:{n}" for n in range(5)), "conversation:1", "child:conversation:2:grade", "grading:3")
    async with queue.worker(places=2) as carrier:
        await carrier.until(lambda: len(carrier.advanced) == 2)
        first = set(carrier.advanced)
        assert not any(lane.startswith("topic:") for lane in first)
        carrier.let_all_go()
        await carrier.until_advanced("conversation:1", "child:conversation:2:grade", "grading:3")
        growing = [lane for lane in carrier.advanced if lane.startswith("topic:")]
        assert len(growing) <= 1, "only where the place that is for lessons alone has taken the last of them"


async def test_B7_a_run_that_only_waits_gives_its_place_to_those_it_waits_for(queue: Queue) -> None:
    async with queue.worker(places=2) as carrier:
        await queue.wake("topic:1", "concept:1", "concept:2")
        await carrier.until_advanced("topic:1")
        await drain_event_loop()
        assert carrier.advanced == ["topic:1"], "growth has one place of the two"
        carrier.places["topic:1"].set()
        await carrier.until_advanced("concept:1")


async def test_a_lane_that_is_woken_while_a_worker_leaves_is_advanced_by_another(queue: Queue) -> None:
    leaving, staying = Carrier(), Carrier()
    one, other = queue.dispatcher(), queue.dispatcher()
    async with one.running(leaving.advance, lambda _: None):
        one.stop()
        await queue.wake("topic:1", "conversation:1")
    assert queue.workers() == 0, "it has said goodbye"
    async with other.running(staying.advance, lambda _: None):
        await staying.until_advanced("topic:1", "conversation:1")
        staying.let_all_go()
    assert leaving.advanced == []


async def test_a_worker_goes_when_it_is_asked_to_in_the_middle_of_what_it_hears(queue: Queue) -> None:
    web = queue.dispatcher(0)

    def wake_many(tx: WriteTransaction) -> None:
        for number in range(BURST):
            web.wake_run(f"{number}", tx)

    for _ in range(5):
        heard, worker = asyncio.Event(), queue.dispatcher()
        async with asyncio.timeout(LONGEST_S), worker.running(Carrier().advance, lambda _, heard=heard: heard.set()):  # type: ignore[misc]
            while not heard.is_set():
                await queue.database.write_tx(wake_many)


async def test_the_jobs_of_a_killed_worker_are_put_back_and_none_is_left(queue: Queue) -> None:
    await queue.wake("topic:1")
    with psycopg.connect(queue.url, autocommit=True) as connection:
        connection.execute("insert into procrastinate_workers (last_heartbeat) values (now() - interval '1 hour')")
        connection.execute(
            "update procrastinate_jobs set status = 'doing', worker_id = (select max(id) from procrastinate_workers)"
        )
    carrier = Carrier()
    async with queue.dispatcher(stalled_s=0.5).running(carrier.advance, lambda _: None):
        await carrier.until_advanced("topic:1")
        carrier.let_all_go()
    assert queue.jobs() == []


async def test_B4_a_sweep_wakes_no_lane_that_has_a_job_already(queue: Queue) -> None:
    await queue.wake("topic:1")
    stopped = queue.dispatcher()
    async with stopped.running(Carrier().advance, lambda _: None):
        stopped.stop()
        for _ in range(3):
            await stopped.advance_all(["topic:1", "conversation:1"])
    assert sorted(queue.jobs()) == [("conversation:1", "todo"), ("topic:1", "todo")]


DEFER = """
    select procrastinate_defer_jobs_v1(array[
        row('growth', %s, 0, null, null, %s::jsonb, null)::procrastinate_job_to_defer_v1
    ])
"""


async def test_X6_jobs_of_an_older_and_of_a_newer_program_advance_their_lanes(queue: Queue) -> None:
    """As the first release has written them, and with a field that this one does not know."""
    with psycopg.connect(queue.url) as connection:
        connection.execute(DEFER, ["advance_lane", '{"lane": "topic:older"}'])
        connection.execute(DEFER, ["advance_lane", '{"lane": "topic:newer", "added": {"later": 1}}'])
    async with queue.worker() as carrier:
        await carrier.until_advanced("topic:older", "topic:newer")


@pytest.mark.parametrize("job", [("unknown_task", '{"lane": "topic:1"}'), ("advance_lane", '{"of": "nobody"}')])
async def test_X6_a_job_that_is_not_understood_ends_with_a_line_and_holds_nobody_up(
    queue: Queue, job: tuple[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    with psycopg.connect(queue.url) as connection:
        connection.execute(DEFER, job)
    async with queue.worker() as carrier:
        await queue.wake("topic:2")
        await carrier.until_advanced("topic:2")
        async with asyncio.timeout(LONGEST_S):
            while ("topic:2", "doing") in queue.jobs() and len(queue.jobs()) > 1:
                await asyncio.sleep(0.05)
    assert carrier.advanced == ["topic:2"]
    assert any(record.levelname == "ERROR" and job[0] in record.getMessage() for record in caplog.records)


async def test_after_the_database_was_lost_lanes_are_advanced_and_runs_refreshed_again(queue: Queue) -> None:
    carrier, heard = Carrier(), asyncio.Event()
    async with queue.dispatcher().running(carrier.advance, lambda _: heard.set()):
        await queue.wake("topic:1")
        await carrier.until_advanced("topic:1")
        with psycopg.connect(queue.url, autocommit=True) as connection:
            connection.execute(
                "select pg_terminate_backend(pid, 5000) from pg_stat_activity "
                "where datname = current_database() and pid <> pg_backend_pid()"
            )
        web = queue.dispatcher(0)
        await queue.wake("topic:2")
        await carrier.until_advanced("topic:2")
        async with asyncio.timeout(LONGEST_S):
            while not heard.is_set():
                await queue.database.write_tx(lambda tx: web.wake_run("run", tx))
                await asyncio.sleep(0)
        carrier.let_all_go()


async def test_a_document_that_is_added_anywhere_is_heard_of(queue: Queue) -> None:
    heard = asyncio.Event()
    web, worker = queue.dispatcher(0), queue.dispatcher(on_document=heard.set)
    async with worker.running(Carrier().advance, lambda _: None), asyncio.timeout(LONGEST_S):
        while not heard.is_set():
            await queue.database.write_tx(web.announce_document)
            await asyncio.sleep(0)
