"""PostgreSQL's writer: a transaction for each body, under the locks of the rows that it changes."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from sprout.store.engine.cancellation import open_connection, run_to_completion
from sprout.store.engine.failures import is_transaction_conflict
from sprout.store.engine.transaction import WriteTransaction

MAX_TRIES = 5
COMMIT_S = 10.0

T = TypeVar("T")


class PostgresWriter:
    """Runs bodies of one order one after another, callbacks included; others at the same time."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._order_locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @property
    def engine(self) -> Engine:
        return self._engine.sync_engine

    async def run(self, body: Callable[[WriteTransaction], T], order: str | None) -> T:
        """Run the body. A cancellation before the commit rolls back; a commit that has begun is completed,
        unless the server stays silent for `COMMIT_S`: then it is unknown, as after a loss of the connection.

        A body that met another transaction is run again: it has changed nothing yet.
        """
        tries = 1
        async with self._order_lock(order):
            while True:
                try:
                    return await self._write_once(body)
                except DBAPIError as error:
                    if tries == MAX_TRIES or not is_transaction_conflict(error):
                        raise
                    tries += 1

    async def _write_once(self, body: Callable[[WriteTransaction], T]) -> T:
        async with open_connection(self._engine) as connection:
            _ = await connection.begin()  # begun here, so that a session joins the transaction and does not own it
            result, after_commit = await connection.run_sync(_run_body, body)
            await run_to_completion(_commit(connection, after_commit), within_s=COMMIT_S)
            return result

    def _order_lock(self, order: str | None) -> AbstractAsyncContextManager[Any]:
        return nullcontext() if order is None else self._order_locks.setdefault(order, asyncio.Lock())


def _run_body(connection: Connection, body: Callable[[WriteTransaction], T]) -> tuple[T, Sequence[Callable[[], None]]]:
    return WriteTransaction(connection).run(body)


async def _commit(connection: AsyncConnection, after_commit: Sequence[Callable[[], None]]) -> None:
    await connection.commit()
    for callback in after_commit:
        callback()
