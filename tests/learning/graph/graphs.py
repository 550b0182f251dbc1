"""Small graphs for tests."""

from datetime import UTC, datetime
from typing import Literal

from sprout.events import NodeRow, wire_time
from sprout.learning.graph.graph import ConceptGraph

NOW = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
LATER = datetime(2026, 11, 20, 9, 31, tzinfo=UTC)


def a_parent(type_: Literal["root", "concept", "subconcept"] = "root") -> NodeRow:
    moment = wire_time(NOW)
    return NodeRow(
        id="parent",
        user_id="ada",
        type=type_,
        branch_id="branch",
        parent_id=None if type_ == "root" else "above",
        title="Electric circuits",
        desc=None,
        created_at=moment,
        updated_at=moment,
    )


def a_graph(titles: str = "", edges: str = "") -> ConceptGraph:
    """`a_graph("A B C", "A>B B>C")`."""
    graph = ConceptGraph(a_parent())
    for title in titles.split():
        graph = graph.add(title, None, NOW).graph
    for edge in edges.split():
        source, target = edge.split(">")
        graph = graph.connect_titles(source, target).graph
    return graph


def drawn(graph: ConceptGraph) -> set[str]:
    """The edges as `a_graph` takes them."""
    titles = {node.id: node.title for node in graph.nodes}
    return {f"{titles[edge.source_node_id]}>{titles[edge.target_node_id]}" for edge in graph.edges}
