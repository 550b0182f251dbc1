"""P5, P6, D-1: what a running server answers while its database cannot be written, and that it recovers by itself."""

import asyncio
import resource
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import psycopg
import pytest
from sqlalchemy import TextClause, event, make_url, text
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool
from sqlmodel import select

from harness.builders import a_reasoning_event, a_run, a_topic, start_run
from harness.servers.web import Web, a_static_folder, serving_web
from harness.services import POSTGRES
from sprout.errors import DatabaseBusy, DatabaseUnavailable, SetupError, SproutError, StorageFull
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.runs.state import Run
from sprout.store.engine import database as opening
from sprout.store.engine.database import Database, open_database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.engine.urls import async_url
from sprout.store.paths.paths import SqlPaths
from sprout.store.runs.repository import SqlRunStore
from sprout.store.schema import tables
from sprout.web.http.failures import retry_after, status_for

ENOUGH_PAGES = 2**30
WAITING_FOR_A_LOCK = text(
    "select count(*) from pg_locks where locktype = 'advisory' and not granted"
    " and database = (select oid from pg_database where datname = current_database())"
)
LONG = "A long thought. " * 500


@dataclass
class Asked:
    """Requests to a server, and the statuses that came back."""

    web: Web
    statuses: Counter[int] = field(default_factory=Counter)

    async def writes(self, title: str) -> httpx2.Response:
        body = {"userId": DEFAULT_USER_ID, "title": title}
        return self._count(await self.web.client.post("/api/branches", json=body))

    async def reads(self) -> list[str]:
        answer = self._count(await self.web.client.get("/api/branches", params={"userId": DEFAULT_USER_ID}))
        assert answer.status_code == 200
        return [branch["title"] for branch in answer.json()]

    def _count(self, answer: httpx2.Response) -> httpx2.Response:
        self.statuses[answer.status_code] += 1
        return answer


@pytest.fixture
async def asked(tmp_path: Path) -> AsyncIterator[Asked]:
    async with serving_web(tmp_path, a_static_folder(tmp_path)) as web:
        asked = Asked(web)
        assert (await asked.writes("before")).status_code == 201
        yield asked
        assert asked.statuses[500] == 0


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


async def test_P5_a_disk_without_room_refuses_writes_as_full_and_serves_reads_until_there_is_room(
    database: Database, runs: SqlRunStore, paths: SqlPaths
) -> None:
    run = await start_run(runs, a_run(await a_topic(paths)))
    await runs.append(run, [a_reasoning_event("before")])
    with limited(database, pages=0) as limit:
        appended, refused = await fill(runs, run)
        assert isinstance(refused, StorageFull)
        assert status_for(refused) == 507
        assert len(await runs.events(run.id)) == appended + 2, "what was told of is there, what was not is not"
        batch = await asyncio.gather(
            *(runs.append(run, [a_reasoning_event(LONG)]) for _ in range(8)), return_exceptions=True
        )
        assert {type(one) for one in batch} == {StorageFull}
        limit.pages = ENOUGH_PAGES
        await runs.append(run, [a_reasoning_event("after")])
    events = await runs.events(run.id)
    assert [one.seq for one in events] == list(range(1, appended + 4))
    assert '"after"' in events[-1].data


async def test_P5_a_file_that_may_not_grow_is_503_for_writes_and_reads_go_on(asked: Asked, tmp_path: Path) -> None:
    with may_not_grow(tmp_path / "sprout.sqlite3-wal"):
        refused = await asked.writes("meanwhile")
        assert refused.status_code == 503
        assert await asked.reads() == ["before"]
    assert (await asked.writes("after")).status_code == 201
    assert sorted(await asked.reads()) == ["after", "before"]


async def test_P5_what_failed_at_its_commit_is_never_published_as_stored(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'sprout.sqlite3'}"
    async with open_database(url) as database:
        called: list[str] = []

        def body(tx: WriteTransaction) -> None:
            tx.after_commit(lambda: called.append("after commit"))
            tx.session.add(tables.User(id="lost"))

        with may_not_grow(tmp_path / "sprout.sqlite3-wal"):
            with pytest.raises(SetupError):
                await database.write_tx(body)
        assert called == []
        await database.write_tx(lambda tx: tx.session.add(tables.User(id="kept")))
        assert await users(database) == ["kept"]
    async with open_database(url) as again:
        assert await users(again) == ["kept"]


async def test_P6_a_file_that_turns_read_only_is_503_for_writes_until_it_can_be_written(
    database: Database, paths: SqlPaths
) -> None:
    await a_topic(paths, "before")
    await database.write_tx(lambda tx: tx.connection.execute(text("PRAGMA query_only=ON")))
    with pytest.raises(SetupError, match="readonly"):
        await a_topic(paths, "meanwhile")
    assert len(await paths.branches(DEFAULT_USER_ID)) == 1
    await database.write_tx(lambda tx: tx.connection.execute(text("PRAGMA query_only=OFF")))
    await a_topic(paths, "after")


async def test_D1_a_lock_that_is_released_in_time_is_waited_for(asked: Asked, tmp_path: Path) -> None:
    async with locked(tmp_path / "sprout.sqlite3"):
        waiting = [asyncio.create_task(asked.writes(f"{n}")) for n in range(5)]
        assert await asked.reads() == ["before"]
    assert [answer.status_code for answer in await asyncio.gather(*waiting)] == [201] * 5
    assert asked.statuses.keys() == {200, 201}


async def test_D1_a_lock_that_is_held_too_long_is_503_with_a_time_to_come_back(
    asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "BUSY_TIMEOUT_MS", 200)
    async with serving_web(tmp_path / "impatient", a_static_folder(tmp_path / "impatient")) as web:
        impatient = Asked(web)
        async with locked(tmp_path / "impatient" / "sprout.sqlite3"):
            answers = await asyncio.gather(*(impatient.writes(f"{n}") for n in range(5)))
            assert await impatient.reads() == []
        assert [answer.status_code for answer in answers] == [503] * 5
        assert {answer.headers["retry-after"] for answer in answers} == {"2"}
        assert "busy" in answers[0].json()["error"]
        assert (await impatient.writes("after")).status_code == 201


@pytest.mark.parametrize(
    ("code", "meant"),
    [
        ("53100", StorageFull),
        ("55P03", DatabaseBusy),
        ("53300", DatabaseBusy),
        ("57P01", DatabaseUnavailable),
    ],
)
async def test_D1_what_a_server_database_says_means_the_same(
    own_postgres_url: str, code: str, meant: type[Exception]
) -> None:
    statement = text(f"do $$ begin raise exception 'as it says' using errcode = '{code}'; end $$")
    async with open_database(own_postgres_url) as database:
        with pytest.raises(meant):
            await database.write_tx(lambda tx: tx.connection.execute(statement))
        assert await database.is_reachable()


async def test_D1_a_server_database_that_is_away_is_told_of_once_and_used_again_when_it_is_back(
    own_postgres_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_database(own_postgres_url) as database:
        with out_of_reach(own_postgres_url):
            for _ in range(3):
                with pytest.raises(DatabaseUnavailable) as refused:
                    await database.write_tx(lambda tx: tx.connection.execute(text("select 1")))
        assert await database.is_reachable()
    assert (status_for(refused.value), retry_after(refused.value)) == (503, {"Retry-After": "5"})
    told = [one for one in caplog.records if one.name == opening.__name__]
    assert [(one.getMessage(), one.levelname) for one in told] == [
        ("database.lost", "WARNING"),
        ("database.back", "WARNING"),
    ]


async def test_D1_connections_that_the_server_has_ended_are_replaced_and_nobody_hears_of_it(
    own_postgres_url: str,
) -> None:
    async def use_many(database: Database) -> list[int]:
        """What ten transactions at once read and write: the ids of their connections' servers."""
        body = text("select pg_backend_pid()")
        writes = [database.write_tx(lambda tx: tx.connection.execute(body).scalar_one()) for _ in range(5)]
        reads = [database.read_tx(lambda connection: connection.execute(body).scalar_one()) for _ in range(5)]
        return [*await asyncio.gather(*writes, *reads)]

    async with open_database(own_postgres_url) as database:
        before = await use_many(database)
        with psycopg.connect(POSTGRES, autocommit=True) as server:
            server.execute("select pg_terminate_backend(pid, 5000) from unnest(%s::int[]) as pid", [before])
        after = await use_many(database)
    assert set(before).isdisjoint(after)


@pytest.mark.parametrize("code", ["40001", "40P01", "25P03"])
async def test_D19_a_transaction_that_the_server_has_rolled_back_for_others_is_done_again(
    own_postgres_url: str, code: str
) -> None:
    """Also one that its process, frozen meanwhile, held up too long."""
    statement = text(f"do $$ begin raise exception 'as it says' using errcode = '{code}'; end $$")
    tries: list[str] = []

    def body(tx: WriteTransaction) -> str:
        tries.append("begun")
        if len(tries) == 1:
            tx.connection.execute(statement)
        return "done"

    async with open_database(own_postgres_url) as database:
        assert await database.write_tx(body) == "done"
    assert tries == ["begun", "begun"]


async def test_D19_what_met_another_change_in_a_ring_is_done_again_and_nobody_hears_of_it(
    own_postgres_url: str,
) -> None:
    async with open_database(own_postgres_url) as database:
        async with create_async_engine(async_url(own_postgres_url), poolclass=NullPool).connect() as other:
            await other.execute(text("set deadlock_timeout = '1h'"))  # it is the other one that finds the ring
            await other.execute(hold(1))
            tries, committed = [], []

            def body(tx: WriteTransaction) -> str:
                tries.append("begun")
                tx.after_commit(lambda: committed.append("once"))
                tx.connection.execute(hold(2))
                tx.connection.execute(hold(1))
                return "done"

            writing = asyncio.create_task(database.write_tx(body))
            while not (await other.execute(WAITING_FOR_A_LOCK)).scalar_one():
                assert not writing.done()
            assert tries == ["begun"]
            await other.execute(hold(2))  # closes the ring; once it is broken, the next try may begin at once
            await other.rollback()
        assert await writing == "done"
        assert tries == ["begun", "begun"]
        assert committed == ["once"]


def hold(key: int) -> TextClause:
    return text(f"select pg_advisory_xact_lock({key})")


@dataclass
class Limit:
    pages: int


@contextmanager
def limited(database: Database, *, pages: int) -> Iterator[Limit]:
    """The file may have so many pages, no less than it has: SQLite then says that the disk is full."""
    limit = Limit(pages)

    def set_limit(connection: Any) -> None:
        connection.exec_driver_sql(f"PRAGMA max_page_count={max(limit.pages, 1)}")

    event.listen(database.writer.engine, "begin", set_limit)
    yield limit
    event.remove(database.writer.engine, "begin", set_limit)


async def fill(runs: SqlRunStore, run: Run) -> tuple[int, SproutError]:
    """Append until nothing more goes in: how many did, and what the next was told."""
    for appended in range(1_000):
        try:
            await runs.append(run, [a_reasoning_event(LONG)])
        except SproutError as error:
            return appended, error
    raise AssertionError("the limit did not hold")


@contextmanager
def may_not_grow(file: Path) -> Iterator[None]:
    """No file of this process may become larger than this one is, as where a quota is used up."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (file.stat().st_size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@asynccontextmanager
async def locked(file: Path) -> AsyncIterator[None]:
    """Another program is writing the file while the block goes on."""
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield
        other.execute("ROLLBACK")


async def users(database: Database) -> list[str]:
    async with database.open_read_session() as session:
        return sorted((await session.exec(select(tables.User.id))).all())


@contextmanager
def out_of_reach(url: str) -> Iterator[None]:
    """The database takes no connections within this block, and has ended those that it had."""
    name = make_url(url).database
    with psycopg.connect(POSTGRES, autocommit=True) as server:
        server.execute(f"alter database {name} allow_connections false".encode())
        server.execute("select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = %s", [name])
        try:
            yield
        finally:
            server.execute(f"alter database {name} allow_connections true".encode())
