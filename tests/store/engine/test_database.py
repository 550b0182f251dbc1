"""Opening, sharing and failing: what a database does when it cannot, and what stays true when tasks meet."""

import asyncio
from pathlib import Path
from threading import Event, Semaphore

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError
from sqlmodel import select

from harness.builders import a_topic
from sprout.errors import BadInput, Conflict, SetupError
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.store.engine.database import READ_CONNECTIONS, Database, open_database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.engine.urls import async_url, libpq_url, sqlite_file, sync_url
from sprout.store.paths.paths import SqlPaths
from sprout.store.schema import tables
from sprout.store.schema.columns import TableModel

WAIT_S = 10.0


@pytest.mark.parametrize(
    "url",
    ["", "mysql://localhost/x", "nonsense", "sqlite://", "sqlite:///:memory:", "postgresql://host:port/x"],
)
async def test_a_url_that_leads_nowhere_is_refused_with_what_to_write(url: str) -> None:
    with pytest.raises(SetupError, match=r"sqlite:///"):
        async with open_database(url):
            pass


def test_X5_a_server_that_does_not_answer_is_given_up_within_seconds_unless_the_url_says_otherwise() -> None:
    assert async_url("postgresql://h/d").query["connect_timeout"] == "5"
    assert libpq_url("postgresql://h/d?connect_timeout=9").count("connect_timeout=9") == 1


def test_urls_are_taken_with_or_without_a_driver() -> None:
    for url in ("postgres://u:p@h:5/d", "postgresql://u:p@h:5/d", "postgresql+asyncpg://u:p@h:5/d"):
        without_limits = async_url(url).set(query={})
        assert without_limits.render_as_string(hide_password=False) == "postgresql+psycopg://u:p@h:5/d"
        assert sqlite_file(url) is None
    assert str(async_url("sqlite:///a/b.sqlite3")) == "sqlite+aiosqlite:///a/b.sqlite3"
    assert str(sync_url("sqlite+aiosqlite:////a/b.sqlite3")) == "sqlite:////a/b.sqlite3"
    assert sqlite_file("sqlite:////a/b.sqlite3") == Path("/a/b.sqlite3")


async def test_a_server_that_is_away_is_a_setup_error_without_the_password() -> None:
    with pytest.raises(SetupError) as away:
        async with open_database("postgresql://me:secret-word@127.0.0.1:9/x"):
            pass
    assert "secret-word" not in str(away.value)


async def test_a_folder_or_file_that_cannot_be_used_is_a_setup_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    (tmp_path / "text.sqlite3").write_text("no database, but some words that are longer than a header")
    for place in ("file/sprout.sqlite3", "text.sqlite3"):
        with pytest.raises(SetupError):
            async with open_database(f"sqlite:///{tmp_path / place}"):
                pass


async def test_a_look_sees_one_moment_and_writes_nothing(database: Database, paths: SqlPaths) -> None:
    await paths.ensure_user(DEFAULT_USER_ID)
    count, looking, written = text("select count(*) from branches"), Event(), Event()

    def body(connection: Connection) -> tuple[int, int]:
        before = connection.execute(count).scalar_one()
        looking.set()
        assert connection.dialect.name != "sqlite" or written.wait(WAIT_S), "nobody wrote meanwhile"
        return before, connection.execute(count).scalar_one()

    taken = asyncio.create_task(database.read_tx(body))
    await asyncio.to_thread(looking.wait, WAIT_S)
    await a_topic(paths)
    written.set()
    assert await taken == (0, 0)
    assert await database.read_tx(lambda connection: connection.execute(count).scalar_one()) == 1
    with pytest.raises(SetupError):
        await database.read_tx(lambda connection: connection.execute(text("delete from branches")))


async def test_a_look_that_breaks_off_leaves_no_old_moment_behind(database: Database, paths: SqlPaths) -> None:
    count = text("select count(*) from users")
    for user_id in ("one", "two"):
        await paths.ensure_user(user_id)

    def break_off(connection: Connection) -> list[int]:
        return [int(row.id) for row in connection.execute(text("select id from users"))]

    with pytest.raises(ValueError, match="one") as caught:  # and with it the rows that were not read
        await database.read_tx(break_off)
    await paths.ensure_user("three")
    for _ in range(READ_CONNECTIONS):
        assert await database.read_tx(lambda connection: connection.execute(count).scalar_one()) == 3
    assert caught.tb is not None


async def test_looks_go_on_while_the_loop_stands_still(tmp_path: Path) -> None:
    taken = Semaphore(0)

    def body(connection: Connection) -> None:
        connection.execute(text("select 1")).all()
        taken.release()

    async with open_database(f"sqlite:///{tmp_path / 'db.sqlite3'}") as database:
        looks = [asyncio.create_task(database.read_tx(body)) for _ in range(5 * READ_CONNECTIONS)]
        await asyncio.sleep(0)
        assert all(taken.acquire(timeout=WAIT_S) for _ in looks), "a look waits for the loop"
        await asyncio.gather(*looks)


async def test_who_is_cancelled_in_a_look_hears_no_more_of_it_and_holds_up_nobody(tmp_path: Path) -> None:
    looking, go_on, ended = Semaphore(0), Event(), Semaphore(0)

    def body(connection: Connection) -> None:
        looking.release()
        go_on.wait(WAIT_S)
        connection.execute(text("select 1")).all()
        ended.release()

    async with open_database(f"sqlite:///{tmp_path / 'db.sqlite3'}") as database:
        looks = [asyncio.create_task(database.read_tx(body)) for _ in range(2 * READ_CONNECTIONS)]
        await asyncio.sleep(0)
        assert all(looking.acquire(timeout=WAIT_S) for _ in range(READ_CONNECTIONS))
        for one in looks:
            one.cancel()
        await asyncio.wait(looks)
        assert all(one.cancelled() for one in looks)
        go_on.set()
        assert await database.read_tx(lambda connection: connection.execute(text("select 2")).scalar_one()) == 2
    assert [ended.acquire(blocking=False) for _ in looks] == [True] * READ_CONNECTIONS + [False] * READ_CONNECTIONS


async def test_a_reader_cannot_write(database: Database) -> None:
    with pytest.raises(SetupError):
        async with database.open_read_connection() as connection:
            await connection.execute(text("delete from users"))
    async with database.open_read_session() as session:
        session.add(tables.User(id="me"))
        with pytest.raises(DBAPIError):
            await session.flush()


async def test_a_reader_sees_one_moment_while_a_writer_goes_on(database: Database, paths: SqlPaths) -> None:
    await paths.ensure_user(DEFAULT_USER_ID)
    count = text("select count(*) from branches")
    async with database.open_read_connection() as reader:
        assert (await reader.execute(count)).scalar_one() == 0
        await a_topic(paths)
        assert (await reader.execute(count)).scalar_one() == 0
    async with database.open_read_connection() as reader:
        assert (await reader.execute(count)).scalar_one() == 1


async def test_writers_of_one_order_go_first_come_first_served(database: Database) -> None:
    turns: list[int] = []

    async def take_turn(n: int) -> None:
        def body(tx: WriteTransaction) -> None:
            tx.connection.execute(text("select 1"))
            tx.after_commit(lambda: turns.append(n))

        await database.write_tx(body, order="x")

    await asyncio.gather(*(take_turn(n) for n in range(20)))
    assert turns == list(range(20))


async def test_what_follows_a_commit_does_not_follow_a_rollback(database: Database) -> None:
    called: list[str] = []

    def fail(tx: WriteTransaction) -> None:
        tx.after_commit(lambda: called.append("after"))
        tx.connection.execute(text("select 1"))
        raise RuntimeError("a bug")

    with pytest.raises(RuntimeError, match="a bug"):
        await database.write_tx(fail)
    assert called == []


@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
async def test_tasks_cancelled_at_any_moment_leave_no_connection_open(database: Database, paths: SqlPaths) -> None:
    root = await a_topic(paths)
    tasks = []  # kept, and with them the frames in which they were cancelled
    for turns_of_the_loop in range(0, 100, 2):
        for work in (paths.branches("me"), paths.rename_branch(root.branch_id or "", None, user_id=root.user_id)):
            tasks.append(asyncio.create_task(work))
            for _ in range(turns_of_the_loop):
                await asyncio.sleep(0)
            tasks[-1].cancel()
            await asyncio.wait(tasks[-1:])
    async with asyncio.timeout(10):
        while await open_connections(database) > 2:
            await asyncio.sleep(0)


async def test_read_modify_write_by_many_tasks_loses_nothing(database: Database, paths: SqlPaths) -> None:
    root = await a_topic(paths)

    def count_up(tx: WriteTransaction) -> None:
        node = tx.session.exec(select(tables.Node).with_for_update()).one()
        node.desc = str(int(node.desc or 0) + 1)

    await asyncio.gather(*(database.write_tx(count_up) for _ in range(60)))
    assert (await paths.node(root.id, user_id=root.user_id)).desc == "60"


async def test_a_value_that_does_not_fit_is_bad_input_and_a_broken_reference_a_conflict(
    database: Database, paths: SqlPaths
) -> None:
    with pytest.raises(Conflict):
        await paths.create_branch("Nobody's", user_id="nobody")
    root = await a_topic(paths)
    moon = tables.Node(id="n", user_id=root.user_id, type="moon", parent_id=root.id, title="t", title_key="t")
    with pytest.raises(BadInput, match="type"):
        await add(database, moon)


async def open_connections(database: Database) -> int:
    async with database.open_read_connection() as connection:
        mine = text("select count(*) from pg_stat_activity where datname = current_database()")
        found: int = (await connection.execute(mine)).scalar_one()
        return found


async def add(database: Database, row: TableModel) -> None:
    await database.write_tx(lambda tx: tx.session.add(row))
