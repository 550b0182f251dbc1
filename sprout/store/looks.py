"""Looks: synchronous functions that are shown one snapshot of the data, and the ways of carrying them out."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, Protocol, TypeVar

from sqlalchemy import Connection, Engine, event
from sqlalchemy.ext.asyncio import AsyncEngine

from sprout.store.async_connections import open_connection, to_the_end

T = TypeVar("T")

_CURSORS = "sprout.cursors"


class Looks(Protocol):
    """Carries out looks, each in a snapshot of its own in which nothing can be written."""

    async def take(self, look: Callable[[Connection], T]) -> T:
        """What the look finds. Raises what the look raises."""
        ...

    async def close(self) -> None:
        """Finish the looks that are being taken."""
        ...


class LooksInThreads:
    """SQLite: a look is one hop to a thread and back, so it holds its connection no longer for a loop that is busy."""

    def __init__(self, engine: Engine, threads: int) -> None:
        event.listen(engine, "after_cursor_execute", _noted)
        self._engine = engine
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="sprout-reader")

    async def take(self, look: Callable[[Connection], T]) -> T:
        """A caller that is cancelled leaves the queue; a look that has begun is finished and not heard of."""
        running = asyncio.get_running_loop().run_in_executor(self._threads, copy_context().run, self._taken, look)
        return await running

    async def close(self) -> None:
        await to_the_end(asyncio.to_thread(self._threads.shutdown))
        self._engine.dispose()

    def _taken(self, look: Callable[[Connection], T]) -> T:
        with self._engine.connect() as connection:
            try:
                return look(connection)
            finally:
                # A statement of which not all is read holds its snapshot beyond the transaction, for the next look too.
                for cursor in connection.info.pop(_CURSORS, ()):
                    cursor.close()


class LooksOnLoop:
    """PostgreSQL: the driver is asynchronous by itself. The engine is closed by whoever has made it."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def take(self, look: Callable[[Connection], T]) -> T:
        async with open_connection(self._engine) as connection:
            return await connection.run_sync(look)

    async def close(self) -> None:
        """Nothing is left over: each look is awaited."""


def _noted(connection: Connection, cursor: Any, *_: object) -> None:
    connection.info.setdefault(_CURSORS, []).append(cursor)
