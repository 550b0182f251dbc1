"""An agent that writes a study guide for a path: helpers sum up the concepts, and the learner decides what is saved.

SPROUT_EXTRA_AGENTS=summary_agent:make_agent,study_guide_agent:make_agent, with this folder on PYTHONPATH.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from pydantic import Field, JsonValue

from sprout.agents.agent import AgentSpec, Brief, Job, Team
from sprout.agents.delegation import spawn_child_runs_tool
from sprout.agents.fences import fenced
from sprout.agents.prompts import read_prompt
from sprout.config import Settings
from sprout.events import AgentDone, Usage
from sprout.learning.graph.graph import ConceptGraph, Edit
from sprout.learning.paths.repositories import Repositories
from sprout.loop.mechanisms import LoopMechanisms
from sprout.loop.model import Message, Text, ToolUse
from sprout.loop.policy import LoopPolicy
from sprout.loop.tool_calls.permissions import Decision, Rule
from sprout.loop.tools import Effect, Tool, tool
from sprout.loop.turn import TurnResult

HELPER = "summary"
MAX_WISH = 2_000
MAX_TITLE = 200  # of a step of a path; and of its description:
MAX_TEXT = 4_000
MAX_CONCEPTS = 8  # as many helpers as one call has
MECHANISMS = LoopMechanisms(
    strategy="sliding_window",  # a section that is saved needs none of the reports that it was made of
    strategy_tokens=20_000,  # about four sections, each with up to eight reports
    token_target=800,  # a guide of a few sentences is none
    permissions=(Rule(Decision.ASK, "save_guide"),),
)

Title = Annotated[str, Field(min_length=1, max_length=MAX_TITLE, description="of the section; unique in the path")]
Guide = Annotated[str, Field(min_length=1, max_length=MAX_TEXT, description="the section, as the learner reads it")]
Concepts = Annotated[
    list[str], Field(min_length=1, max_length=MAX_CONCEPTS, description="titles of the concepts that it is about")
]


def make_agent(repositories: Repositories, _settings: Settings) -> AgentSpec:
    """The agent, as Sprout asks for it once at its start."""
    prompt = read_prompt("study_guide", Path(__file__).with_name("study_guide.md").read_text(encoding="utf-8"))

    async def brief(job: Job, team: Team) -> Brief:
        node = await repositories.node(job.node_id, user_id=job.user_id)
        title = fenced("node", node.title, limit=MAX_TITLE)
        wish = fenced("wish", job.task, limit=MAX_WISH) if job.task else ""
        return Brief(
            objective=f"A study guide for “{node.title}”.",
            system=prompt.text,
            messages=(Message("user", (Text(f"{title}\n{wish}".strip()),)),),
            tools=(
                concepts_tool(repositories, node.id),
                spawn_child_runs_tool(team, [HELPER]),
                save_guide_tool(repositories, job),
            ),
            finish=finish,
        )

    policy = LoopPolicy(max_iterations=25)
    return AgentSpec("study_guide", "study_guide", policy, brief, mechanisms=MECHANISMS)


def concepts_tool(repositories: Repositories, node_id: str) -> Tool:
    @tool()
    async def get_concepts() -> list[JsonValue]:
        """Tell the titles of the concepts of the path, in order."""
        children, _ = await repositories.children(node_id)
        return [child.title for child in children]

    return get_concepts


def save_guide_tool(repositories: Repositories, job: Job) -> Tool:
    # Stored: the change and the end of the call are one transaction, so a crash neither loses nor repeats it.
    @tool(effect=Effect.WRITE, stored=True)
    async def save_guide(title: Title, text: Guide, concepts: Concepts, call: ToolUse) -> dict[str, JsonValue]:
        """Save one section of the guide, as a step of the path after the concepts that it is about. A section of this
        title that is there already gets the new text."""
        edit = await repositories.edit_graph(
            job.node_id, section_edit(title, text, concepts), actor=job.actor(call.id), reason="A study guide."
        )
        return {"saved": True, "changed": bool(edit.events)}

    return save_guide


def section_edit(title: str, text: str, concepts: Sequence[str]) -> Callable[[ConceptGraph], Edit]:
    """The edit that adds a section and joins it to its concepts, except those that another of them builds on."""

    def operation(graph: ConceptGraph) -> Edit:
        covered = [graph.node_by_title(concept).id for concept in concepts]
        now = datetime.now(UTC)
        edit = graph.add(title, text, now)
        section = edit.graph.node_by_title(title)
        if not edit.created:
            edit = graph.update(section.id, now, desc=text)
        for concept_id in covered:
            if not {*covered} & {*graph.dependents(concept_id)}:
                joined = edit.graph.connect(concept_id, section.id)
                edit = replace(joined, events=(*edit.events, *joined.events))
        return edit

    return operation


async def finish(result: TurnResult | None) -> AgentDone:
    """The last event of the run: its `rationale` is what the page and the stream show as the outcome."""
    return AgentDone(reason="", usage=Usage(), rationale=result.text if result else None)
