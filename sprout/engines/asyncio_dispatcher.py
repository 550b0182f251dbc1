"""The Dispatcher of a single process: tasks on its event loop."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

from sprout.engines.repeating import repeat
from sprout.runs.cancellation import end_tasks
from sprout.runs.dispatcher import Advance, Transaction

LANES_AT_ONCE = 50

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
            self.stop()
            self._refresh = None
            await end_tasks(self._jobs)
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def wake_lane(self, lane: str, transaction: Transaction) -> None:
        transaction.after_commit(lambda: self._schedule(lane))

    def wake_run(self, run_id: str, transaction: Transaction) -> None:
        transaction.after_commit(lambda: self._refresh_run(run_id))

    async def advance_all(self, lanes: Sequence[str]) -> None:
        if self._advance is None:
            return
        for together in (lanes[at : at + LANES_AT_ONCE] for at in range(0, len(lanes), LANES_AT_ONCE)):
            # A failure cancels none of the others: a run that was claimed must be executed.
            outcomes = await asyncio.gather(*map(self._advance, together), return_exceptions=True)
            for failure in outcomes:
                if isinstance(failure, BaseException):
                    raise failure

    def every(self, seconds: float, job: Callable[[], Awaitable[None]]) -> None:
        if self._advance is not None:
            self._track(self._jobs, asyncio.create_task(repeat(seconds, job)))

    def stop(self) -> None:
        self._advance = None

    def _refresh_run(self, run_id: str) -> None:
        if self._refresh is not None:
            self._refresh(run_id)

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
