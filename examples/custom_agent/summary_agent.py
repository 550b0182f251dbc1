"""An agent that sums up a node of a path.

SPROUT_EXTRA_AGENTS=summary_agent:make_agent, with this folder on PYTHONPATH.
"""

from pathlib import Path

from pydantic import JsonValue

from sprout.agents.agent import AgentSpec, Brief, Job, Team
from sprout.agents.fences import fenced
from sprout.agents.prompts import read_prompt
from sprout.config import Settings
from sprout.events import AgentDone, NodeRow, Usage
from sprout.learning.graph.graph import ConceptGraph
from sprout.learning.paths.repositories import Repositories
from sprout.loop.model import Message, Text
from sprout.loop.policy import LoopPolicy
from sprout.loop.tools import Tool, tool
from sprout.loop.turn import TurnResult

MAX_TITLE = 200
MAX_WISH = 2_000


def make_agent(repositories: Repositories, _settings: Settings) -> AgentSpec:
    """The agent, as Sprout asks for it once at its start."""
    prompt = read_prompt("summary", Path(__file__).with_name("summary.md").read_text(encoding="utf-8"))

    async def brief(job: Job, _team: Team) -> Brief:
        """How one run goes. After a crash a run is briefed again: nothing here may do harm the second time."""
        node = await repositories.node(job.node_id, user_id=job.user_id)
        title = fenced("node", node.title, limit=MAX_TITLE)
        wish = fenced("wish", job.task, limit=MAX_WISH) if job.task else ""
        return Brief(
            objective=f"A summary of “{node.title}”.",
            system=prompt.text,
            messages=(Message("user", (Text(f"{title}\n{wish}".strip()),)),),
            tools=(subconcepts_tool(repositories, node),),
            finish=finish,
        )

    return AgentSpec("summary", "summary", LoopPolicy(max_iterations=5), brief)


def subconcepts_tool(repositories: Repositories, node: NodeRow) -> Tool:
    """The one tool of the agent."""

    @tool()
    async def get_parts(of: str | None = None) -> list[JsonValue]:
        """Tell the parts of the step, or of one part of it by its title, in order, with what each is about."""
        children, _ = await repositories.children(node.id)
        if of is not None:
            part = ConceptGraph(node, tuple(children)).node_by_title(of)
            children, _ = await repositories.children(part.id)
        return [{"title": child.title, "desc": child.desc} for child in children]

    return get_parts


async def finish(result: TurnResult | None) -> AgentDone:
    """The last event of the run: its `rationale` is what the page and the stream show as the outcome."""
    return AgentDone(reason="", usage=Usage(), rationale=result.text if result else None)
