"""PostgreSQL servers that cannot be used, or not yet: each is told with what to do, before anything is stored."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress

import psycopg
import pytest
from sqlalchemy import make_url

from harness.servers.pgbouncer import running_pgbouncer
from harness.servers.postgres import PostgresServer, postgres_programs, postgres_server
from harness.services import require, require_part
from sprout.engines.procrastinate_schema import upgrade_queue
from sprout.errors import DatabaseUnavailable, SetupError
from sprout.store.engine import server_lock
from sprout.store.engine.database import open_database
from sprout.store.engine.failures import DatabaseUnreachable
from sprout.store.engine.postgres_server import check_server
from sprout.store.engine.server_lock import HeldByAnother, hold_server_lock
from sprout.store.engine.urls import libpq_url

WITHIN_S, LOOK_S = 60.0, 0.01
NONE_LEFT = re.compile("too many|remaining connection slots")
PASSWORDS = (
    "copy (values ('host all locked 127.0.0.1/32 scram-sha-256'), ('host all all 127.0.0.1/32 trust')) to '{hba_file}'"
)


@pytest.fixture(scope="module")
async def own_server() -> AsyncIterator[PostgresServer]:
    """A server with few connections, and a user who has a password."""
    require("postgres")
    require_part("postgres", None if postgres_programs() else "there are no programs of PostgreSQL here")
    async with postgres_server("-c max_connections=12 -c superuser_reserved_connections=2") as server:
        with psycopg.connect(server.url, autocommit=True) as connection:
            connection.execute("create role locked login password 'right' superuser")
            connection.execute("create role few login")
            (hba_file,) = connection.execute("show hba_file").fetchone() or ("",)
            connection.execute(PASSWORDS.format(hba_file=hba_file).encode())
            connection.execute("select pg_reload_conf()")
        yield server


@pytest.fixture
def reject_writes(bare_postgres_url: str) -> Callable[[str], str]:
    """Make a database read-only."""

    def reject(statement: str) -> str:
        name = make_url(bare_postgres_url).database
        with psycopg.connect(bare_postgres_url, autocommit=True) as connection:
            connection.execute(statement.format(name=name).encode())
        return bare_postgres_url

    return reject


@contextmanager
def all_taken(url: str) -> Iterator[None]:
    """Hold every connection that the server has for this user."""
    with ExitStack() as taken:
        with suppress(psycopg.OperationalError):
            while True:
                taken.enter_context(psycopg.connect(url))
        yield


def changed(url: str, **parts: object) -> str:
    return make_url(url).set(**parts).render_as_string(hide_password=False)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        ({"database": "nowhere"}, 'refuses DATABASE_URL: .* database "nowhere" does not exist'),
        ({"username": "nobody"}, 'refuses DATABASE_URL: .* role "nobody" does not exist'),
        ({"query": {"colour": "blue"}}, "cannot be used: invalid .* parameter"),
    ],
)
async def test_what_no_waiting_mends_is_refused_with_what_is_wrong(
    postgres_url: str, parts: dict[str, object], says: str
) -> None:
    with pytest.raises(SetupError, match=says) as refused:
        await check_server(changed(postgres_url, **parts))
    assert not isinstance(refused.value, DatabaseUnreachable)


async def test_a_wrong_password_is_refused_and_not_repeated(own_server: PostgresServer) -> None:
    with pytest.raises(SetupError, match=r"refuses DATABASE_URL: .*password authentication failed") as refused:
        await check_server(changed(own_server.url, username="locked", password="secret-word"))
    assert not isinstance(refused.value, DatabaseUnreachable)
    assert "secret-word" not in str(refused.value)
    await check_server(changed(own_server.url, username="locked", password="right"))


@pytest.mark.parametrize("parts", [{"port": 9}, {"host": "nowhere.invalid"}])
async def test_a_server_that_is_away_may_come(postgres_url: str, parts: dict[str, object]) -> None:
    with pytest.raises(DatabaseUnreachable, match="PostgreSQL cannot be used yet: "):
        await check_server(changed(postgres_url, **parts))


@pytest.mark.parametrize(
    "statement",
    [
        "alter database {name} set default_transaction_read_only = on",
        "alter role postgres in database {name} set default_transaction_read_only = on",
    ],
)
async def test_a_database_that_takes_no_writes_is_refused(reject_writes: Callable[[str], str], statement: str) -> None:
    url = reject_writes(statement)
    for opening in (hold_server_lock(url, shared=True), open_database(url)):
        with pytest.raises(SetupError, match="takes no writes: set default_transaction_read_only to off"):
            async with opening:
                pass


async def test_a_replica_is_refused_and_used_once_it_is_promoted(own_server: PostgresServer) -> None:
    await own_server.crash()
    await own_server.start(as_replica=True)
    with pytest.raises(SetupError, match="is a replica, which takes no writes: set DATABASE_URL to its primary"):
        await check_server(own_server.url)
    with psycopg.connect(own_server.url, autocommit=True) as connection:
        connection.execute("select pg_promote()")
    await check_server(own_server.url)


async def test_a_server_without_a_connection_left_may_have_one_later(own_server: PostgresServer) -> None:
    url = changed(own_server.url, username="few")
    with all_taken(url), pytest.raises(DatabaseUnreachable, match=NONE_LEFT):
        await check_server(url)
    await check_server(url)


async def test_a_request_that_gets_no_connection_is_asked_to_come_back(own_server: PostgresServer) -> None:
    url = changed(own_server.url, username="few")
    with psycopg.connect(own_server.url, autocommit=True) as admin:
        admin.execute("grant all on schema public to few")
    async with open_database(url, migrate=True) as database:
        with all_taken(url), pytest.raises(DatabaseUnavailable) as refused:
            await database.read_tx(lambda connection: connection.exec_driver_sql("select 1").scalar_one())
        assert refused.value.retry_after_s > 0
        assert await database.read_tx(lambda connection: connection.exec_driver_sql("select 1").scalar_one()) == 1


@pytest.mark.parametrize("mode", ["transaction", "statement"])
async def test_a_pooler_that_keeps_no_sessions_is_refused(bare_postgres_url: str, mode: str) -> None:
    require("pgbouncer")
    async with running_pgbouncer(bare_postgres_url, mode) as url:
        for opening in (hold_server_lock(url, shared=True), open_database(url, migrate=True)):
            with pytest.raises(SetupError, match="set DATABASE_URL to PostgreSQL itself, or use pool_mode session"):
                async with opening:
                    pass
    with psycopg.connect(bare_postgres_url) as connection:
        tables = connection.execute("select count(*) from pg_tables where schemaname = 'public'").fetchone()
        assert tables == (0,)


async def test_a_pooler_that_keeps_sessions_is_as_good_as_the_server(bare_postgres_url: str) -> None:
    require("pgbouncer")
    async with running_pgbouncer(bare_postgres_url, "session") as url:
        async with open_database(url, migrate=True) as database, hold_server_lock(url, shared=True):
            upgrade_queue(libpq_url(url))
            idle = "select current_setting('idle_in_transaction_session_timeout')"
            found = await database.write_tx(lambda tx: tx.connection.exec_driver_sql(idle).scalar_one())
            assert found == "5s"


_OWN = "locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())"


def end_holder(url: str) -> None:
    """End the session that holds the servers' lock on the database, as a restart of PostgreSQL does."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"select pg_terminate_backend(pid) from pg_locks where granted and {_OWN}".encode())


async def wait_for_queue(url: str) -> None:
    """Wait until somebody waits for the lock."""
    with psycopg.connect(url, autocommit=True) as connection:
        while not connection.execute(f"select 1 from pg_locks where not granted and {_OWN}".encode()).fetchall():
            await asyncio.sleep(LOOK_S)


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lost lock is noticed and taken again at once."""
    monkeypatch.setattr(server_lock, "LOOK_S", LOOK_S)
    monkeypatch.setattr(server_lock, "RECONNECT_S", LOOK_S)


@pytest.mark.usefixtures("soon")
async def test_X1_a_server_takes_its_lock_again_after_its_connection_was_lost(
    bare_postgres_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with asyncio.timeout(WITHIN_S), hold_server_lock(bare_postgres_url, shared=False):
        end_holder(bare_postgres_url)
        while "server_lock.back" not in caplog.text:
            await asyncio.sleep(LOOK_S)
        with pytest.raises(HeldByAnother):
            async with hold_server_lock(bare_postgres_url, shared=True, wait_ms=10):
                pass


@pytest.mark.usefixtures("soon")
async def test_X1_a_server_whose_lock_another_took_meanwhile_is_ended_and_says_so(bare_postgres_url: str) -> None:
    async def serve_while_another_takes_the_lock() -> None:
        async with (
            asyncio.timeout(WITHIN_S),
            await psycopg.AsyncConnection.connect(libpq_url(bare_postgres_url), autocommit=True) as another,
            hold_server_lock(bare_postgres_url, shared=False, wait_ms=10),
        ):
            taking = asyncio.create_task(another.execute(server_lock._ALONE))
            await wait_for_queue(bare_postgres_url)
            end_holder(bare_postgres_url)
            await taking
            await asyncio.Event().wait()

    with pytest.raises(HeldByAnother, match="Another Sprout uses this database already"):
        await serve_while_another_takes_the_lock()
