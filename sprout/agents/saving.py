"""What the two agents that make a path have in common: how much they make, how it is saved, what is still missing."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field, JsonValue

from sprout.agents.agent import Job
from sprout.agents.prompts import Prompt
from sprout.clock import utc_now
from sprout.errors import GraphRefused, SproutError
from sprout.events import EdgeCreated, EdgeEnds, Event, NodeCreated, NodeRow
from sprout.learning.graph.graph import MAX_DESC, MAX_TITLE, ConceptGraph, Edit
from sprout.learning.paths.shelf import Shelf
from sprout.learning.text.words import one_line
from sprout.loop.policy import LoopPolicy
from sprout.loop.turn import TurnResult

PATH_POLICY = LoopPolicy(max_iterations=15, max_output_tokens=24_000)
NORMAL_ENDS = frozenset({"end_turn", "stop_sequence"})
NAMED_FAULTS = 12

Title = Annotated[str, Field(min_length=1, max_length=MAX_TITLE, description="unique; later calls refer to it")]
Desc = Annotated[str, Field(min_length=1, max_length=MAX_DESC, description="two sentences that stand alone")]
SourceTitle = Annotated[str, Field(min_length=1, max_length=MAX_TITLE, description="the prerequisite, by its title")]
TargetTitle = Annotated[str, Field(min_length=1, max_length=MAX_TITLE, description="what builds on it, by its title")]
Cited = Annotated[
    list[str] | None,
    Field(description="ids of the passages that it teaches; none where it is general knowledge"),
]
Why = Annotated[str, Field(min_length=1, max_length=500, description="why the target cannot be learned without it")]


class NothingMade(SproutError):
    """A run that ended without having saved anything."""


@dataclass(frozen=True, slots=True)
class Size:
    """How many of something a path has: `least` to `most`, both included."""

    least: int
    most: int
    noun: str

    def __str__(self) -> str:
        return f"{self.least}-{self.most}"

    def short_at(self, count: int) -> str | None:
        """What to tell a model that has saved so many; None when they are enough."""
        return f"{count} of {self} {self.noun} saved." if count < self.least else None

    @property
    def full(self) -> str:
        return f"All {self.most} {self.noun} that there can be are saved already: leave this one out."


def adding(title: str, desc: str, size: Size) -> Callable[[ConceptGraph], Edit]:
    """The edit that adds a child, unless the most that there may be are there already."""

    def operation(graph: ConceptGraph) -> Edit:
        if len(graph.nodes) >= size.most and not graph.has(title):
            raise GraphRefused(size.full)
        return graph.add(title, desc, utc_now())

    return operation


def joining(source_title: str, target_title: str, why: str) -> Callable[[ConceptGraph], Edit]:
    """The edit that joins two children by their titles, for this reason."""
    return lambda graph: graph.connect_titles(source_title, target_title, reason=one_line(why))


def saved_node(edit: Edit) -> dict[str, JsonValue]:
    """What a model is told of a node that was saved; `position` counts from 1."""
    if edit.node is None:
        raise ValueError("an edit that adds has a node")
    ids = [node.id for node in edit.graph.nodes]
    told: dict[str, JsonValue] = {
        "saved": True,
        "nodeId": edit.node.id,
        "title": edit.node.title,
        "position": ids.index(edit.node.id) + 1,
    }
    return told if edit.created else {**told, "existed": True}


def saved_edge(edit: Edit) -> dict[str, JsonValue]:
    return {"saved": True} if edit.events else {"saved": True, "existed": True}


async def graph_under(shelf: Shelf, parent_id: str, *, user_id: str) -> ConceptGraph:
    """The children of a node as a graph. Raises NotFound."""
    parent = await shelf.node(parent_id, user_id=user_id)
    nodes, edges = await shelf.children(parent_id)
    return ConceptGraph(parent, tuple(nodes), tuple(edges))


def as_events(nodes: Iterable[NodeRow], edges: Iterable[EdgeEnds]) -> list[Event]:
    """What is there already, as if it were made now: every node before the edges that touch it."""
    return [*(NodeCreated(node=node) for node in nodes), *(EdgeCreated(edge=edge) for edge in edges)]


def without_edges(graph: ConceptGraph) -> list[str]:
    """A sentence for each node without an edge."""
    titles = {node.id: node.title for node in graph.nodes}
    return [f"'{titles[orphan]}' has no edge." for orphan in graph.validate().orphans]


def in_pieces(graph: ConceptGraph) -> list[str]:
    """A sentence where the nodes that have edges do not all hang together."""
    titles = {node.id: node.title for node in graph.nodes}
    parts = [part for part in graph.validate().parts if len(part) > 1]
    if len(parts) < 2:
        return []
    pieces = "; ".join(", ".join(f"'{titles[node_id]}'" for node_id in part) for part in parts)
    return [f"The path is in {len(parts)} pieces that no edge joins: {pieces}."]


def correction(prompt: Prompt, faults: Sequence[str]) -> str | None:
    """The message that asks to mend the faults; None where there are none."""
    if not faults:
        return None
    more = [f"And {len(faults) - NAMED_FAULTS} more of the kind."] if len(faults) > NAMED_FAULTS else []
    return prompt.filled(faults=" ".join([*faults[:NAMED_FAULTS], *more]))


async def log_made(shelf: Shelf, job: Job, prompt: Prompt, result: TurnResult, *, made: int) -> None:
    """Keep how the children of a node came to be: one entry of its generation log."""
    meta = {
        "runId": job.run_id,
        "prompt": f"{prompt.name} {prompt.version}",
        "small": job.small,
        "made": made,
        "reason": result.reason,
        "iterations": result.iterations,
        "calls": Counter(call.name for call in result.calls),
        "refused": sum(call.is_error for call in result.calls),
        "problems": list(result.problems),
    }
    await shelf.log_generation(
        job.node_id,
        trigger="on_first_enter",
        model=job.model,
        meta=json.dumps(meta, ensure_ascii=False),
        run_id=job.run_id,
    )
