"""Graph edits of the agents that create a path: sizes, operations, results, faults, generation log."""

import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field, JsonValue

from sprout.agents.agent import Job
from sprout.agents.prompts import Prompt
from sprout.clock import utc_now
from sprout.errors import NoChangeNeeded
from sprout.events import EdgeCreated, EdgeEnds, Event, NodeCreated, NodeRow
from sprout.learning.graph.graph import MAX_DESC, MAX_TITLE, ConceptGraph, Edit
from sprout.learning.paths.graph_repository import GraphRepository
from sprout.learning.text.normalization import one_line
from sprout.loop.policy import LoopPolicy
from sprout.loop.tools import UNCHANGED
from sprout.loop.turn import TurnResult

PATH_POLICY = LoopPolicy(max_iterations=15, max_output_tokens=24_000)

Title = Annotated[str, Field(min_length=1, max_length=MAX_TITLE, description="unique; later calls refer to it")]
Desc = Annotated[str, Field(min_length=1, max_length=MAX_DESC, description="two sentences that stand alone")]
SourceTitle = Annotated[str, Field(min_length=1, max_length=MAX_TITLE, description="the prerequisite, by its title")]
TargetTitle = Annotated[str, Field(min_length=1, max_length=MAX_TITLE, description="what builds on it, by its title")]
Cited = Annotated[
    list[str] | None,
    Field(description="ids of the passages that it teaches; none where it is general knowledge"),
]
Why = Annotated[str, Field(min_length=1, max_length=500, description="why the target cannot be learned without it")]


@dataclass(frozen=True, slots=True)
class SizeRange:
    """Permitted number of items, both ends included."""

    minimum: int
    maximum: int
    noun: str

    def __str__(self) -> str:
        return f"{self.minimum}-{self.maximum}"

    def shortfall(self, count: int) -> str | None:
        """Sentence for the model on what is missing after `count` items; None if they are enough."""
        return f"{count} of {self} {self.noun} saved." if count < self.minimum else None

    @property
    def full_message(self) -> str:
        return f"All {self.maximum} {self.noun} that there can be are saved already: leave this one out."


def add_node_edit(title: str, desc: str, size: SizeRange) -> Callable[[ConceptGraph], Edit]:
    """The edit that adds a child; it raises NoChangeNeeded if `size` is reached."""

    def operation(graph: ConceptGraph) -> Edit:
        if len(graph.nodes) >= size.maximum and not graph.has_title(title):
            raise NoChangeNeeded(size.full_message)
        return graph.add(title, desc, utc_now())

    return operation


def connect_nodes_edit(source_title: str, target_title: str, why: str) -> Callable[[ConceptGraph], Edit]:
    """The edit that connects two children by their titles."""
    return lambda graph: graph.connect_titles(source_title, target_title, reason=one_line(why))


def node_result(edit: Edit) -> dict[str, JsonValue]:
    """Tool result for a saved node; `position` counts from 1."""
    if edit.node is None:
        raise ValueError("an edit that adds has a node")
    ids = [node.id for node in edit.graph.nodes]
    result: dict[str, JsonValue] = {
        "saved": True,
        "nodeId": edit.node.id,
        "title": edit.node.title,
        "position": ids.index(edit.node.id) + 1,
    }
    return result if edit.created else {**result, UNCHANGED: True}


def edge_result(edit: Edit) -> dict[str, JsonValue]:
    return {"saved": True} if edit.events else {"saved": True, UNCHANGED: True}


async def load_graph(graphs: GraphRepository, parent_id: str, *, user_id: str) -> ConceptGraph:
    """The children of a node as a graph. Raises NotFound."""
    parent = await graphs.node(parent_id, user_id=user_id)
    nodes, edges = await graphs.children(parent_id)
    return ConceptGraph(parent, tuple(nodes), tuple(edges))


def creation_events(nodes: Iterable[NodeRow], edges: Iterable[EdgeEnds]) -> list[Event]:
    """The rows as events, as if they were created now: every node before the edges that touch it."""
    return [*(NodeCreated(node=node) for node in nodes), *(EdgeCreated(edge=edge) for edge in edges)]


def unconnected_faults(graph: ConceptGraph) -> list[str]:
    """A sentence for each node without an edge."""
    titles = {node.id: node.title for node in graph.nodes}
    return [f"'{titles[orphan]}' has no edge." for orphan in graph.validate().orphans]


def component_faults(graph: ConceptGraph) -> list[str]:
    """A sentence if the nodes that have edges are not all connected."""
    titles = {node.id: node.title for node in graph.nodes}
    parts = [part for part in graph.validate().components if len(part) > 1]
    if len(parts) < 2:
        return []
    pieces = "; ".join(", ".join(f"'{titles[node_id]}'" for node_id in part) for part in parts)
    return [f"The path is in {len(parts)} pieces that no edge joins: {pieces}."]


async def log_generated(
    graphs: GraphRepository, job: Job, prompt: Prompt, result: TurnResult, *, count: int, note: str | None
) -> None:
    """Add an entry to the generation log of the node whose children the run created.

    Args:
        note: the agent's closing words.
    """
    meta = {
        "runId": job.run_id,
        "prompt": f"{prompt.name} {prompt.version}",
        "small": job.small,
        "made": count,
        "reason": result.reason,
        "iterations": result.iterations,
        "calls": Counter(call.name for call in result.calls),
        "refused": sum(call.is_error for call in result.calls),
        "problems": list(result.problems),
        "note": note,
    }
    await graphs.log_generation(
        job.node_id,
        trigger="on_first_enter",
        model=job.model,
        meta=json.dumps(meta, ensure_ascii=False),
        run_id=job.run_id,
    )
