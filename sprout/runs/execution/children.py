"""Child runs: a run starts them, waits for them, and adds their usage to its own; and runs that it starts apart."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from sprout.agents.agent import Outcome
from sprout.errors import ToolFailure
from sprout.events import Event, Usage
from sprout.failpoints import failpoint
from sprout.loop.stop import Stop, Stopped
from sprout.runs.execution.crash_guard import CrashGuard
from sprout.runs.execution.dependencies import RunDependencies
from sprout.runs.execution.wakeup import Wakeup, wait_or_poll
from sprout.runs.handoff_report import last_text
from sprout.runs.lanes import child_lane
from sprout.runs.run_store import RequestKey
from sprout.runs.state import Run, RunState

MAX_DEPTH = 2  # a helper may have helpers, but those may not


@dataclass(frozen=True, slots=True)
class ChildRuns:
    """The Team of a run's agent.

    Args:
        run: the parent, as claimed here.
        wakeup: signalled when a run under this one has changed.
        start_run: starts to execute a child that was claimed at its admission.
        crash_guard: marks the run as idle while it only waits for its children.
        stop: requested when the run is cancelled.
        append_events: stores and publishes events of the run.
    """

    parts: RunDependencies
    run: Run
    wakeup: Wakeup
    start_run: Callable[[Run], object]
    crash_guard: CrashGuard
    stop: Stop
    append_events: Callable[[Sequence[Event]], Awaitable[None]]

    async def publish(self, event: Event) -> None:
        """Store and publish an event of the run."""
        await self.append_events([event])

    async def pause(self, seconds: float) -> bool:
        """Sleep; False, and at once, if the run is cancelled."""
        try:
            await self.stop.guard(asyncio.sleep(seconds))
        except Stopped:
            return False
        return True

    async def start(self, agent: str, *, node_id: str, label: str) -> None:
        """Make sure that the node has a run of this agent: a new one, or one that exists."""
        await self._admit(agent, node_id=node_id, label=label)

    async def start_apart(self, agent: str, task: str, *, node_id: str) -> None:
        """Start a root run for a task, which this run neither waits for nor stops; the same task only once."""
        run = self.run
        apart = await self.parts.new_run(
            agent, user_id=run.user_id, node_id=node_id, branch_id=run.branch_id, small=run.small, task=task
        )
        lane = f"{agent}:new:{task}"
        key = RequestKey(lane, lane)
        admission = await self.parts.store.admit(replace(apart, lane=lane), lease=self.parts.admission_lease, key=key)
        failpoint("child_admitted")
        if admission.outcome == "new" and admission.run.state is RunState.RUNNING:
            self.start_run(admission.run)

    async def delegate(self, agent: str, task: str, *, key: str, label: str | None = None) -> Outcome:
        """The outcome of a task that a child run is given.

        Raises ToolFailure (child runs nested too deeply, no agent of that name).
        """
        if agent not in self.parts.agents:
            raise ToolFailure(f"There is no helper named {agent} here: do without.")
        if await self._depth() >= MAX_DEPTH:
            raise ToolFailure("A helper's helpers have no helpers of their own: do it yourself.")
        lane = child_lane(self.run.lane, self.run.id, key)
        child = await self._admit(agent, node_id=self.run.node_id, label=label, task=task, lane=lane)
        if not child.ended:
            self.crash_guard.release()
            async with self.crash_guard.idle():
                child = await self._wait_for(child)
        if self.parts.agents[agent].private:
            return Outcome(child.state.value, "")
        return Outcome(child.state.value, last_text(await self.parts.store.record(child.id)))

    async def wait_for_all(self) -> None:
        """Wait for all children, also for those that start meanwhile."""
        if not await self.parts.store.unfinished_children(self.run.id):
            return
        self.crash_guard.release()
        async with self.crash_guard.idle():
            while True:
                signal = self.wakeup.next_signal
                if not await self.parts.store.unfinished_children(self.run.id):
                    return
                await wait_or_poll(signal)

    async def usage(self) -> Usage:
        """The usage of the children, with all runs under them."""
        return await self.parts.store.child_usage(self.run.id)

    async def _wait_for(self, child: Run) -> Run:
        while not child.ended:
            signal = self.wakeup.next_signal
            child = await self.parts.store.run(child.id)
            if not child.ended:
                await wait_or_poll(signal)
        return child

    async def _admit(
        self, agent: str, *, node_id: str, label: str | None, task: str | None = None, lane: str | None = None
    ) -> Run:
        run = self.run
        child = await self.parts.new_run(
            agent, user_id=run.user_id, node_id=node_id, branch_id=run.branch_id, small=run.small, task=task
        )
        child = replace(
            child, root_id=run.root_id, parent_id=run.id, label=label or child.label, lane=lane or child.lane
        )
        admission = await self.parts.store.admit(child, lease=self.parts.admission_lease, parent=run)
        failpoint("child_admitted")
        if admission.outcome == "new" and admission.run.state is RunState.RUNNING:
            self.start_run(admission.run)
        return admission.run

    async def _depth(self) -> int:
        """The number of runs above this one."""
        depth, parent_id = 0, self.run.parent_id
        while parent_id is not None:
            depth, parent_id = depth + 1, (await self.parts.store.run(parent_id)).parent_id
        return depth
