"""The database: one writer at a time on SQLite, row locks on PostgreSQL, and commits that cannot be cancelled."""

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from typing import Any
from weakref import WeakValueDictionary

from sqlalchemy import Connection, event, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlmodel.ext.asyncio.session import AsyncSession

from sprout.errors import SproutError
from sprout.store.columns import json_text
from sprout.store.failures import translated
from sprout.store.lock_file import held
from sprout.store.migrate import ensure_current
from sprout.store.urls import async_url, sqlite_file

BUSY_TIMEOUT_MS = 5_000
READERS = 4
SAFE_SQLITE = (3, 51, 3)  # older ones can damage the file when several processes write ahead at once

_log = logging.getLogger(__name__)


class Write:
    """A transaction: `connection` for plain SQL, `session` for objects; both are the same transaction."""

    def __init__(self, connection: AsyncConnection) -> None:
        self.connection = connection
        self._session: AsyncSession | None = None
        self._after_commit: list[Callable[[], None]] = []

    @property
    def session(self) -> AsyncSession:
        if self._session is None:
            self._session = AsyncSession(bind=self.connection, expire_on_commit=False)
        return self._session

    def after_commit(self, callback: Callable[[], None]) -> None:
        """Call this once the transaction is committed, before the next one of the same order begins."""
        self._after_commit.append(callback)

    async def lock(self, key: str) -> None:
        """Wait until no other transaction holds this key, and hold it to the end of this one."""
        if self.connection.dialect.name == "postgresql":
            await self.connection.execute(_ADVISORY_LOCK, {"key": key})

    async def finish(self) -> None:
        if self._session is not None:
            await self._session.flush()
        await _to_the_end(self._commit())

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()

    async def _commit(self) -> None:
        await self.connection.commit()
        for callback in self._after_commit:
            callback()


_ADVISORY_LOCK = text("select pg_advisory_xact_lock(hashtextextended(:key, 0))")


class Database:
    """Reads and writes; every driver's error comes out as a SproutError."""

    def __init__(self, writer: AsyncEngine, reader: AsyncEngine) -> None:
        self.writer = writer
        self.reader = reader
        self._one_writer = asyncio.Lock() if writer.dialect.name == "sqlite" else None
        self._orders: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def writing(self, *, order: str | None = None) -> AsyncIterator[Write]:
        """One transaction: committed at the end of the block, rolled back when it raises.

        Transactions of the same order in this process follow one another, callbacks included. Once the commit has
        begun it is done to the end, also when the task is cancelled meanwhile. Never wait for anything else inside.
        """
        with translated():
            async with self._turn(order), _connected(self.writer) as connection:
                write = Write(connection)
                _ = await connection.begin()  # begun here, so that a session joins it and does not own it
                try:
                    yield write
                    await write.finish()
                finally:
                    await write.close()

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncSession]:
        """One snapshot of the data; nothing can be written in it."""
        with translated():
            async with _connected(self.reader) as connection, AsyncSession(bind=connection) as session:
                yield session

    @asynccontextmanager
    async def reading_rows(self) -> AsyncIterator[AsyncConnection]:
        """`reading`, for plain SQL."""
        with translated():
            async with _connected(self.reader) as connection:
                yield connection

    async def answers(self) -> bool:
        """Whether the database can be asked; why not is in the log."""
        try:
            async with self.reading_rows() as connection:
                await connection.execute(text("select 1"))
        except SproutError:
            _log.warning("database.no_answer", exc_info=True)
            return False
        return True

    def _turn(self, order: str | None) -> AbstractAsyncContextManager[Any]:
        if self._one_writer is not None:
            return self._one_writer  # an asyncio.Lock lets waiters in first come, first served
        if order is None:
            return nullcontext()
        return self._orders.setdefault(order, asyncio.Lock())


@asynccontextmanager
async def open_database(url: str, *, migrate: bool | None = None) -> AsyncIterator[Database]:
    """The database at `sqlite:///path` or `postgresql://…`, closed at the end of the block.

    Args:
        migrate: whether to bring an older schema up to date; None means yes for SQLite (which is backed up before),
            no for PostgreSQL, where `sprout migrate` does it.

    Raises SetupError: it cannot be reached, another process has it, its schema is newer or (not migrated) older.
    """
    file = sqlite_file(url)
    async with AsyncExitStack() as stack:
        if file is not None:
            stack.enter_context(held(file))
            _warn_of_old_sqlite()
        await asyncio.to_thread(ensure_current, url, migrate=file is not None if migrate is None else migrate)
        database = _sqlite(url) if file is not None else _postgresql(url)
        stack.push_async_callback(database.writer.dispose)
        stack.push_async_callback(database.reader.dispose)  # goes first: the writer alone empties the write-ahead log
        async with database.writing() as write:
            await write.connection.execute(text("select 1"))
        yield database


@asynccontextmanager
async def _connected(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    """A connection from the pool; one that is cancelled while it is being made would stay open unseen."""
    connection = engine.connect()
    try:
        await _to_the_end(connection.start())
        yield connection
    finally:
        if connection.sync_connection is not None:
            await _to_the_end(connection.close())


async def _to_the_end(work: Awaitable[object]) -> None:
    """Await the work; a cancellation that comes meanwhile is raised when the work is done."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    task.result()
    if cancelled is not None:
        raise cancelled


def _sqlite(url: str) -> Database:
    writer = create_async_engine(async_url(url), pool_size=1, max_overflow=0, json_serializer=json_text)
    reader = create_async_engine(async_url(url), pool_size=READERS, max_overflow=0, json_serializer=json_text)
    _on_connect(writer, "journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON")
    _on_connect(reader, "query_only=ON", "wal_autocheckpoint=0")
    event.listen(writer.sync_engine, "begin", _begin_immediate)
    event.listen(reader.sync_engine, "begin", _begin)
    for engine in (writer, reader):
        event.listen(engine.sync_engine, "invalidate", _roll_back)
    return Database(writer, reader)


def _postgresql(url: str) -> Database:
    writer = create_async_engine(async_url(url), json_serializer=json_text, pool_pre_ping=True)
    reader = create_async_engine(
        async_url(url),
        json_serializer=json_text,
        pool_pre_ping=True,
        isolation_level="REPEATABLE READ",
        execution_options={"postgresql_readonly": True},
    )
    return Database(writer, reader)


def _on_connect(engine: AsyncEngine, *pragmas: str) -> None:
    @event.listens_for(engine.sync_engine, "connect")
    def prepare(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # or the driver would begin transactions by its own lights
        cursor = connection.cursor()
        for pragma in (f"busy_timeout={BUSY_TIMEOUT_MS}", *pragmas):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()


def _begin_immediate(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN")


def _roll_back(connection: Any, _record: object, _reason: object) -> None:
    """Let go of the file's lock: SQLite keeps a closed connection, with its lock, while a cancelled statement lives."""
    connection.rollback()


def _warn_of_old_sqlite() -> None:
    if sqlite3.sqlite_version_info < SAFE_SQLITE:
        _log.warning("SQLite %s has a known fault in its write-ahead log; 3.51.3 mends it.", sqlite3.sqlite_version)
