"""A database that is played: real SQLite in memory, asked by processes that share it and that fate may end."""

import asyncio
import random
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, Executable, Row, create_engine, event
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import StaticPool

from sprout.errors import DatabaseBusy, SetupError, StorageFull
from sprout.store.engine.cancellation import run_to_completion
from sprout.store.engine.database import Database
from sprout.store.engine.migrate import upgrade
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.schema.columns import json_text

SLOWEST_S = 0.02  # a commit, as a rule
FROZEN_S = 100.0  # beyond the lease and the next sweep for orphaned runs

T = TypeVar("T")


@dataclass(slots=True)
class ProcessFate:
    """Faults on one process's connection to the database.

    Args:
        dies_at: the write at which it is killed; None for never.
        commits_on_death: whether that write is committed although its caller never learns of it.
        freezes_at: the write at which it stops until its lease is over.
        failures_per_thousand: writes out of a thousand that are refused or fail at their commit.
    """

    chance: random.Random
    dies_at: int | None = None
    commits_on_death: bool = True
    freezes_at: int | None = None
    failures_per_thousand: int = 0
    writes: int = 0
    dead: asyncio.Event = field(default_factory=asyncio.Event)

    def disable(self) -> None:
        """Have nothing happen from now on."""
        self.dies_at, self.freezes_at, self.failures_per_thousand = None, None, 0

    def draw_failure(self) -> bool:
        return self.chance.randrange(1_000) < self.failures_per_thousand

    def raise_if_dead(self) -> None:
        """Raises SetupError: who is dead reads and writes nothing."""
        if self.dead.is_set():
            raise SetupError("The process is gone.")


@cache
def _engine() -> Engine:
    """One engine for all seeds, which keeps what it has compiled."""
    connection = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
    engine = create_engine("sqlite://", creator=lambda: connection, poolclass=StaticPool, json_serializer=json_text)
    event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
    return engine


@cache
def _unused_async_engine() -> AsyncEngine:
    """Engine for the page's lists, which no simulated request reads."""
    return create_async_engine("sqlite+aiosqlite://")


@cache
def _empty_database_bytes() -> bytes:
    """A database of today's schema in which there is nothing."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "empty.db")
        upgrade(f"sqlite:///{file}")
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("PRAGMA journal_mode=DELETE")
            return bytes(connection.serialize())


@contextmanager
def empty_database() -> Iterator[Engine]:
    """The engine on an empty database, which is forgotten at the end of the block; one at a time."""
    engine = _engine()
    with engine.connect() as connection:
        driver: Any = connection.connection.dbapi_connection
        driver.rollback()
        driver.deserialize(_empty_database_bytes())
        driver.execute("PRAGMA foreign_keys=ON")
    yield engine


def simulated_database(engine: Engine, fate: ProcessFate) -> Database:
    """The database as one process has it."""
    return Database(SimulatedWriter(engine, fate), SimulatedReadPool(engine, fate), _unused_async_engine())


class SimulatedWriter:
    """Writes one body after another, each after a while and each in a transaction of its own."""

    def __init__(self, engine: Engine, fate: ProcessFate) -> None:
        self.engine = engine
        self._fate = fate
        self._turn = asyncio.Lock()

    async def run(self, body: Callable[[WriteTransaction], T], order: str | None) -> T:
        async with self._turn:
            self._fate.raise_if_dead()
            written: list[T] = []
            await run_to_completion(self._write_once(body, written))
            return written[0]

    async def _write_once(self, body: Callable[[WriteTransaction], T], written: list[T]) -> None:
        fate = self._fate
        fate.writes += 1
        await asyncio.sleep(fate.chance.uniform(0.0, SLOWEST_S))
        if fate.writes == fate.freezes_at:
            await asyncio.sleep(FROZEN_S)
        dies = fate.writes == fate.dies_at
        if dies and not fate.commits_on_death:
            fate.dead.set()
        fate.raise_if_dead()
        if fate.draw_failure():
            raise DatabaseBusy("The database is busy.")
        after_commit = self._commit(body, written)
        if dies:
            fate.dead.set()
        await asyncio.sleep(fate.chance.uniform(0.0, SLOWEST_S / 4))
        fate.raise_if_dead()
        for callback in after_commit:
            callback()

    def _commit(self, body: Callable[[WriteTransaction], T], written: list[T]) -> Sequence[Callable[[], None]]:
        with self.engine.begin() as connection:
            result, after_commit = WriteTransaction(connection).run(body)
            if self._fate.draw_failure():
                raise StorageFull("The disk is full.")
        written.append(result)
        return after_commit


class SimulatedReadPool:
    """Takes looks, each after a while."""

    def __init__(self, engine: Engine, fate: ProcessFate) -> None:
        self._engine = engine
        self._fate = fate

    async def run(self, body: Callable[[Connection], T]) -> T:
        await asyncio.sleep(self._fate.chance.uniform(0.0, SLOWEST_S))
        self._fate.raise_if_dead()
        with self._engine.connect() as connection:
            return body(connection)

    async def fetch(self, statement: Executable, values: Mapping[str, Any]) -> Sequence[Row[Any]]:
        return await self.run(lambda connection: connection.execute(statement, values).all())

    async def close(self) -> None:
        """Nothing is left over: each look is awaited."""
