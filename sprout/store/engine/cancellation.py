"""Cancellation-safe connections of async engines: none stays open, none is left in the middle of a commit."""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine


@asynccontextmanager
async def open_connection(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    """A connection from the pool; one that is cancelled while it is being made would stay open unseen."""
    connection = engine.connect()
    try:
        await run_to_completion(connection.start())
        yield connection
    finally:
        if connection.sync_connection is not None:
            await run_to_completion(connection.close())


async def run_to_completion(work: Awaitable[object]) -> None:
    """Await the work; a cancellation that comes meanwhile is raised when the work is done, also when it failed."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled from task.exception()
    task.result()
