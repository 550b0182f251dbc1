"""The database: one writer at a time on SQLite, row locks on PostgreSQL, and readers that see one moment."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from functools import partial
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, Executable, Row, create_engine, event, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool
from sqlmodel import Session
from sqlmodel.ext.asyncio.session import AsyncSession

from sprout.errors import DatabaseUnavailable, SproutError
from sprout.store.engine.cancellation import open_snapshot, run_to_completion
from sprout.store.engine.failures import DatabaseDamaged, DatabaseUnreachable, translate_errors
from sprout.store.engine.idle_connections import check_without_asking
from sprout.store.engine.migrate import ensure_current, head, knows
from sprout.store.engine.postgres_writer import PostgresWriter
from sprout.store.engine.quotas import ENGINE_OPTION as QUOTAS_OPTION
from sprout.store.engine.quotas import Quotas
from sprout.store.engine.read_pool import AsyncReadPool, ReadPool, ThreadedReadPool
from sprout.store.engine.sqlite_writer import open_sqlite_writer
from sprout.store.engine.transaction import Writer, WriteTransaction
from sprout.store.engine.urls import async_url, sqlite_file, sync_url
from sprout.store.schema.columns import json_text
from sprout.store.sqlite.checks import mark_closed, mark_open
from sprout.store.sqlite.lock_file import lock_database

BUSY_TIMEOUT_MS = 5_000
IDLE_IN_TRANSACTION_MS = 5_000
READ_CONNECTIONS = 4
KEPT_CONNECTIONS, BUSY_CONNECTIONS = 5, 10  # to PostgreSQL, for writes and as many for reads; the latter beyond those
POSTGRES_CONNECTIONS = 2 * (KEPT_CONNECTIONS + BUSY_CONNECTIONS) + 1  # at most, with that of the server's lock

T = TypeVar("T")

_log = logging.getLogger(__name__)


class Database:
    """Reads and writes; every driver's error comes out as a SproutError."""

    def __init__(self, writer: Writer, read_pool: ReadPool, reader: AsyncEngine) -> None:
        self.writer = writer
        self._read_pool = read_pool
        self._reader = reader
        self.sound = True  # until a read finds damage
        self._reached = True  # until a transaction finds no server

    async def write_tx(self, body: Callable[[WriteTransaction], T], *, order: str | None = None) -> T:
        """Run the body in one transaction, committed when it returns, rolled back when it raises; its result.

        Bodies are synchronous functions of nothing but the database: since they cannot await, a transaction never waits
        for anything else. On SQLite they run in the writer's thread, one after another, and those that wait together
        are committed together. Those of one order follow one another in this process, callbacks included. A body whose
        commit has begun is committed, and its callbacks are called, also if its caller is cancelled meanwhile.
        """
        with self._translate_errors():
            return await self.writer.run(body, order)

    async def read_tx(self, body: Callable[[Connection], T]) -> T:
        """Run a synchronous function over one read-only snapshot; its result."""
        with self._translate_errors():
            return await self._read_pool.run(body)

    async def fetch(self, statement: Executable, values: Mapping[str, Any] | None = None) -> Sequence[Row[Any]]:
        """The rows of one statement: on PostgreSQL a third of the round trips of a `read_tx` with it."""
        with self._translate_errors():
            return await self._read_pool.fetch(statement, values or {})

    async def read_orm_tx(self, body: Callable[[Session], T]) -> T:
        """`read_tx` with an ORM session."""

        def run(connection: Connection) -> T:
            with Session(bind=connection) as session:
                return body(session)

        return await self.read_tx(run)

    @asynccontextmanager
    async def open_read_session(self) -> AsyncIterator[AsyncSession]:
        """A session over one read-only snapshot, for callers that await one statement after another."""
        async with self.open_read_connection() as connection, AsyncSession(bind=connection) as session:
            yield session

    @asynccontextmanager
    async def open_read_connection(self) -> AsyncIterator[AsyncConnection]:
        """A connection over one read-only snapshot."""
        with self._translate_errors():
            async with open_snapshot(self._reader) as connection:
                yield connection

    async def is_reachable(self) -> bool:
        """Whether the database answers; if not, the reason is logged."""
        try:
            await self.fetch(text("select 1"))
        except SproutError:
            _log.warning("database.unreachable", exc_info=True)
            return False
        return True

    async def has_needed_schema(self) -> bool:
        """Whether the schema is that of this program, or of a newer one, which it works with until it is replaced.

        Raises SproutError: the database does not answer, or has no schema.
        """
        wanted = text("select version_num from alembic_version")
        (found,) = await self.fetch(wanted)
        return found.version_num == head() or not knows(found.version_num)

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            with translate_errors():
                yield
        except DatabaseDamaged:
            self.sound = False
            raise
        except DatabaseUnreachable as error:
            if self._reached:
                _log.warning("database.lost", exc_info=error)
            self._reached = False
            raise DatabaseUnavailable from error
        if not self._reached:
            _log.warning("database.back")
        self._reached = True


@asynccontextmanager
async def open_database(
    url: str, *, migrate: bool | None = None, quotas: Quotas | None = None
) -> AsyncIterator[Database]:
    """The database at `sqlite:///path` or `postgresql://…`, closed at the end of the block.

    Args:
        migrate: whether to bring an older schema up to date; None means yes for SQLite (which is backed up before),
            no for PostgreSQL, where `sprout migrate` does it.
        quotas: the limits for each learner; none by default.

    Raises SetupError: it cannot be reached or written, another process has it, it is damaged, the disk is full, or its
    schema is unknown or (not migrated) older; ServiceNotReady where that may pass by itself.
    """
    file = sqlite_file(url)
    options = {QUOTAS_OPTION: quotas or Quotas()}
    if file is None:
        from sprout.store.engine.postgres_server import check_server  # its driver is in an extra

        await check_server(url)
        await asyncio.to_thread(ensure_current, url, migrate=bool(migrate))
        reader = _postgresql_read_engine(url)
        snapshots = reader.execution_options(isolation_level="REPEATABLE READ")  # over the same connections
        async with _open(_postgresql_writer(url, options), AsyncReadPool(reader, snapshots), snapshots) as database:
            yield database
        return
    with lock_database(file) as lock:
        await run_to_completion(asyncio.to_thread(mark_open, file, lock))
        await run_to_completion(asyncio.to_thread(ensure_current, url, migrate=migrate is not False))
        reads = ThreadedReadPool(_sqlite_read_engine(url), READ_CONNECTIONS)
        async with _open(_sqlite_writer(url, options), reads, _sqlite_async_read_engine(url)) as database:
            yield database
        if database.sound:
            await run_to_completion(asyncio.to_thread(mark_closed, file, lock))


@asynccontextmanager
async def _open(
    open_writer: AbstractAsyncContextManager[Writer], read_pool: ReadPool, reader: AsyncEngine
) -> AsyncIterator[Database]:
    async with open_writer as writer:
        try:
            database = Database(writer, read_pool, reader)
            await database.write_tx(lambda tx: tx.connection.execute(text("select 1")).all())
            yield database
        finally:  # readers go first: the writer alone empties the write-ahead log
            try:
                await read_pool.close()
            finally:
                await run_to_completion(reader.dispose())


@asynccontextmanager
async def _sqlite_writer(url: str, options: Mapping[str, Any]) -> AsyncIterator[Writer]:
    engine = create_engine(
        sync_url(url), poolclass=NullPool, json_serializer=json_text, execution_options=dict(options)
    )
    _on_connect(engine, "journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON")
    event.listen(engine, "begin", _begin_immediate)
    async with open_sqlite_writer(engine) as writer:
        yield writer


def _sqlite_read_engine(url: str) -> Engine:
    engine = create_engine(sync_url(url), pool_size=READ_CONNECTIONS, max_overflow=0, json_serializer=json_text)
    return _make_read_only(engine)


def _sqlite_async_read_engine(url: str) -> AsyncEngine:
    reader = create_async_engine(async_url(url), pool_size=READ_CONNECTIONS, max_overflow=0, json_serializer=json_text)
    event.listen(_make_read_only(reader.sync_engine), "invalidate", _roll_back)
    return reader


def _make_read_only(engine: Engine) -> Engine:
    _on_connect(engine, "query_only=ON", "wal_autocheckpoint=0")
    event.listen(engine, "begin", _begin)
    return engine


@asynccontextmanager
async def _postgresql_writer(url: str, options: Mapping[str, Any]) -> AsyncIterator[Writer]:
    # A paused process must not block the worker that takes over its runs. PostgreSQL's timeout begins when a statement
    # has been answered; in the middle of the driver's pipelines, of which it makes every executemany, it never begins.
    limit_idle = f"set idle_in_transaction_session_timeout = {IDLE_IN_TRANSACTION_MS}"
    engine = _postgresql_engine(url, execution_options=dict(options))
    event.listen(engine.sync_engine, "connect", partial(_run_once, limit_idle))
    engine.dialect.use_insertmanyvalues_wo_returning = True
    event.listen(engine.sync_engine, "do_executemany", _execute_one_by_one)
    try:
        yield PostgresWriter(engine)
    finally:
        await engine.dispose()


def _postgresql_read_engine(url: str) -> AsyncEngine:
    # Reads stay prepared; a plan that is made once for all values would take a class of two hundred for one of ten.
    engine = _postgresql_engine(url, isolation_level="AUTOCOMMIT")
    for setting in ("session characteristics as transaction read only", "plan_cache_mode = force_custom_plan"):
        event.listen(engine.sync_engine, "connect", partial(_run_once, f"set {setting}"))
    return engine


def _postgresql_engine(url: str, **options: Any) -> AsyncEngine:
    engine = create_async_engine(
        async_url(url),
        json_serializer=json_text,
        pool_size=KEPT_CONNECTIONS,
        max_overflow=BUSY_CONNECTIONS,
        pool_use_lifo=True,  # the connection that was used last has its statements prepared
        pool_pre_ping=True,
        **options,
    )
    check_without_asking(engine)
    return engine


def _run_once(statement: str, connection: Any, _record: object) -> None:
    cursor = connection.cursor()
    cursor.execute(statement)
    cursor.close()
    connection.commit()


def _execute_one_by_one(cursor: Any, statement: str, parameters: Sequence[object], context: Any) -> bool:
    count = 0
    for values in parameters:
        cursor.execute(statement, values)
        count += cursor.rowcount
    context._rowcount = count  # else it is that of the last row's statement
    return True


def _on_connect(engine: Engine, *pragmas: str) -> None:
    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # or the driver would begin transactions by itself
        cursor = connection.cursor()
        for pragma in (f"busy_timeout={BUSY_TIMEOUT_MS}", *pragmas):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()


def _begin_immediate(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN")


def _roll_back(connection: Any, _record: object, _reason: object) -> None:
    """Release the file's lock: SQLite keeps a closed connection, with its lock, while a cancelled statement lives."""
    connection.rollback()
