"""The database: one writer at a time on SQLite, row locks on PostgreSQL, and readers that see one moment."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool
from sqlmodel import Session
from sqlmodel.ext.asyncio.session import AsyncSession

from sprout.errors import SproutError
from sprout.store.async_connections import open_connection, to_the_end
from sprout.store.checks import seal, take
from sprout.store.columns import json_text
from sprout.store.failures import DatabaseDamaged, translated
from sprout.store.group_commit import group_commit
from sprout.store.lock_file import held
from sprout.store.looks import Looks, LooksInThreads, LooksOnLoop
from sprout.store.migrate import ensure_current, head
from sprout.store.quotas import OPTION as QUOTAS_OPTION
from sprout.store.quotas import Quotas
from sprout.store.single_commit import SingleCommit
from sprout.store.urls import async_url, sqlite_file, sync_url
from sprout.store.write import Write, Writer

BUSY_TIMEOUT_MS = 5_000
IDLE_IN_TRANSACTION_MS = 5_000
READERS = 4

T = TypeVar("T")

_log = logging.getLogger(__name__)


class Database:
    """Reads and writes; every driver's error comes out as a SproutError."""

    def __init__(self, writer: Writer, looks: Looks, reader: AsyncEngine) -> None:
        self.writer = writer
        self._looks = looks
        self._reader = reader
        self.sound = True  # until something that was read is damaged

    async def write(self, body: Callable[[Write], T], *, order: str | None = None) -> T:
        """Run the body in one transaction, committed when it returns, rolled back when it raises; its result.

        Bodies are synchronous functions of nothing but the database: since they cannot await, nothing is ever waited
        for inside a transaction. On SQLite they run in the writer's thread, one after another, and those that wait
        together are committed together. Those of one order follow one another in this process, callbacks included.
        A body whose commit has begun is committed and told of, also when its caller is cancelled meanwhile.
        """
        with self._watched():
            return await self.writer.write(body, order)

    async def look(self, look: Callable[[Connection], T]) -> T:
        """What a synchronous look at one snapshot of the data finds, with the same lookups as in a body."""
        with self._watched():
            return await self._looks.take(look)

    async def read(self, look: Callable[[Session], T]) -> T:
        """`look`, for objects."""

        def looked(connection: Connection) -> T:
            with Session(bind=connection) as session:
                return look(session)

        return await self.look(looked)

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncSession]:
        """One snapshot of the data, for who awaits one statement after another; nothing can be written in it."""
        async with self.reading_rows() as connection, AsyncSession(bind=connection) as session:
            yield session

    @asynccontextmanager
    async def reading_rows(self) -> AsyncIterator[AsyncConnection]:
        """`reading`, for plain SQL."""
        with self._watched():
            async with open_connection(self._reader) as connection:
                yield connection

    async def answers(self) -> bool:
        """Whether the database can be asked; why not is in the log."""
        try:
            await self.look(lambda connection: connection.execute(text("select 1")).all())
        except SproutError:
            _log.warning("database.no_answer", exc_info=True)
            return False
        return True

    async def current(self) -> bool:
        """Whether the schema is that of this program. Raises SproutError where the database cannot be asked."""
        wanted = text("select version_num from alembic_version")
        return await self.look(lambda connection: connection.execute(wanted).scalars().all()) == [head()]

    @contextmanager
    def _watched(self) -> Iterator[None]:
        try:
            with translated():
                yield
        except DatabaseDamaged:
            self.sound = False
            raise


@asynccontextmanager
async def open_database(
    url: str, *, migrate: bool | None = None, quotas: Quotas | None = None
) -> AsyncIterator[Database]:
    """The database at `sqlite:///path` or `postgresql://…`, closed at the end of the block.

    Args:
        migrate: whether to bring an older schema up to date; None means yes for SQLite (which is backed up before),
            no for PostgreSQL, where `sprout migrate` does it.
        quotas: how much may be kept; as much as there is room for, where none are given.

    Raises SetupError: it cannot be reached, another process has it, it is damaged, there is no room for it, its schema
    is newer or (not migrated) older.
    """
    file = sqlite_file(url)
    options = {QUOTAS_OPTION: quotas or Quotas()}
    if file is None:
        await asyncio.to_thread(ensure_current, url, migrate=bool(migrate))
        reader = _postgresql_reader(url)
        async with _opened(_postgresql_writer(url, options), LooksOnLoop(reader), reader) as database:
            yield database
        return
    with held(file) as lock:
        await to_the_end(asyncio.to_thread(take, file, lock))
        await to_the_end(asyncio.to_thread(ensure_current, url, migrate=migrate is not False))
        looks = LooksInThreads(_sqlite_looker(url), READERS)
        async with _opened(_sqlite_writer(url, options), looks, _sqlite_reader(url)) as database:
            yield database
        if database.sound:
            await to_the_end(asyncio.to_thread(seal, file, lock))


@asynccontextmanager
async def _opened(
    writing: AbstractAsyncContextManager[Writer], looks: Looks, reader: AsyncEngine
) -> AsyncIterator[Database]:
    async with writing as writer:
        try:
            database = Database(writer, looks, reader)
            await database.write(lambda write: write.connection.execute(text("select 1")).all())
            yield database
        finally:  # readers go first: the writer alone empties the write-ahead log
            try:
                await looks.close()
            finally:
                await to_the_end(reader.dispose())


@asynccontextmanager
async def _sqlite_writer(url: str, options: Mapping[str, Any]) -> AsyncIterator[Writer]:
    engine = create_engine(
        sync_url(url), poolclass=NullPool, json_serializer=json_text, execution_options=dict(options)
    )
    _on_connect(engine, "journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON")
    event.listen(engine, "begin", _begin_immediate)
    async with group_commit(engine) as writer:
        yield writer


def _sqlite_looker(url: str) -> Engine:
    engine = create_engine(sync_url(url), pool_size=READERS, max_overflow=0, json_serializer=json_text)
    return _only_reading(engine)


def _sqlite_reader(url: str) -> AsyncEngine:
    reader = create_async_engine(async_url(url), pool_size=READERS, max_overflow=0, json_serializer=json_text)
    event.listen(_only_reading(reader.sync_engine), "invalidate", _roll_back)
    return reader


def _only_reading(engine: Engine) -> Engine:
    _on_connect(engine, "query_only=ON", "wal_autocheckpoint=0")
    event.listen(engine, "begin", _begin)
    return engine


@asynccontextmanager
async def _postgresql_writer(url: str, options: Mapping[str, Any]) -> AsyncIterator[Writer]:
    # Who is frozen in the middle of a transaction must not hold its locks against whoever takes his runs over.
    idle = f"-c idle_in_transaction_session_timeout={IDLE_IN_TRANSACTION_MS}"
    engine = create_async_engine(
        async_url(url),
        json_serializer=json_text,
        pool_pre_ping=True,
        connect_args={"options": idle},
        execution_options=dict(options),
    )
    try:
        yield SingleCommit(engine)
    finally:
        await engine.dispose()


def _postgresql_reader(url: str) -> AsyncEngine:
    return create_async_engine(
        async_url(url),
        json_serializer=json_text,
        pool_pre_ping=True,
        isolation_level="REPEATABLE READ",
        execution_options={"postgresql_readonly": True},
    )


def _on_connect(engine: Engine, *pragmas: str) -> None:
    @event.listens_for(engine, "connect")
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
