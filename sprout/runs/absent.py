"""Runs of agents that are not here: one that was added by configuration may be gone at the next start."""

from sprout.agents.agent import AgentSpec, Brief, Job, Team
from sprout.errors import Conflict
from sprout.loop.policy import LoopPolicy


class AgentAbsent(Conflict):
    def __init__(self, name: str) -> None:
        super().__init__(
            f"The agent {name[:80]!r} is not here any more: name it in SPROUT_EXTRA_AGENTS, start Sprout again, and "
            "try again."
        )
        self.agent = name


def absent(name: str) -> AgentSpec:
    """What stands in for an agent that is not here: its run fails and says why, and can be tried again."""

    async def brief(_job: Job, _team: Team) -> Brief:
        raise AgentAbsent(name)

    return AgentSpec(name, name, LoopPolicy(), brief, private=True)
