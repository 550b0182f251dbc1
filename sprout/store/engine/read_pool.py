"""Read transactions: synchronous functions over one snapshot of the data, and the pools that run them."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, Protocol, TypeVar

from sqlalchemy import Connection, Engine, Executable, Row, event
from sqlalchemy.ext.asyncio import AsyncEngine

from sprout.store.engine.cancellation import open_connection, open_snapshot, run_to_completion

T = TypeVar("T")

_OPEN_CURSORS = "sprout.cursors"


class ReadPool(Protocol):
    """Runs read transactions, each in a read-only snapshot of its own."""

    async def run(self, body: Callable[[Connection], T]) -> T:
        """The body's result. Raises what the body raises."""
        ...

    async def fetch(self, statement: Executable, values: Mapping[str, Any]) -> Sequence[Row[Any]]:
        """The rows of one statement."""
        ...

    async def close(self) -> None:
        """Finish the read transactions that have begun."""
        ...


class ThreadedReadPool:
    """SQLite: a read transaction is one hop to a thread and back, so a busy event loop does not prolong it."""

    def __init__(self, engine: Engine, threads: int) -> None:
        event.listen(engine, "after_cursor_execute", _note_cursor)
        self._engine = engine
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="sprout-reader")

    async def run(self, body: Callable[[Connection], T]) -> T:
        """Run the body. A cancellation removes it from the queue; one that has begun is finished."""
        running = asyncio.get_running_loop().run_in_executor(self._threads, copy_context().run, self._run, body)
        return await running

    async def fetch(self, statement: Executable, values: Mapping[str, Any]) -> Sequence[Row[Any]]:
        return await self.run(lambda connection: connection.execute(statement, values).all())

    async def close(self) -> None:
        await run_to_completion(asyncio.to_thread(self._threads.shutdown))
        self._engine.dispose()

    def _run(self, body: Callable[[Connection], T]) -> T:
        with self._engine.connect() as connection:
            try:
                return body(connection)
            finally:
                # A statement that is not read to its end keeps its snapshot beyond the transaction.
                for cursor in connection.info.pop(_OPEN_CURSORS, ()):
                    cursor.close()


class AsyncReadPool:
    """PostgreSQL: the driver is asynchronous by itself. The owner of the engines closes them.

    Args:
        engine: whose statements are transactions of their own.
        snapshots: whose transactions see one moment each.
    """

    def __init__(self, engine: AsyncEngine, snapshots: AsyncEngine) -> None:
        self._engine = engine
        self._snapshots = snapshots

    async def run(self, body: Callable[[Connection], T]) -> T:
        async with open_snapshot(self._snapshots) as connection:
            return await connection.run_sync(body)

    async def fetch(self, statement: Executable, values: Mapping[str, Any]) -> Sequence[Row[Any]]:
        """The rows of one statement, in one round trip: it is a snapshot without a transaction around it."""
        async with open_connection(self._engine) as connection:
            return (await connection.execute(statement, values)).all()

    async def close(self) -> None:
        """Nothing to finish: each read transaction is awaited."""


def _note_cursor(connection: Connection, cursor: Any, *_: object) -> None:
    connection.info.setdefault(_OPEN_CURSORS, []).append(cursor)
