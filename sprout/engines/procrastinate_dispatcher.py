"""The Dispatcher of many processes: Procrastinate brings lanes to workers, PostgreSQL's notifications the rest."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from procrastinate import App, RetryStrategy
from sqlalchemy import Connection, TextClause, text

from sprout.engines.procrastinate_connector import RECONNECT_S, Connector, Jobs, translate_errors
from sprout.engines.repeating import repeat
from sprout.errors import DatabaseUnavailable
from sprout.runs.cancellation import end_tasks, raise_if_cancelled
from sprout.runs.dispatcher import Advance, Transaction
from sprout.runs.lanes import is_lesson

LESSONS, GROWTH = "lessons", "growth"
PRIORITY = {LESSONS: 1, GROWTH: 0}
ADVANCE_LANE = "advance_lane"
CHANNEL = "sprout"
RUN_CHANGED, DOCUMENT_ADDED = "run:", "document"
STALLED_S = 30.0
HELD_JOBS_GRACE_S = 4.0
LOOPS_END_S = 6.0  # with that, and what they tell the database
NEVER_S = 1e6  # no job is aborted: a run is stopped by its row
CONNECTIONS = 3  # one for each queue's loop, one for what they do beside
MAX_CONNECTIONS = CONNECTIONS + 3  # with the listeners of both loops and of the notifications

_DEFER = text("""
    select procrastinate_defer_jobs_v1(array[
        row(:queue, :task, :priority, null, null, jsonb_build_object('lane', cast(:lane as text)), null)
        ::procrastinate_job_to_defer_v1
    ])
""")
_DEFER_MISSING = """
    select procrastinate_defer_jobs_v1(array_agg(
        row(queue, %(task)s, priority, null, null, jsonb_build_object('lane', lane), null)
        ::procrastinate_job_to_defer_v1
    ))
    from unnest(%(lanes)s::text[], %(queues)s::text[], %(priorities)s::int[]) as woken (lane, queue, priority)
    where lane not in (select args ->> 'lane' from procrastinate_jobs where status = 'todo' and task_name = %(task)s)
    having count(*) > 0
"""
_NOTIFY = text("select pg_notify(:channel, :said)")

log = logging.getLogger(__name__)


class WorkerStops(Exception):
    """This worker takes no more runs: its job goes back to the queue, for another."""


class ProcrastinateDispatcher:
    """Wakes a lane by a job in the caller's transaction, so that a run and its job are one commit.

    A job claims the head of its lane, and holds its place while the run works in this process: so the jobs of a worker
    are the runs that it carries. A run that waits for its children gives its place back, or parents would wait for
    places that they hold themselves. No job has a lock: the claims of the store keep a lane to one worker, also where
    a worker was killed or frozen.

    Args:
        url: of the database, as libpq takes it.
        places: how many runs work in this process at once; 0 where none do.
        on_document: called when a document was added by any process.
        stalled_s: after this long without a sign of life a worker counts as killed.
    """

    def __init__(
        self,
        url: str,
        *,
        places: int = 0,
        on_document: Callable[[], None] = lambda: None,
        stalled_s: float = STALLED_S,
    ) -> None:
        self._places = places
        self._on_document = on_document
        self._stalled_s = stalled_s
        self._app = App(connector=Connector(url, CONNECTIONS))
        self._app.job_manager = Jobs(self._app.connector)
        self._app.task(name=ADVANCE_LANE, retry=RetryStrategy(max_attempts=3, wait=1))(self._advance_lane)
        self._advance: Advance | None = None
        self._refresh: Callable[[str], None] = lambda _: None
        self._loops: set[asyncio.Task[None]] = set()
        self._jobs: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def running(self, advance: Advance, refresh: Callable[[str], None]) -> AsyncIterator[None]:
        if not self._places:
            yield
            return
        self._advance, self._refresh = advance, refresh
        async with AsyncExitStack() as opened:
            opened.push_async_callback(self._app.close_async)  # also where it was opened in part
            with translate_errors():
                await self._app.open_async()
            self._start_loops()
            try:
                yield
            finally:
                self.stop()
                await end_tasks(self._jobs)
                await asyncio.wait(self._loops, timeout=LOOPS_END_S)
                await end_tasks(self._loops, repeat_s=RECONNECT_S)

    def wake_lane(self, lane: str, transaction: Transaction) -> None:
        queue = _queue_of(lane)
        values = {"queue": queue, "task": ADVANCE_LANE, "priority": PRIORITY[queue], "lane": lane}
        _execute(transaction, _DEFER, values)

    def wake_run(self, run_id: str, transaction: Transaction) -> None:
        _notify(transaction, RUN_CHANGED + run_id)

    def announce_document(self, transaction: Transaction) -> None:
        """Have a worker read a document, if the transaction is committed."""
        _notify(transaction, DOCUMENT_ADDED)

    async def advance_all(self, lanes: Sequence[str]) -> None:
        """Defer a job for each of these lanes that has none yet."""
        queues = [_queue_of(lane) for lane in lanes]
        priorities = [PRIORITY[queue] for queue in queues]
        if not lanes:
            return
        values = {"lanes": [*lanes], "queues": queues, "priorities": priorities}
        with translate_errors():
            await self._app.connector.execute_query_async(_DEFER_MISSING, task=ADVANCE_LANE, **values)

    def every(self, seconds: float, job: Callable[[], Awaitable[None]]) -> None:
        self._jobs.add(asyncio.create_task(repeat(seconds, job)))

    def stop(self) -> None:
        if self._advance is not None:
            self._advance = None
            for loop in self._loops:
                loop.cancel()  # once: it takes no more jobs, and waits for those that it has

    def _start_loops(self) -> None:
        """Take lessons and growth as places become free; a fourth of the places is for lessons alone."""
        kept = max(1, self._places // 4)
        for queues, places in (([LESSONS], kept), ([LESSONS, GROWTH], self._places - kept)):
            self._loops.add(asyncio.create_task(self._take_jobs(queues, places), name=f"queue {queues[-1]}"))
        listening = self._app.connector.listen_notify(self._hear, [CHANNEL])
        self._jobs.add(asyncio.create_task(listening, name="notifications"))
        self.every(self._stalled_s, self._retry_stalled)

    async def _take_jobs(self, queues: Sequence[str], places: int) -> None:
        """Process jobs until this is cancelled; after a loss of the database, go on once it is back."""
        while True:
            try:
                with translate_errors():
                    await self._app.run_worker_async(
                        queues=queues,
                        name=queues[-1],
                        concurrency=places,
                        delete_jobs="always",
                        install_signal_handlers=False,
                        abort_job_polling_interval=NEVER_S,
                        shutdown_graceful_timeout=HELD_JOBS_GRACE_S,
                        stalled_worker_timeout=self._stalled_s,
                    )
            except DatabaseUnavailable:
                log.info("queue.lost")  # that of the database is told where it is found
            except Exception:  # the queue is served again once that works
                log.warning("queue.lost", exc_info=True)
            raise_if_cancelled()
            await asyncio.sleep(RECONNECT_S)

    async def _advance_lane(self, lane: str, **_newer: object) -> None:
        """Advance the lane, also where a newer program has put more into the job."""
        if self._advance is None:
            raise WorkerStops
        try:
            place_free = await self._advance(lane)
        except DatabaseUnavailable:
            raise  # its loss is told where it is found
        except Exception:
            log.exception("agent_run.dispatch_next_failed", extra={"lane": lane})
            raise  # so that the job is tried again
        if place_free is not None:
            await place_free.wait()

    async def _retry_stalled(self) -> None:
        """Put the jobs of killed workers back; their runs are claimed once their leases have expired."""
        jobs = self._app.job_manager
        with translate_errors():
            stalled = await jobs.get_stalled_jobs(seconds_since_heartbeat=self._stalled_s)
        for job in stalled:
            await jobs.retry_job(job)  # another worker may have been first

    async def _hear(self, *, channel: str, payload: str) -> None:
        if payload.startswith(RUN_CHANGED):
            self._refresh(payload.removeprefix(RUN_CHANGED))
        elif payload == DOCUMENT_ADDED:
            self._on_document()


def _queue_of(lane: str) -> str:
    return LESSONS if is_lesson(lane) else GROWTH


def _notify(transaction: Transaction, said: str) -> None:
    _execute(transaction, _NOTIFY, {"channel": CHANNEL, "said": said})


def _execute(transaction: Transaction, statement: TextClause, values: dict[str, Any]) -> None:
    connection = transaction.connection
    assert isinstance(connection, Connection)
    connection.execute(statement, values)
