"""Integrity of the graphs that runs have grown: no cycle, no orphan, no duplicate, nothing missing."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Any

from sqlalchemy import Connection, text

from harness.models.small_path import CONCEPTS, QUESTIONS, SUBCONCEPTS

NODES = "select id, parent_id, type, title from nodes"
EDGES = "select parent_id, source_node_id, target_node_id from node_edges"
WANTED = {"topic": CONCEPTS, "subconcept": SUBCONCEPTS}
QUESTIONS_OF = "select a.target_node_id, q.prompt from questions q join assessments a on a.id = q.assessment_id"


def graph_faults(connection: Connection, runs: Sequence[dict[str, Any]], *, whole: bool) -> Iterator[str]:
    """I9, and that a topic whose run has completed has the whole small path, once."""
    nodes = {row.id: row for row in connection.execute(text(NODES))}
    children: dict[str, list[str]] = defaultdict(list)
    for node in nodes.values():
        if node.type == "root":
            continue
        if node.parent_id not in nodes:
            yield f"node {node.id} is an orphan"
        children[node.parent_id].append(node.title)
    edges: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for edge in connection.execute(text(EDGES)):
        edges[edge.parent_id].append((edge.source_node_id, edge.target_node_id))
    yield from _cycles(edges)
    if whole:
        questions = Counter(row.target_node_id for row in connection.execute(text(QUESTIONS_OF)))
        for run in runs:
            if run["state"] == "completed" and run["agent"] in WANTED:
                yield from _missing(run["node_id"], WANTED[run["agent"]], children, edges)
                if run["agent"] == "subconcept" and questions[run["node_id"]] != QUESTIONS:
                    yield f"concept {run['node_id']} has {questions[run['node_id']]} questions"


def _cycles(edges: dict[str, list[tuple[str, str]]]) -> Iterator[str]:
    for parent, pairs in edges.items():
        order: TopologicalSorter[str] = TopologicalSorter()
        for source, target in pairs:
            order.add(target, source)
        try:
            order.prepare()
        except CycleError:
            yield f"the graph under {parent} has a circle"


def _missing(
    node_id: str,
    wanted: tuple[str, ...],
    children: dict[str, list[str]],
    edges: dict[str, list[tuple[str, str]]],
) -> Iterator[str]:
    if sorted(children[node_id]) != sorted(wanted):
        yield f"node {node_id} has {children[node_id]} under it"
    if len(edges[node_id]) != len(wanted) - 1:
        yield f"under node {node_id} are {len(edges[node_id])} edges"
