"""The Dispatcher of a single process: tasks on its event loop."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from sprout.runs.dispatcher import Advance, Transaction

log = logging.getLogger(__name__)


class AsyncioDispatcher:
    """Starts a task per lane; a wake-up for a lane that is being advanced advances it once more."""

    def __init__(self) -> None:
        self._advance: Advance | None = None
        self._refresh: Callable[[str], None] | None = None
        self._advancing: dict[str, bool] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._jobs: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def running(self, advance: Advance, refresh: Callable[[str], None]) -> AsyncIterator[None]:
        self._advance, self._refresh = advance, refresh
        try:
            yield
        finally:
            await self.drain()

    def wake_lane(self, lane: str, transaction: Transaction) -> None:
        transaction.after_commit(lambda: self._schedule(lane))

    def wake_run(self, run_id: str) -> None:
        if self._refresh is not None:
            self._refresh(run_id)

    def every(self, seconds: float, job: Callable[[], Awaitable[None]]) -> None:
        if self._advance is not None:
            self._track(self._jobs, asyncio.create_task(_repeat(seconds, job)))

    async def drain(self) -> None:
        self._advance = self._refresh = None
        for job in self._jobs:
            job.cancel()
        await asyncio.gather(*self._jobs, *self._tasks, return_exceptions=True)

    def _schedule(self, lane: str) -> None:
        if self._advance is None:
            return
        if lane in self._advancing:
            self._advancing[lane] = True
            return
        self._advancing[lane] = True
        self._track(self._tasks, asyncio.create_task(self._advance_lane(lane, self._advance)))

    async def _advance_lane(self, lane: str, advance: Advance) -> None:
        try:
            while self._advancing[lane]:
                self._advancing[lane] = False
                await _try_advance(advance, lane)
        finally:
            del self._advancing[lane]

    def _track(self, tasks: set[asyncio.Task[None]], task: asyncio.Task[None]) -> None:
        tasks.add(task)
        task.add_done_callback(tasks.discard)


async def _try_advance(advance: Advance, lane: str) -> None:
    """Advance a lane; one that fails is found by the next sweep."""
    try:
        await advance(lane)
    except Exception:  # a bug in one lane must not end the dispatcher
        log.exception("agent_run.dispatch_next_failed", extra={"lane": lane})


async def _repeat(seconds: float, job: Callable[[], Awaitable[None]]) -> None:
    while True:
        await asyncio.sleep(seconds)
        try:
            await job()
        except Exception:  # the job is tried again in the next round
            log.exception("job.failed", extra={"problem": getattr(job, "__name__", "job")})
