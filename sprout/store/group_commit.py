"""SQLite's writer: one thread that takes the bodies which wait together, and commits them together."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from contextvars import copy_context
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine

from sprout.errors import SetupError
from sprout.store.async_connections import to_the_end
from sprout.store.write import Write

MOST_AT_ONCE = 64

T = TypeVar("T")


class GroupCommit:
    """Bodies run one after another in the order in which they came, whole, on one connection of one thread.

    Those that wait together share a transaction and thereby one wait for the disk. Each has a savepoint there: one
    that raises takes back what it did and nothing else. A commit that fails fails them all, and nothing is told.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._loop = asyncio.get_running_loop()
        self._waiting: SimpleQueue[_Job | None] = SimpleQueue()
        self._closing = False
        self._ended = self._loop.create_future()
        self._connection: Connection | None = None
        self._thread = Thread(target=self._work, name="sprout-writer", daemon=True)
        self._thread.start()

    async def write(self, body: Callable[[Write], T], order: str | None) -> T:
        """A caller that is cancelled leaves the queue; where its body has been taken, it waits for the end of it.

        Raises SetupError: the database is closed.
        """
        if self._closing:
            raise SetupError("The database is closed.")
        job = _Job(body, self._loop)
        self._waiting.put(job)
        try:
            await asyncio.shield(job.done)
        except asyncio.CancelledError:
            if not job.claim():
                await to_the_end(job.done)
            raise
        if job.error is not None:
            raise job.error
        result: T = job.result
        return result

    async def close(self) -> None:
        """Do what waits, then end the thread."""
        self._closing = True
        self._waiting.put(None)
        await self._ended
        self._thread.join()

    def _work(self) -> None:
        try:
            while self._next_batch():
                pass
        finally:
            self._closing = True
            self._disconnect()
            self._loop.call_soon_threadsafe(self._ended.set_result, None)

    def _next_batch(self) -> bool:
        """Wait for jobs and do them; whether there may be more."""
        jobs, last = self._taken()
        if jobs:
            self._do(jobs)
            self._loop.call_soon_threadsafe(_tell, jobs)
        return not last

    def _taken(self) -> tuple[Sequence["_Job"], bool]:
        """What waits, and whether nothing comes after it."""
        jobs: list[_Job] = []
        job = self._waiting.get()
        with suppress(Empty):
            while job is not None:
                if job.claim():
                    jobs.append(job)
                if len(jobs) == MOST_AT_ONCE:
                    break
                job = self._waiting.get_nowait()
        return jobs, job is None

    def _do(self, jobs: Sequence["_Job"]) -> None:
        try:
            connection = self._connected()
            transaction = connection.begin()
            if len(jobs) == 1:
                jobs[0].do(connection)
            else:
                for job in jobs:
                    _do_in_savepoint(job, connection)
            if all(job.error is not None for job in jobs):
                transaction.close()
            else:
                transaction.commit()
            if connection.in_transaction():
                self._disconnect()  # a body that went on after a failed flush has begun another
        except BaseException as error:  # noqa: BLE001 - it is raised where somebody waits for it
            for job in jobs:
                job.fail(error)
            self._disconnect()

    def _connected(self) -> Connection:
        if self._connection is None:
            self._connection = self.engine.connect()
        return self._connection

    def _disconnect(self) -> None:
        """Close the connection and with it whatever transaction it is in; the next job opens another."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.invalidate()
            connection.close()


class _Job:
    """A body on its way. Whoever claims it first has it: the thread, or its caller, who has been cancelled."""

    __slots__ = ("_body", "_claimed", "_context", "after_commit", "done", "error", "result")

    def __init__(self, body: Callable[[Write], Any], loop: asyncio.AbstractEventLoop) -> None:
        self._body = body
        self._context = copy_context()
        self._claimed = Lock()
        self.done = loop.create_future()
        self.result: Any = None
        self.error: BaseException | None = None
        self.after_commit: Sequence[Callable[[], None]] = ()

    def claim(self) -> bool:
        return self._claimed.acquire(blocking=False)

    def do(self, connection: Connection) -> None:
        """Run the body; what it raises is for its caller alone to see."""
        try:
            self.result, self.after_commit = self._context.run(Write(connection).carry_out, self._body)
        except BaseException as error:  # noqa: BLE001 - it is raised where somebody waits for it
            self.error = error

    def fail(self, error: BaseException) -> None:
        """Let the caller see this, unless the body has failed by itself; nothing is told."""
        self.error = self.error or error
        self.after_commit = ()

    def tell(self) -> None:
        """Call what is to be called after the commit."""
        try:
            for callback in self.after_commit:
                self._context.run(callback)
        except BaseException as error:  # noqa: BLE001 - it is raised where somebody waits for it
            self.error = error


def _do_in_savepoint(job: _Job, connection: Connection) -> None:
    """The savepoint is the driver's: SQLAlchemy's own costs more than what many a body does."""
    driver: Any = connection.connection.dbapi_connection
    driver.execute("SAVEPOINT job")
    job.do(connection)
    if job.error is not None:
        if not driver.in_transaction:
            raise job.error  # SQLite rolled everything back by itself: the disk is full, or broken
        driver.execute("ROLLBACK TO job")
    driver.execute("RELEASE job")


def _tell(jobs: Sequence[_Job]) -> None:
    """On the event loop: what follows the commit, in its order, then the news to those who wait."""
    for job in jobs:
        job.tell()
    for job in jobs:
        job.done.set_result(None)


@asynccontextmanager
async def group_commit(engine: Engine) -> AsyncIterator[GroupCommit]:
    """The writer; its thread does not outlive the block."""
    writer = GroupCommit(engine)
    try:
        yield writer
    finally:
        await to_the_end(writer.close())
