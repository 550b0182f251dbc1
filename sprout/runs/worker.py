"""Whoever carries runs in this process: claims, keeps its lease, looks for what was cut off, and lets go in order."""

import asyncio
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from sprout.crashing import crash_point
from sprout.errors import DatabaseBusy, SproutError, StorageFull
from sprout.loop.stop import Stop
from sprout.runs.carrying import Abandoned, Carrying
from sprout.runs.nudge import Nudge
from sprout.runs.parts import Parts
from sprout.runs.state import Run, RunState

log = logging.getLogger(__name__)

LANES_AT_ONCE = 50
MISSED_REMEMBERED = 256


@dataclass(slots=True)
class Going:
    """A run that is carried here.

    Args:
        nudge: given when something about it, or under it, has changed.
        lost: it was taken from here, so that nothing more may be written.
    """

    run: Run
    stop: Stop = field(default_factory=Stop)
    nudge: Nudge = field(default_factory=Nudge)
    lost: bool = False
    task: asyncio.Task[Run] | None = None


class Worker:
    """Owns the tasks of the runs that it carries: none outlives `close`.

    Its sets are dicts without values, in the order of arrival: the same things in the same order give the same log.
    """

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._going: dict[str, Going] = {}
        self._tasks: dict[asyncio.Task[Run], None] = {}
        self._left: list[tuple[Run, bool]] = []
        self._let_go_of: dict[str, None] = {}
        self._looking: set[asyncio.Task[None]] = set()
        self._missed: dict[str, None] = {}
        self._taking = 0
        self._none_taken = asyncio.Event()
        self._closing = False
        self._closed = False
        self._lease_end_s = float("inf")

    @property
    def going(self) -> Mapping[str, Going]:
        return self._going

    def carry(self, run: Run) -> Going:
        """Begin to carry a run that was claimed here."""
        going = Going(run)
        if run.cancel_requested:
            going.stop.request()
        self._going[run.id] = going
        going.task = asyncio.create_task(self._carried(going), name=f"run {run.id}")
        going.task.add_done_callback(lambda task: self._gone(going, task))
        self._tasks[going.task] = None
        if run.id in self._missed:
            del self._missed[run.id]
            self.look(run.id)
        return going

    @contextmanager
    def taking(self) -> Iterator[None]:
        """While somebody is about to claim a run and have it carried, `close` waits for that."""
        self._taking += 1
        try:
            yield
        finally:
            self._taking -= 1
            if not self._taking:
                self._none_taken.set()

    async def advance(self, lane: str) -> None:
        """Claim what is to go on in the lane, and carry it."""
        if self._closing:
            return
        with self.taking():
            run = await self._parts.store.claim(lane, self._parts.claim)
            crash_point("lease_taken")
            if run is not None:
                self.carry(run)

    def look(self, run_id: str) -> None:
        """Look at the run's row: whether it shall stop, and what has become of its children.

        One that is not carried here may have been claimed a moment ago: it is looked at once it is.
        """
        going = self._going.get(run_id)
        if going is None:
            self._missed[run_id] = None
            if len(self._missed) > MISSED_REMEMBERED:
                del self._missed[next(iter(self._missed))]
            return
        going.nudge.give()
        looking = asyncio.create_task(self._looked(going))
        self._looking.add(looking)
        looking.add_done_callback(self._looking.discard)

    async def seen(self) -> None:
        """Come back once the looks that are under way are over; the next beat makes up for one that fails."""
        if self._looking:
            await asyncio.wait(self._looking)

    async def enrol(self) -> None:
        """Begin to hold a lease."""
        began_s = asyncio.get_running_loop().time()
        await self._parts.store.enrol(self._parts.claim)
        self._lease_end_s = began_s + self._parts.claim.lease_s

    async def beat(self) -> None:
        """Prolong the lease, stop what shall stop, and go on with what had to be let go of, as of a busy database.

        Where the lease runs out over it, let go of everything (B1).
        """
        if self._closed:
            return
        clock = asyncio.get_running_loop().time
        began_s = clock()
        renewing = asyncio.ensure_future(self._parts.store.renew(self._parts.claim))
        try:
            done, _ = await asyncio.wait([renewing], timeout=max(0.0, self._lease_end_s - began_s))
            if not done or (renewing.exception() is not None and clock() >= self._lease_end_s):
                self._lose_everything()
            to_stop = await renewing
        finally:
            renewing.cancel()
            await asyncio.wait([renewing])
        self._lease_end_s = began_s + self._parts.claim.lease_s
        crash_point("lease_renewed")
        for run_id in to_stop:
            if (going := self._going.get(run_id)) is not None:
                going.stop.request()
        await self._let_go()
        await self._go_on()

    async def sweep(self) -> None:
        """Take up what nobody carries, and whatever else was not woken (K2, B4)."""
        lanes = await self._parts.store.stale_lanes(self._parts.claim)
        if lanes:
            log.info("agent_run.reconcile", extra={"count": len(lanes)})
        await self._advance_all(lanes)

    async def _go_on(self) -> None:
        """Take up again what was let go of here; where that fails, the next beat tries again."""
        lanes, self._let_go_of = self._let_go_of, {}
        try:
            await self._advance_all(list(lanes))
        except SproutError:
            self._let_go_of |= lanes
            raise

    async def _advance_all(self, lanes: Sequence[str]) -> None:
        for together in (lanes[at : at + LANES_AT_ONCE] for at in range(0, len(lanes), LANES_AT_ONCE)):
            # None is cancelled for another's failure: what was claimed must be carried.
            outcomes = await asyncio.gather(*map(self.advance, together), return_exceptions=True)
            for failure in outcomes:
                if failure is not None:
                    raise failure

    def leave(self) -> None:
        """Take nothing more."""
        self._closing = True

    async def close(self) -> None:
        """Cut off what is going, wait until it has gone, and let go of it for whoever comes next."""
        self.leave()
        while self._taking:
            self._none_taken.clear()
            await self._none_taken.wait()
        while tasks := list(self._tasks):
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)  # a call that was let come to its end may have started a child meanwhile
        await asyncio.gather(*self._looking, return_exceptions=True)
        self._closed = True
        await self._parts.store.release(self._parts.claim)
        crash_point("released")

    async def _carried(self, going: Going) -> Run:
        try:
            carrying = Carrying(self._parts, going.run, going.stop, going.nudge, self.carry)
            return await carrying.to_the_end(lambda: going.lost)
        except Abandoned as abandoned:
            crashed = abandoned.crashed
        except Exception as error:
            log.exception("agent_run.left_behind", extra={"run": going.run.id, "agent": going.run.agent})
            crashed = not isinstance(error, DatabaseBusy | StorageFull)
        finally:
            if going.lost:
                self._left.append((going.run, False))
        self._left.append((going.run, crashed))
        await self._try_to_let_go()
        return going.run

    async def _try_to_let_go(self) -> None:
        """Let go now if that can be stored now; the next beat tries again."""
        try:
            await self._let_go()
        except SproutError:
            log.warning("agent_run.not_abandoned", exc_info=True)

    async def _let_go(self) -> None:
        """Let go of the runs of which nobody was told that they are carried here no more."""
        while self._left:
            run, crashed = self._left.pop()
            try:
                await self._parts.store.abandon(run, crashed=crashed)
            except (SproutError, asyncio.CancelledError):
                self._left.append((run, crashed))
                raise
            self._let_go_of[run.lane] = None

    def _gone(self, going: Going, task: asyncio.Task[Run]) -> None:
        self._tasks.pop(task, None)
        if self._going.get(going.run.id) is going:
            del self._going[going.run.id]

    async def _looked(self, going: Going) -> None:
        try:
            run = await self._parts.store.run(going.run.id)
        except SproutError:
            log.warning("agent_run.not_looked_at", extra={"run": going.run.id}, exc_info=True)
            return
        if run.cancel_requested or run.ended:
            going.stop.request()
        if run.ended or run.epoch != going.run.epoch or run.state is not RunState.RUNNING:
            going.nudge.give()

    def _lose_everything(self) -> None:
        log.error("agent_run.lease_lost", extra={"count": len(self._going)})
        for going in self._going.values():
            going.lost = True
            if going.task is not None:
                going.task.cancel()
