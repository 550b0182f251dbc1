"""Lock of the servers on a PostgreSQL database: one that works alone, or any number that share the work."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from sprout.errors import SetupError
from sprout.runs.cancellation import end_tasks, raise_if_cancelled
from sprout.store.engine.urls import sqlite_file

if TYPE_CHECKING:
    from psycopg import AsyncConnection

WAIT_MS = 8_000  # longer than the server before this one takes to stop
RECONNECT_S = 1.0
LOOK_S = 5.0
_ALONE = "select pg_advisory_lock(hashtextextended('sprout server', 0))"
_SHARED = "select pg_advisory_lock_shared(hashtextextended('sprout server', 0))"
_REFUSED = (
    "Another Sprout uses this database already. One that works alone needs a database of its own; several share one "
    "with REDIS_URL set for each: then start `sprout serve` and `sprout worker` as often as you like."
)

log = logging.getLogger(__name__)


class HeldByAnother(SetupError):
    """Another Sprout holds the lock, and one of the two works alone."""

    def __init__(self) -> None:
        super().__init__(_REFUSED)


@asynccontextmanager
async def hold_server_lock(url: str, *, shared: bool, wait_ms: int = WAIT_MS) -> AsyncIterator[None]:
    """Hold the lock while a server runs. It is lost with its connection, as by a restart of PostgreSQL, and then taken
    again; where another Sprout was first, this block is cancelled, and raises HeldByAnother.

    Args:
        shared: whether this server shares its work with others. An SQLite file has a lock of its own.
        wait_ms: for how long a lock that another holds is waited for.

    Raises DatabaseUnreachable; SetupError: the server cannot be used; HeldByAnother.
    """
    if sqlite_file(url) is not None:
        yield
        return
    holder = asyncio.current_task()
    assert holder is not None
    held = asyncio.Event()
    keeping = asyncio.create_task(_keep(url, held, shared=shared, wait_ms=wait_ms), name="server lock")
    taking = asyncio.create_task(held.wait())
    try:
        await asyncio.wait([keeping, taking], return_when=asyncio.FIRST_COMPLETED)
        if keeping.done():
            keeping.result()
        keeping.add_done_callback(lambda task: None if task.cancelled() else holder.cancel())
        yield
    except asyncio.CancelledError:
        if keeping.done() and not keeping.cancelled():
            holder.uncancel()
            keeping.result()
        raise
    finally:
        await end_tasks([keeping, taking])


async def _keep(url: str, held: asyncio.Event, *, shared: bool, wait_ms: int) -> None:
    """Take the lock and hold it; take it again after each loss of its connection. Raises as `hold_server_lock`."""
    # Imported where they are needed: the driver is in an extra.
    from psycopg import OperationalError
    from psycopg.errors import LockNotAvailable

    from sprout.store.engine.postgres_server import connect_server

    lost = False
    while True:
        try:
            async with connect_server(url) as connection:
                await connection.execute(f"set lock_timeout = {wait_ms}".encode())
                await connection.execute(_SHARED if shared else _ALONE)
                if lost:
                    log.warning("server_lock.back")
                lost = False
                held.set()
                await _wait_until_lost(connection)
        except LockNotAvailable:
            raise HeldByAnother from None
        except (OperationalError, SetupError):
            if not held.is_set():
                raise
            if not lost:
                log.warning("server_lock.lost")
            lost = True
        raise_if_cancelled()
        await asyncio.sleep(RECONNECT_S)


async def _wait_until_lost(connection: "AsyncConnection") -> None:
    """Wait until this is cancelled. Raises OperationalError: the connection is lost."""
    while True:
        await asyncio.sleep(LOOK_S)
        await connection.execute("select 1")
