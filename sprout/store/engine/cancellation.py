"""Cancellation-safe connections of async engines: none stays open, none is left in the middle of a commit."""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

CONNECTION_S = 3.0
REPEAT_S = 1.0


@asynccontextmanager
async def open_connection(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    """A connection from the pool; one that is cancelled while it is being made would stay open unseen."""
    connection = engine.connect()
    try:
        await run_to_completion(connection.start(), within_s=CONNECTION_S)
        yield connection
    finally:
        if connection.sync_connection is not None:
            await run_to_completion(connection.close(), within_s=CONNECTION_S)


@asynccontextmanager
async def open_snapshot(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    """A connection in a transaction, for reads: committed, since psycopg forgets what it has prepared at a rollback."""
    async with open_connection(engine) as connection:
        _ = await connection.begin()  # begun here, so that a session joins the transaction and does not own it
        yield connection
        await connection.commit()


async def run_to_completion(work: Awaitable[object], *, within_s: float | None = None) -> None:
    """Await the work; a cancellation that comes meanwhile is raised when the work is done, also when it failed.

    Args:
        within_s: for how long after such a cancellation; then the work is cancelled, too, since a server may have
            fallen silent. None where it cannot be cancelled, as in a thread.
    """
    task, clock = asyncio.ensure_future(work), asyncio.get_running_loop().time
    cancelled: asyncio.CancelledError | None = None
    until_s: float | None = None
    while not task.done():
        try:
            await asyncio.wait([task], timeout=None if until_s is None else max(0.0, until_s - clock()))
            if not task.done():
                task.cancel()
                until_s = clock() + REPEAT_S
        except asyncio.CancelledError as error:
            if cancelled is None and within_s is not None:
                until_s = clock() + within_s
            cancelled = error
    if cancelled is not None:
        raise cancelled from None if task.cancelled() else task.exception()
    task.result()
