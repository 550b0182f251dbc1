"""Lock of the servers on a PostgreSQL database: one that works alone, or any number that share the work."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sprout.errors import SetupError
from sprout.store.engine.urls import sqlite_file

WAIT_MS = 8_000  # longer than the server before this one takes to stop
_ALONE = "select pg_advisory_lock(hashtextextended('sprout server', 0))"
_SHARED = "select pg_advisory_lock_shared(hashtextextended('sprout server', 0))"
_REFUSED = (
    "Another Sprout uses this database already. One that works alone needs a database of its own; several share one "
    "with REDIS_URL set for each: then start `sprout serve` and `sprout worker` as often as you like."
)


@asynccontextmanager
async def hold_server_lock(url: str, *, shared: bool) -> AsyncIterator[None]:
    """Hold the lock while a server runs.

    Args:
        shared: whether this server shares its work with others. An SQLite file has a lock of its own.

    Raises DatabaseUnreachable; SetupError: the server cannot be used, or another Sprout holds the lock, and one of the
    two works alone.
    """
    if sqlite_file(url) is not None:
        yield
        return
    # Imported where it is needed: the driver is in an extra.
    from psycopg.errors import LockNotAvailable

    from sprout.store.engine.postgres_server import connect_server

    async with connect_server(url) as connection:
        await connection.execute(f"set lock_timeout = {WAIT_MS}".encode())
        try:
            await connection.execute(_SHARED if shared else _ALONE)
        except LockNotAvailable:
            raise SetupError(_REFUSED) from None
        yield
