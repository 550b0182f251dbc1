"""The runs under a run: it starts them, waits for them, and pays for them."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from sprout.agents.agent import Outcome
from sprout.crashing import crash_point
from sprout.errors import ToolFailure
from sprout.events import Event, Usage
from sprout.loop.stop import Stop, Stopped
from sprout.runs.at_work import AtWork
from sprout.runs.handoff import last_words
from sprout.runs.nudge import Nudge, nudged_or_due
from sprout.runs.parts import Parts
from sprout.runs.state import Run, RunState

MAX_DEPTH = 2  # of runs under runs: a helper may have helpers, and those none


@dataclass(frozen=True, slots=True)
class Children:
    """The Team of a run's agent.

    Args:
        run: the parent, as its carrier has it.
        nudge: given when something under the run has changed.
        carry: carries a child that was admitted and begun here.
        at_work: is told while the run only waits for those under it.
        stop: asked for when the run shall stop.
        keep: stores an event of the run, and tells it.
    """

    parts: Parts
    run: Run
    nudge: Nudge
    carry: Callable[[Run], object]
    at_work: AtWork
    stop: Stop
    keep: Callable[[Sequence[Event]], Awaitable[None]]

    async def tell(self, event: Event) -> None:
        """Store an event of the run, and tell it."""
        await self.keep([event])

    async def pause(self, seconds: float) -> bool:
        """Wait for a moment; False, and at once, where the run shall stop."""
        try:
            await self.stop.guard(asyncio.sleep(seconds))
        except Stopped:
            return False
        return True

    async def start(self, agent: str, *, node_id: str, label: str) -> None:
        """See to it that the node has a run of this agent: a new one, or the one that this run or another has there."""
        await self._admitted(agent, node_id=node_id, label=label)

    async def delegate(self, agent: str, task: str, *, key: str, label: str | None = None) -> Outcome:
        """What has become of a task that a child run was given.

        Raises ToolFailure (too many runs under runs, nobody of that name).
        """
        if agent not in self.parts.agents:
            raise ToolFailure(f"There is no helper named {agent} here: do without.")
        if await self._depth() >= MAX_DEPTH:
            raise ToolFailure("A helper's helpers have no helpers of their own: do it yourself.")
        lane = f"child:{self.run.id}:{key}"
        child = await self._admitted(agent, node_id=self.run.node_id, label=label, task=task, lane=lane)
        if not child.ended:
            self.at_work.end_turn()
            async with self.at_work.waiting():
                child = await self._ended(child)
        if self.parts.agents[agent].private:
            return Outcome(child.state.value, "")
        return Outcome(child.state.value, last_words(await self.parts.store.record(child.id)))

    async def ended(self) -> None:
        """Wait for all of them, also for those that start meanwhile; a lost nudge costs a moment (B7)."""
        if not await self.parts.store.open_children(self.run.id):
            return
        self.at_work.end_turn()
        async with self.at_work.waiting():
            while True:
                nudge = self.nudge.next_one
                if not await self.parts.store.open_children(self.run.id):
                    return
                await nudged_or_due(nudge)

    async def spent(self) -> Usage:
        """What they have spent, with all under them."""
        return await self.parts.store.spent_by_children(self.run.id)

    async def _ended(self, child: Run) -> Run:
        while not child.ended:
            nudge = self.nudge.next_one
            child = await self.parts.store.run(child.id)
            if not child.ended:
                await nudged_or_due(nudge)
        return child

    async def _admitted(
        self, agent: str, *, node_id: str, label: str | None, task: str | None = None, lane: str | None = None
    ) -> Run:
        run = self.run
        child = self.parts.new_run(
            agent, user_id=run.user_id, node_id=node_id, branch_id=run.branch_id, small=run.small, task=task
        )
        child = replace(
            child, root_id=run.root_id, parent_id=run.id, label=label or child.label, lane=lane or child.lane
        )
        admission = await self.parts.store.admit(child, claim=self.parts.claim, under=run)
        crash_point("child_admitted")
        if admission.verdict == "new" and admission.run.state is RunState.RUNNING:
            self.carry(admission.run)
        return admission.run

    async def _depth(self) -> int:
        """How many runs are above this one."""
        depth, parent_id = 0, self.run.parent_id
        while parent_id is not None:
            depth, parent_id = depth + 1, (await self.parts.store.run(parent_id)).parent_id
        return depth
