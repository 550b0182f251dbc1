"""Missing agents: an agent that was configured may be gone at the next start."""

from sprout.agents.agent import AgentSpec, Brief, Job, Team
from sprout.errors import Conflict
from sprout.loop.policy import LoopPolicy


class AgentMissing(Conflict):
    code = "agent_missing"

    def __init__(self, name: str) -> None:
        super().__init__(
            "The agent {name!r} is not here any more: name it in SPROUT_EXTRA_AGENTS, start Sprout again, and try "
            "again.",
            name=name[:80],
        )
        self.agent = name


def missing_agent(name: str) -> AgentSpec:
    """A substitute for a missing agent: its run fails with the reason, and can be retried."""

    async def brief(_job: Job, _team: Team) -> Brief:
        raise AgentMissing(name)

    return AgentSpec(name, name, LoopPolicy(), brief, private=True)
