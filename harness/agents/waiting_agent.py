"""Waiting agent: its run goes on until the test releases it."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from sprout.agents.agent import AgentSpec, Brief, Job, Team
from sprout.loop.policy import LoopPolicy


class WaitingAgent:
    """An agent that waits until its run is released."""

    def __init__(self) -> None:
        self._finished: dict[str, asyncio.Event] = {}

    def finish(self, run_id: str) -> None:
        self._finished.setdefault(run_id, asyncio.Event()).set()

    async def brief(self, job: Job, team: Team) -> Brief:
        await self._finished.setdefault(job.run_id, asyncio.Event()).wait()
        return Brief()

    @property
    def spec(self) -> AgentSpec:
        return AgentSpec(name="topic", lane="topic", policy=LoopPolicy(), brief=self.brief)

    @property
    def others(self) -> Sequence[AgentSpec]:
        """The same under the names of other agents that a request may start."""
        refinement = replace(self.spec, name="refinement", lane="concept", label="concept_refinement")
        return refinement, replace(self.spec, name="review", lane="review", label="path_review")
