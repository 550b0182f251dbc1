"""Worker: claims runs, holds one lease for all of them, executes them in tasks that it owns, and releases them."""

import asyncio
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum, auto

from sprout.errors import DatabaseBusy, DatabaseUnavailable, SproutError, StorageFull
from sprout.failpoints import failpoint
from sprout.loop.stop import Stop
from sprout.runs.execution.dependencies import RunDependencies
from sprout.runs.execution.executor import RunExecutor
from sprout.runs.execution.settlement import Abandoned
from sprout.runs.execution.task_set import TaskSet
from sprout.runs.execution.wakeup import Wakeup
from sprout.runs.state import Run, RunState

log = logging.getLogger(__name__)

MISSED_WAKEUPS_MAX = 256
RELEASE_S = 5.0


class Phase(Enum):
    """The life cycle of a run in a worker. A run that ends or pauses stays in EXECUTING to the end of its task."""

    EXECUTING = auto()
    LEASE_LOST = auto()  # cancelled: nothing may be written under this claim any more
    ABANDONED = auto()  # no longer executed here; the store does not know that yet
    RELEASING = auto()
    RELEASED = auto()  # anyone may claim it; this worker tries at its next heartbeat


@dataclass(slots=True, eq=False)
class ActiveRun:
    """A run that this worker has claimed.

    Args:
        wakeup: signalled when the run, or a run under it, has changed.
        crashed: whether its end here counts as a crash of the run.
        place_free: set once it works here no longer: it has ended, or waits for a person or its children.
    """

    run: Run
    stop: Stop = field(default_factory=Stop)
    wakeup: Wakeup = field(default_factory=Wakeup)
    phase: Phase = Phase.EXECUTING
    crashed: bool = False
    place_free: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[Run] | None = None

    @property
    def lease_lost(self) -> bool:
        return self.phase is Phase.LEASE_LOST


class Admissions:
    """Claims that are under way, each of which may still start a run."""

    def __init__(self) -> None:
        self._count = 0
        self._none_left = asyncio.Event()

    @contextmanager
    def track(self) -> Iterator[None]:
        self._count += 1
        try:
            yield
        finally:
            self._count -= 1
            if not self._count:
                self._none_left.set()

    async def wait_none(self) -> None:
        """Wait until no claim is under way."""
        while self._count:
            self._none_left.clear()
            await self._none_left.wait()


class Worker:
    """Owns the tasks of the runs that it executes: none outlives `close`.

    Its collections keep the order of arrival, so that the same events in the same order give the same log.
    """

    def __init__(self, dependencies: RunDependencies) -> None:
        self._parts = dependencies
        self._active: dict[str, ActiveRun] = {}  # by run id, while their tasks run
        self._abandoned: list[ActiveRun] = []  # from ABANDONED on, until their lanes are advanced
        self._executions = TaskSet()
        self._refreshes = TaskSet()
        self._missed_wakeups: dict[str, None] = {}
        self._admissions = Admissions()
        self._closing = False
        self._closed = False
        self._lease_end_s = float("inf")

    @property
    def active_runs(self) -> Mapping[str, ActiveRun]:
        return self._active

    def start(self, run: Run) -> ActiveRun:
        """Start to execute a run that was claimed by this worker."""
        active = ActiveRun(run)
        if run.cancel_requested:
            active.stop.request()
        self._active[run.id] = active
        active.task = self._executions.start(self._execute(active), name=f"run {run.id}")
        active.task.add_done_callback(lambda _: self._discard(active))
        if run.id in self._missed_wakeups:
            del self._missed_wakeups[run.id]
            self.refresh(run.id)
        return active

    @contextmanager
    def admitting(self) -> Iterator[None]:
        """Hold while a run is claimed and started: `close` waits for it."""
        with self._admissions.track():
            yield

    async def advance(self, lane: str) -> asyncio.Event | None:
        """Claim the next run of the lane, if there is one, and start to execute it; its `place_free`."""
        if self._closing:
            return None
        with self.admitting():
            run = await self._parts.store.claim(lane, self._parts.lease)
            failpoint("run_claimed")
            return None if run is None else self.start(run).place_free

    def refresh(self, run_id: str) -> None:
        """Read the run's row again: it may be cancelled, or a run under it may have changed.

        A wake-up for a run that is not executed here is remembered, since its claim may be under way.
        """
        active = self._active.get(run_id)
        if active is None:
            self._missed_wakeups[run_id] = None
            if len(self._missed_wakeups) > MISSED_WAKEUPS_MAX:
                del self._missed_wakeups[next(iter(self._missed_wakeups))]
            return
        active.wakeup.notify()
        _ = self._refreshes.start(self._refresh(active))

    async def wait_refreshed(self) -> None:
        """Wait for the refreshes under way; the next heartbeat makes up for one that fails."""
        await self._refreshes.wait()

    async def acquire_lease(self) -> None:
        """Acquire the lease under which this worker claims runs."""
        began_s = asyncio.get_running_loop().time()
        await self._parts.store.acquire_lease(self._parts.lease)
        self._lease_end_s = began_s + self._parts.lease.lease_s

    async def heartbeat(self) -> None:
        """Renew the lease, stop cancelled runs, and retry releases that failed, as with a busy database.

        If the lease expires first, every run is cancelled, since another worker may have claimed it.
        """
        if self._closed:
            return
        clock = asyncio.get_running_loop().time
        began_s = clock()
        renewal = asyncio.ensure_future(self._parts.store.renew_lease(self._parts.lease))
        try:
            done, _ = await asyncio.wait([renewal], timeout=max(0.0, self._lease_end_s - began_s))
            if not done or (renewal.exception() is not None and clock() >= self._lease_end_s):
                self._cancel_all()
            to_stop = await renewal
        finally:
            renewal.cancel()
            await asyncio.wait([renewal])
        self._lease_end_s = began_s + self._parts.lease.lease_s
        failpoint("lease_renewed")
        for run_id in to_stop:
            if (active := self._active.get(run_id)) is not None:
                active.stop.request()
        await self._release_abandoned()
        await self._advance_released()

    async def sweep(self) -> None:
        """Claim orphaned runs, and lanes whose wake-up was lost."""
        lanes = await self._parts.store.claimable_lanes(self._parts.lease)
        if lanes:
            log.info("agent_run.reconcile", extra={"count": len(lanes)})
        await self._parts.dispatcher.advance_all(lanes)

    def stop_claiming(self) -> None:
        """Claim no more runs."""
        self._closing = True

    async def close(self) -> None:
        """Cancel the active runs, wait for their tasks, and release the lease for the next worker."""
        self.stop_claiming()
        await self._admissions.wait_none()
        await self._executions.cancel()  # a tool call that is allowed to finish may start a child run meanwhile
        await self._refreshes.cancel()
        self._closed = True
        try:
            async with asyncio.timeout(RELEASE_S):
                await self._parts.store.release_lease(self._parts.lease)
        except (SproutError, TimeoutError):
            log.warning("worker.lease_not_released", exc_info=True)  # others claim its runs once it has expired
        failpoint("lease_released")

    async def _execute(self, active: ActiveRun) -> Run:
        try:
            executor = RunExecutor(
                self._parts, active.run, active.stop, active.wakeup, self.start, active.place_free.set
            )
            return await executor.execute(lambda: active.lease_lost)
        except Abandoned as abandoned:
            self._abandon(active, crashed=abandoned.crashed)
        except Exception as error:
            log.exception("agent_run.orphaned", extra={"run": active.run.id, "agent": active.run.agent})
            self._abandon(active, crashed=not isinstance(error, DatabaseBusy | DatabaseUnavailable | StorageFull))
        finally:
            if active.lease_lost:
                self._abandon(active, crashed=False)
        await self._try_release()
        return active.run

    def _abandon(self, active: ActiveRun, *, crashed: bool) -> None:
        active.phase, active.crashed = Phase.ABANDONED, crashed
        self._abandoned.append(active)

    def _discard(self, active: ActiveRun) -> None:
        if active.lease_lost:  # its task was cancelled before it began
            self._abandon(active, crashed=False)
        active.place_free.set()
        if self._active.get(active.run.id) is active:
            del self._active[active.run.id]

    async def _try_release(self) -> None:
        """Release the abandoned runs now if the store allows it; the next heartbeat tries again."""
        try:
            await self._release_abandoned()
        except SproutError:
            log.warning("agent_run.release_failed", exc_info=True)

    async def _release_abandoned(self) -> None:
        """Store that the abandoned runs are executed here no more."""
        while waiting := [one for one in self._abandoned if one.phase is Phase.ABANDONED]:
            active = waiting[-1]
            active.phase = Phase.RELEASING
            try:
                await self._parts.store.release_run(active.run, crashed=active.crashed)
            except (SproutError, asyncio.CancelledError):
                active.phase = Phase.ABANDONED
                raise
            active.phase = Phase.RELEASED

    async def _advance_released(self) -> None:
        """Claim again what was released here; if that fails, the next heartbeat tries again."""
        released = [one for one in self._abandoned if one.phase is Phase.RELEASED]
        self._abandoned = [one for one in self._abandoned if one.phase is not Phase.RELEASED]
        try:
            await self._parts.dispatcher.advance_all(list(dict.fromkeys(one.run.lane for one in released)))
        except SproutError:
            self._abandoned += released
            raise

    async def _refresh(self, active: ActiveRun) -> None:
        try:
            run = await self._parts.store.run(active.run.id)
        except SproutError:
            log.warning("agent_run.refresh_failed", extra={"run": active.run.id}, exc_info=True)
            return
        if run.cancel_requested or run.ended:
            active.stop.request()
        if run.ended or run.epoch != active.run.epoch or run.state is not RunState.RUNNING:
            active.wakeup.notify()

    def _cancel_all(self) -> None:
        if self._active:
            log.error("agent_run.lease_lost", extra={"count": len(self._active)})
        for active in self._active.values():
            if active.phase is Phase.EXECUTING:
                active.phase = Phase.LEASE_LOST
            if active.task is not None:
                active.task.cancel()
