"""A database that is played: real SQLite in memory, asked by processes that share it and that fate may end."""

import asyncio
import random
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import StaticPool

from sprout.errors import DatabaseBusy, SetupError, StorageFull
from sprout.store.async_connections import to_the_end
from sprout.store.columns import json_text
from sprout.store.database import Database
from sprout.store.migrate import upgrade
from sprout.store.write import Write

SLOWEST_S = 0.02  # a commit, as a rule
FROZEN_S = 100.0  # until the lease is over, and somebody has looked for what was left

T = TypeVar("T")


@dataclass(slots=True)
class Fate:
    """What becomes of one process's way to the database.

    Args:
        dies_at: at which of its writes it is killed; None where nothing kills it.
        stored: whether that write is committed all the same, and nobody hears of it.
        freezes_at: at which of its writes it stands still until its lease is over.
        ill: how many of a thousand writes are refused or fail at their commit.
    """

    chance: random.Random
    dies_at: int | None = None
    stored: bool = True
    freezes_at: int | None = None
    ill: int = 0
    writes: int = 0
    dead: asyncio.Event = field(default_factory=asyncio.Event)

    def calm(self) -> None:
        """Have nothing happen from now on."""
        self.dies_at, self.freezes_at, self.ill = None, None, 0

    def is_ill(self) -> bool:
        return self.chance.randrange(1_000) < self.ill

    def refuse_the_dead(self) -> None:
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
def _of_lists() -> AsyncEngine:
    """What the lists of the page are read with, for which nobody asks here."""
    return create_async_engine("sqlite+aiosqlite://")


@cache
def _empty() -> bytes:
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
        driver.deserialize(_empty())
        driver.execute("PRAGMA foreign_keys=ON")
    yield engine


def database_of(engine: Engine, fate: Fate) -> Database:
    """The database as one process has it."""
    return Database(PlayedWriter(engine, fate), PlayedLooks(engine, fate), _of_lists())


class PlayedWriter:
    """Writes one body after another, each after a while and each in a transaction of its own."""

    def __init__(self, engine: Engine, fate: Fate) -> None:
        self.engine = engine
        self._fate = fate
        self._turn = asyncio.Lock()

    async def write(self, body: Callable[[Write], T], order: str | None) -> T:
        async with self._turn:
            self._fate.refuse_the_dead()
            written: list[T] = []
            await to_the_end(self._written(body, written))
            return written[0]

    async def _written(self, body: Callable[[Write], T], written: list[T]) -> None:
        fate = self._fate
        fate.writes += 1
        await asyncio.sleep(fate.chance.uniform(0.0, SLOWEST_S))
        if fate.writes == fate.freezes_at:
            await asyncio.sleep(FROZEN_S)
        dies = fate.writes == fate.dies_at
        if dies and not fate.stored:
            fate.dead.set()
        fate.refuse_the_dead()
        if fate.is_ill():
            raise DatabaseBusy("The database is busy.")
        after_commit = self._committed(body, written)
        if dies:
            fate.dead.set()
        await asyncio.sleep(fate.chance.uniform(0.0, SLOWEST_S / 4))
        fate.refuse_the_dead()
        for callback in after_commit:
            callback()

    def _committed(self, body: Callable[[Write], T], written: list[T]) -> Sequence[Callable[[], None]]:
        with self.engine.begin() as connection:
            result, after_commit = Write(connection).carry_out(body)
            if self._fate.is_ill():
                raise StorageFull("The disk is full.")
        written.append(result)
        return after_commit


class PlayedLooks:
    """Takes looks, each after a while."""

    def __init__(self, engine: Engine, fate: Fate) -> None:
        self._engine = engine
        self._fate = fate

    async def take(self, look: Callable[[Connection], T]) -> T:
        await asyncio.sleep(self._fate.chance.uniform(0.0, SLOWEST_S))
        self._fate.refuse_the_dead()
        with self._engine.connect() as connection:
            return look(connection)

    async def close(self) -> None:
        """Nothing is left over: each look is awaited."""
