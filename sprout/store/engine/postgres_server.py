"""PostgreSQL server: a connection to it, once it is known that it can be used."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from psycopg import AsyncConnection, Error, OperationalError, ProgrammingError
from psycopg.pq import PGconn, Ping

from sprout.errors import SetupError
from sprout.store.engine.failures import DatabaseUnreachable
from sprout.store.engine.urls import libpq_url, shown_address

CONNECT_TIMEOUT_S = 5
POOLED = (
    "{where} is a pooler that gives a session's statements to several connections (PgBouncer's pool_mode transaction "
    "or statement), where Sprout's locks and notifications get lost: set DATABASE_URL to PostgreSQL itself, or use "
    "pool_mode session."
)
_FACTS = "select pg_is_in_recovery(), current_setting('default_transaction_read_only') = 'on', pg_backend_pid()"
# In messages, which have no code where the connection failed: PostgreSQL's two, and PgBouncer's.
_NO_CONNECTION_LEFT = re.compile("too many|remaining connection slots|no more connections")


@asynccontextmanager
async def connect_server(url: str) -> AsyncIterator[AsyncConnection]:
    """A connection, each statement of which is a transaction.

    Raises:
        DatabaseUnreachable: the server is away, still starting, or has no connection left.
        SetupError: the URL is wrong, it refuses the user or the database, it takes no writes, or it is behind a pooler
            that keeps no sessions.
    """
    async with await _connect(url) as connection:
        if refusal := await _refusal(url, connection):
            raise SetupError(refusal)
        yield connection


async def check_server(url: str) -> None:
    """Raises DatabaseUnreachable, SetupError, as `connect_server` does."""
    async with connect_server(url):
        pass


async def _connect(url: str) -> AsyncConnection:
    address = libpq_url(url)
    try:
        async with asyncio.timeout(CONNECT_TIMEOUT_S):
            return await AsyncConnection.connect(address, autocommit=True)
    except TimeoutError:
        raise DatabaseUnreachable(f"PostgreSQL does not answer at {shown_address(url)}.") from None
    except ProgrammingError as error:
        raise SetupError(f"The database URL cannot be used: {_first_line(error)}.") from None
    except OperationalError as error:
        full = _NO_CONNECTION_LEFT.search(str(error)) is not None
        if full or not await asyncio.to_thread(_accepts_connections, address):
            raise DatabaseUnreachable(f"PostgreSQL cannot be used yet: {_first_line(error)}.") from error
        raise SetupError(f"PostgreSQL refuses DATABASE_URL: {_first_line(error)}.") from error


async def _refusal(url: str, connection: AsyncConnection) -> str | None:
    """Why the server cannot be used, with what to do."""
    where = shown_address(url)
    is_replica, is_read_only, pid = await _row(connection, _FACTS)
    if is_replica:
        return f"PostgreSQL at {where} is a replica, which takes no writes: set DATABASE_URL to its primary."
    if is_read_only:
        return (
            f"PostgreSQL at {where} takes no writes: set default_transaction_read_only to off for the server, the "
            "database and the user of DATABASE_URL."
        )
    # A pooler makes up the process id that it tells a client.
    if pid != connection.info.backend_pid and await _is_shared(url, connection):
        return POOLED.format(where=where)
    return None


async def _is_shared(url: str, connection: AsyncConnection) -> bool:
    """Whether the statements of two sessions come to the same process of the server."""
    async with await _connect(url) as other:
        pids = [(await _row(one, "select pg_backend_pid()"))[0] for one in (connection, other) * 2]
    return len(set(pids)) == 1 or pids[0] != pids[2] or pids[1] != pids[3]


async def _row(connection: AsyncConnection, query: str) -> tuple[object, ...]:
    found = await (await connection.execute(query.encode())).fetchone()
    assert found is not None
    return found


def _accepts_connections(address: str) -> bool:
    """Whether it is not the server that is missing, but what was asked of it."""
    return PGconn.ping(address.encode()) == Ping.OK


def _first_line(error: Error) -> str:
    return str(error).partition("\n")[0].removeprefix("connection failed: ").rstrip(".")
