"""PostgreSQL's writer: a transaction for each body, under the locks of the rows that it changes."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from sprout.store.async_connections import open_connection, to_the_end
from sprout.store.failures import collided
from sprout.store.write import Write

MOST_TRIES = 5

T = TypeVar("T")


class SingleCommit:
    """Bodies of one order follow one another, callbacks included; others go at the same time."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._orders: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @property
    def engine(self) -> Engine:
        return self._engine.sync_engine

    async def write(self, body: Callable[[Write], T], order: str | None) -> T:
        """A caller that is cancelled before the commit rolls back; once the commit has begun it is done to the end.

        A body that another transaction has met is carried out again: it has changed nothing yet.
        """
        tries = 1
        async with self._turn(order):
            while True:
                try:
                    return await self._written(body)
                except DBAPIError as error:
                    if tries == MOST_TRIES or not collided(error):
                        raise
                    tries += 1

    async def _written(self, body: Callable[[Write], T]) -> T:
        async with open_connection(self._engine) as connection:
            _ = await connection.begin()  # begun here, so that a session joins it and does not own it
            result, after_commit = await connection.run_sync(_carried_out, body)
            await to_the_end(_committed(connection, after_commit))
            return result

    def _turn(self, order: str | None) -> AbstractAsyncContextManager[Any]:
        return nullcontext() if order is None else self._orders.setdefault(order, asyncio.Lock())


def _carried_out(connection: Connection, body: Callable[[Write], T]) -> tuple[T, Sequence[Callable[[], None]]]:
    return Write(connection).carry_out(body)


async def _committed(connection: AsyncConnection, after_commit: Sequence[Callable[[], None]]) -> None:
    await connection.commit()
    for callback in after_commit:
        callback()
