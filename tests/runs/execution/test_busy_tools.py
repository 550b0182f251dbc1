"""A database that is busy while a tool runs: its call is tried again, and its change is made once (M4)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from sqlalchemy import Connection, create_engine, text
from sqlalchemy.pool import NullPool

from harness.loop.scripted_turn import QUICK
from harness.services import SCALED
from sprout.offline.reply import Reply, TextOut, ToolOut
from sprout.runs.state import Run, RunState
from sprout.store.engine import database as opening
from sprout.store.engine.database import open_database
from sprout.store.engine.urls import sync_url
from sprout.store.runs.repository import SqlRunStore
from tests import topologies
from tests.runs.live_app import LONGEST_S, LiveApp, live_app
from tests.runs.scripted_agents import TurnScript, a_quick_agent, assert_whole, kinds, of_kind

LOCK_WAIT_MS = 200
SAVE = Reply([ToolOut("save", {"title": "Light"})])
DONE = Reply([TextOut("That is all.")])


@pytest.fixture
def impatient_sqlite(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The URL of a database in which a lock is waited for shortly."""
    monkeypatch.setattr(opening, "BUSY_TIMEOUT_MS", LOCK_WAIT_MS)
    return sqlite_url


@pytest.fixture
def impatient_postgres(own_postgres_url: str) -> str:
    """The same on a server."""
    engine = create_engine(sync_url(own_postgres_url), poolclass=NullPool, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f'alter database "{engine.url.database}" set lock_timeout = {LOCK_WAIT_MS}'))
    return own_postgres_url


@pytest.fixture(params=["postgres"] if SCALED else ["sqlite", "postgres"])
def impatient_url(request: pytest.FixtureRequest) -> str:
    url: str = request.getfixturevalue(f"impatient_{request.param}")
    return url


class OtherProgram:
    """Another program, which locks what a tool is about to change."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def lock(self) -> None:
        lock = "BEGIN EXCLUSIVE" if self._connection.dialect.name == "sqlite" else "LOCK TABLE nodes"
        await asyncio.to_thread(self._connection.exec_driver_sql, lock)

    async def unlock(self) -> None:
        await asyncio.to_thread(self._connection.rollback)


@asynccontextmanager
async def other_program(url: str) -> AsyncIterator[OtherProgram]:
    arguments = {"check_same_thread": False} if url.startswith("sqlite") else {}
    with create_engine(sync_url(url), poolclass=NullPool, connect_args=arguments).connect() as connection:
        yield OtherProgram(connection)


class LockedAttempts:
    """A hook before each attempt to save: the database is locked for the first ones, once the reply is stored."""

    def __init__(self, other: OtherProgram, *, count: int) -> None:
        self.made = 0
        self._other = other
        self._count = count
        self._started: asyncio.Future[tuple[LiveApp, str]] = asyncio.get_running_loop().create_future()

    async def run(self, app: LiveApp) -> Run:
        """The run of the saving agent, once it has ended."""
        run_id = await app.start()
        self._started.set_result((app, run_id))
        async with asyncio.timeout(LONGEST_S):
            await app.streamed(run_id)
        return await app.wait_until_released(run_id)

    async def __call__(self) -> None:
        self.made += 1
        if self.made == 1:
            app, run_id = await self._started
            await app.wait_for_event(run_id, "usage")
            await self._other.lock()
        elif self.made == self._count + 1:
            await self._other.unlock()


async def assert_saved_once(app: LiveApp, run: Run) -> None:
    assert run.state is RunState.COMPLETED
    log = await app.stored_events(run.id)
    assert_whole(log, run)
    assert [one["node"]["title"] for one in of_kind(log, "node_created")] == ["Light"]
    nodes, _ = await app.repositories.children(app.root.id)
    assert [node.title for node in nodes] == ["Light"]


async def test_M4_a_stored_tool_that_met_a_busy_database_is_tried_again_and_the_record_says_so(
    impatient_url: str, data_dir: Path
) -> None:
    script, child = TurnScript(SAVE, DONE), a_quick_agent(name="subconcept")
    async with open_database(impatient_url) as database, other_program(impatient_url) as other:
        attempts = LockedAttempts(other, count=1)
        async with live_app(
            database, script, data_dir, before_save=attempts, child=child, heartbeat_s=600.0, sweep_s=600.0
        ) as app:
            run = await attempts.run(app)
            await assert_saved_once(app, run)
            (ended,) = of_kind(await app.stored_events(run.id), "tool_result")
            assert (ended["ok"], ended["attempts"]) == (True, 2)
            (call,) = (await app.store.record(run.id)).calls
    assert call.ended is not None
    assert (call.ended.is_error, call.ended.attempts, call.ended.result) == (False, 2, "saved Light")
    assert (attempts.made, script.asked) == (2, 2)


async def test_M4_a_server_database_that_stays_busy_is_an_error_result_and_the_agent_can_go_on(
    impatient_postgres: str, data_dir: Path
) -> None:
    script, child = TurnScript(SAVE, SAVE, DONE), a_quick_agent(name="subconcept")
    async with open_database(impatient_postgres) as database, other_program(impatient_postgres) as other:
        attempts = LockedAttempts(other, count=QUICK.tool_attempts)
        async with live_app(database, script, data_dir, before_save=attempts, child=child) as app:
            run = await attempts.run(app)
            await assert_saved_once(app, run)
            ends = of_kind(await app.stored_events(run.id), "tool_result")
    assert [(end["ok"], end["attempts"]) for end in ends] == [(False, QUICK.tool_attempts), (True, 1)]
    assert "busy" in ends[0]["summary"]


@topologies.sqlite_file
async def test_M4_a_run_is_resumed_at_its_call_if_not_even_the_calls_end_could_be_stored(
    impatient_sqlite: str, data_dir: Path
) -> None:
    script, child = TurnScript(SAVE, DONE), a_quick_agent(name="subconcept")
    async with open_database(impatient_sqlite) as database, other_program(impatient_sqlite) as other:
        attempts = LockedAttempts(other, count=QUICK.tool_attempts)

        class LockedOut(SqlRunStore):
            """A store that is locked until the run is released."""

            async def release_run(self, run: Run, *, crashed: bool) -> None:
                await other.unlock()
                await super().release_run(run, crashed=crashed)

        async with live_app(
            database, script, data_dir, before_save=attempts, child=child, store_like=LockedOut, heartbeat_s=0.1
        ) as app:
            run = await attempts.run(app)
            await assert_saved_once(app, run)
            log = await app.stored_events(run.id)
    assert "run_resumed" in kinds(log)
    assert [(end["ok"], end["attempts"]) for end in of_kind(log, "tool_result")] == [(True, 1)]
    assert attempts.made == QUICK.tool_attempts + 1
