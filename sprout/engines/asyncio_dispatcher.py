"""The Dispatcher of a single process: tasks on its event loop."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from sprout.runs.dispatcher import Advance, Transaction

log = logging.getLogger(__name__)


class AsyncioDispatcher:
    """Wakes by starting a task per lane; a wake-up for a lane that is being advanced has it advanced once more."""

    def __init__(self) -> None:
        self._advance: Advance | None = None
        self._look: Callable[[str], None] | None = None
        self._advancing: dict[str, bool] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._jobs: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def started(self, advance: Advance, look: Callable[[str], None]) -> AsyncIterator[None]:
        self._advance, self._look = advance, look
        try:
            yield
        finally:
            await self.drain()

    def wake(self, lane: str, transaction: Transaction) -> None:
        transaction.after_commit(lambda: self._woken(lane))

    def nudge(self, run_id: str) -> None:
        if self._look is not None:
            self._look(run_id)

    def every(self, seconds: float, job: Callable[[], Awaitable[None]]) -> None:
        if self._advance is not None:
            self._kept(self._jobs, asyncio.create_task(_again_and_again(seconds, job)))

    async def drain(self) -> None:
        self._advance = self._look = None
        for job in self._jobs:
            job.cancel()
        await asyncio.gather(*self._jobs, *self._tasks, return_exceptions=True)

    def _woken(self, lane: str) -> None:
        if self._advance is None:
            return
        if lane in self._advancing:
            self._advancing[lane] = True
            return
        self._advancing[lane] = True
        self._kept(self._tasks, asyncio.create_task(self._advanced(lane, self._advance)))

    async def _advanced(self, lane: str, advance: Advance) -> None:
        try:
            while self._advancing[lane]:
                self._advancing[lane] = False
                await _tried(advance, lane)
        finally:
            del self._advancing[lane]

    def _kept(self, tasks: set[asyncio.Task[None]], task: asyncio.Task[None]) -> None:
        tasks.add(task)
        task.add_done_callback(tasks.discard)


async def _tried(advance: Advance, lane: str) -> None:
    """What could not be advanced now is found by the reconciler."""
    try:
        await advance(lane)
    except Exception:
        log.exception("agent_run.dispatch_next_failed", extra={"lane": lane})


async def _again_and_again(seconds: float, job: Callable[[], Awaitable[None]]) -> None:
    while True:
        await asyncio.sleep(seconds)
        try:
            await job()
        except Exception:
            log.exception("job.failed", extra={"problem": getattr(job, "__name__", "job")})
