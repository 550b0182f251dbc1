"""SQLite's writer: one thread that runs waiting bodies and commits them together."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from contextvars import copy_context
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine

from sprout.errors import SetupError
from sprout.store.engine.cancellation import run_to_completion
from sprout.store.engine.transaction import WriteTransaction

MAX_BATCH = 64

T = TypeVar("T")


class SqliteWriter:
    """Runs bodies one after another, in order, on one connection of one thread.

    Bodies that wait together share a transaction and thereby one flush to the disk. Each has a savepoint: one that
    raises rolls back its own changes alone. A commit that fails fails all of them, and no callback is called.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._loop = asyncio.get_running_loop()
        self._queue: SimpleQueue[_Job | None] = SimpleQueue()
        self._closing = False
        self._stopped = self._loop.create_future()
        self._connection: Connection | None = None
        self._thread = Thread(target=self._work, name="sprout-writer", daemon=True)
        self._thread.start()

    async def run(self, body: Callable[[WriteTransaction], T], order: str | None) -> T:
        """Run the body. A cancellation removes it from the queue; a body that has begun is waited for.

        Raises SetupError: the database is closed.
        """
        if self._closing:
            raise SetupError("The database is closed.")
        job = _Job(body, self._loop)
        self._queue.put(job)
        try:
            await asyncio.shield(job.done)
        except asyncio.CancelledError:
            if not job.claim():
                await run_to_completion(job.done)
            raise
        if job.error is not None:
            raise job.error
        result: T = job.result
        return result

    async def close(self) -> None:
        """Run what waits, then end the thread."""
        self._closing = True
        self._queue.put(None)
        await self._stopped
        self._thread.join()

    def _work(self) -> None:
        try:
            while self._next_batch():
                pass
        finally:
            self._closing = True
            self._disconnect()
            self._loop.call_soon_threadsafe(self._stopped.set_result, None)

    def _next_batch(self) -> bool:
        """Wait for jobs and run them; whether there may be more."""
        jobs, last = self._take_batch()
        if jobs:
            self._run_batch(jobs)
            self._loop.call_soon_threadsafe(_notify_callers, jobs)
        return not last

    def _take_batch(self) -> tuple[Sequence["_Job"], bool]:
        """The waiting jobs, and whether none follows."""
        jobs: list[_Job] = []
        job = self._queue.get()
        with suppress(Empty):
            while job is not None:
                if job.claim():
                    jobs.append(job)
                if len(jobs) == MAX_BATCH:
                    break
                job = self._queue.get_nowait()
        return jobs, job is None

    def _run_batch(self, jobs: Sequence["_Job"]) -> None:
        try:
            connection = self._connect()
            transaction = connection.begin()
            if len(jobs) == 1:
                jobs[0].run(connection)
            else:
                for job in jobs:
                    _run_in_savepoint(job, connection)
            if all(job.error is not None for job in jobs):
                transaction.close()
            else:
                transaction.commit()
            if connection.in_transaction():
                self._disconnect()  # a body that went on after a failed flush has begun another transaction
        except BaseException as error:  # noqa: BLE001 - it is raised to the caller
            for job in jobs:
                job.fail(error)
            self._disconnect()

    def _connect(self) -> Connection:
        if self._connection is None:
            self._connection = self.engine.connect()
        return self._connection

    def _disconnect(self) -> None:
        """Close the connection and roll back its transaction; the next job opens another."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.invalidate()
            connection.close()


class _Job:
    """A queued body. It belongs to the first that claims it: the thread, or its cancelled caller."""

    __slots__ = ("_body", "_claimed", "_context", "after_commit", "done", "error", "result")

    def __init__(self, body: Callable[[WriteTransaction], Any], loop: asyncio.AbstractEventLoop) -> None:
        self._body = body
        self._context = copy_context()
        self._claimed = Lock()
        self.done = loop.create_future()
        self.result: Any = None
        self.error: BaseException | None = None
        self.after_commit: Sequence[Callable[[], None]] = ()

    def claim(self) -> bool:
        return self._claimed.acquire(blocking=False)

    def run(self, connection: Connection) -> None:
        """Run the body; its exception is for its caller alone."""
        try:
            self.result, self.after_commit = self._context.run(WriteTransaction(connection).run, self._body)
        except BaseException as error:  # noqa: BLE001 - it is raised to the caller
            self.error = error

    def fail(self, error: BaseException) -> None:
        """Raise this to the caller, unless the body has failed by itself; no callback is called."""
        self.error = self.error or error
        self.after_commit = ()

    def run_callbacks(self) -> None:
        """Call the callbacks that follow the commit."""
        try:
            for callback in self.after_commit:
                self._context.run(callback)
        except BaseException as error:  # noqa: BLE001 - it is raised to the caller
            self.error = error


def _run_in_savepoint(job: _Job, connection: Connection) -> None:
    """The savepoint is the driver's: SQLAlchemy's own costs more than many a body."""
    driver: Any = connection.connection.dbapi_connection
    driver.execute("SAVEPOINT job")
    job.run(connection)
    if job.error is not None:
        if not driver.in_transaction:
            raise job.error  # SQLite rolled back everything by itself: the disk is full or broken
        driver.execute("ROLLBACK TO job")
    driver.execute("RELEASE job")


def _notify_callers(jobs: Sequence[_Job]) -> None:
    """On the event loop: the callbacks in the order of commits, then the callers' results."""
    for job in jobs:
        job.run_callbacks()
    for job in jobs:
        job.done.set_result(None)


@asynccontextmanager
async def open_sqlite_writer(engine: Engine) -> AsyncIterator[SqliteWriter]:
    """The writer; its thread ends with the block."""
    writer = SqliteWriter(engine)
    try:
        yield writer
    finally:
        await run_to_completion(writer.close())
