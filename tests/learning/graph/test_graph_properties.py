"""Invariants of the graph after any sequence of edits."""

from collections.abc import Callable, Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from sprout.errors import InvalidGraphEdit
from sprout.events import EdgeCreated, EdgeRemoved, GraphEvent, NodeCreated, NodeRemoved, NodeUpdated
from sprout.learning.graph.graph import ConceptGraph, Edit, apply, title_key
from sprout.learning.graph.traversal import reachable
from tests.learning.graph.graphs import LATER, NOW, a_graph

Operation = Callable[[ConceptGraph], Edit]

TITLES = st.sampled_from([*"ABCDEFGH", "a", " b ", "Ｃ", ""])
PLACES = st.integers(0, 9)


def at(graph: ConceptGraph, place: int) -> str:
    return graph.nodes[place % len(graph.nodes)].id if graph.nodes else "nobody"


OPERATIONS = st.one_of(
    st.builds(lambda title: lambda graph: graph.add(title, None, NOW), TITLES),
    st.builds(lambda one, other: lambda graph: graph.connect(at(graph, one), at(graph, other)), PLACES, PLACES),
    st.builds(lambda one, other: lambda graph: graph.connect(at(graph, one), at(graph, other)), PLACES, PLACES),
    st.builds(lambda one, other: lambda graph: graph.disconnect(at(graph, one), at(graph, other)), PLACES, PLACES),
    st.builds(lambda one, title: lambda graph: graph.insert_before(at(graph, one), title, None, NOW), PLACES, TITLES),
    st.builds(lambda one, title: lambda graph: graph.insert_after(at(graph, one), title, None, NOW), PLACES, TITLES),
    st.builds(lambda one: lambda graph: graph.remove(at(graph, one)), PLACES),
    st.builds(lambda one, title: lambda graph: graph.update(at(graph, one), LATER, title=title), PLACES, TITLES),
)


def edits_of(operations: Sequence[Operation]) -> list[tuple[ConceptGraph, Edit]]:
    """Each accepted edit with the graph before it."""
    graph, edits = a_graph(), []
    for operation in operations:
        try:
            edit = operation(graph)
        except InvalidGraphEdit:
            continue
        edits.append((graph, edit))
        graph = edit.graph
    return edits


def ways(graph: ConceptGraph) -> dict[str, set[str]]:
    """For each title, the titles that build on it, however far."""
    titles = {node.id: node.title for node in graph.nodes}
    pairs = [(edge.source_node_id, edge.target_node_id) for edge in graph.edges]
    return {titles[node]: {titles[other] for other in reachable(pairs, [node])} - {titles[node]} for node in titles}


@given(st.lists(OPERATIONS, max_size=40))
@settings(max_examples=50)
def test_G2_no_sequence_of_edits_gives_a_cycle_a_dangling_edge_or_a_title_twice(operations: list[Operation]) -> None:
    for _, edit in edits_of(operations):
        report = edit.graph.validate()
        assert not report.broken, report
        keys = [title_key(node.title) for node in edit.graph.nodes]
        assert len(set(keys)) == len(keys)


@given(st.lists(OPERATIONS, max_size=40))
@settings(max_examples=50)
def test_G3_the_events_of_an_edit_turn_the_rows_before_into_the_rows_after(operations: list[Operation]) -> None:
    for before, edit in edits_of(operations):
        assert apply(before, edit.events) == edit.graph
        assert written(before, edit.events) == (
            {node.id: node for node in edit.graph.nodes},
            {(edge.source_node_id, edge.target_node_id) for edge in edit.graph.edges},
        )
        assert edit.node is None or edit.created == (edit.node.id not in {node.id for node in before.nodes})


@given(st.lists(OPERATIONS, max_size=40), PLACES)
@settings(max_examples=50)
def test_G4_removing_a_node_keeps_what_builds_on_what(operations: list[Operation], place: int) -> None:
    for before, _ in edits_of(operations):
        if not before.nodes:
            continue
        gone = before.node(at(before, place))
        after = before.remove(gone.id).graph
        old = ways(before)
        assert ways(after) == {title: above - {gone.title} for title, above in old.items() if title != gone.title}
        new_redundant = set(after.validate().redundant) - set(before.validate().redundant)
        assert not new_redundant


def written(before: ConceptGraph, events: Sequence[GraphEvent]) -> tuple[dict[str, object], set[tuple[str, str]]]:
    """Nodes and edges that a store derives from the events, row by row, under its own constraints."""
    nodes: dict[str, object] = {node.id: node for node in before.nodes}
    edges = {(edge.source_node_id, edge.target_node_id) for edge in before.edges}
    for event in events:
        match event:
            case NodeCreated(node=node):
                assert node.id not in nodes
                nodes[node.id] = node
            case NodeUpdated(node=node):
                assert node.id in nodes
                nodes[node.id] = node
            case NodeRemoved(node_id=node_id):
                assert not any(node_id in pair for pair in edges)
                del nodes[node_id]
            case EdgeCreated(edge=edge):
                pair = (edge.source_node_id, edge.target_node_id)
                assert pair not in edges
                assert set(pair) <= set(nodes)
                edges.add(pair)
            case EdgeRemoved(source_node_id=source, target_node_id=target):
                edges.remove((source, target))
    return nodes, edges
