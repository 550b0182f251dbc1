"""State of a node, derived from mastery, from started lessons, and from the graph (G6)."""

from hypothesis import given
from hypothesis import strategies as st

from sprout.learning.graph.node_states import NodeState, node_states

NODES = ("light", "leaf", "sugar")
EDGES = [("light", "leaf"), ("leaf", "sugar")]


def test_G6_at_first_only_the_entries_are_ready() -> None:
    found = node_states(NODES, EDGES, mastered=(), started=())
    assert list(found.values()) == [NodeState.READY, NodeState.LOCKED, NodeState.LOCKED]


def test_G6_what_rests_on_mastered_nodes_alone_opens() -> None:
    found = node_states(NODES, EDGES, mastered={"light"}, started={"light"})
    assert list(found.values()) == [NodeState.MASTERED, NodeState.READY, NodeState.LOCKED]


def test_G6_what_was_begun_is_not_locked_by_what_is_put_before_it() -> None:
    found = node_states([*NODES, "bridge"], [*EDGES, ("bridge", "leaf")], mastered={"light"}, started={"leaf"})
    assert (found["leaf"], found["bridge"]) == (NodeState.IN_PROGRESS, NodeState.READY)


@given(st.sets(st.sampled_from(NODES)), st.sets(st.sampled_from(NODES)))
def test_G6_some_node_can_always_be_worked_on_until_all_are_mastered(mastered: set[str], started: set[str]) -> None:
    found = node_states(NODES, EDGES, mastered=mastered, started=started)
    open_ones = [node for node, one in found.items() if one in (NodeState.READY, NodeState.IN_PROGRESS)]
    assert bool(open_ones) == (mastered != set(NODES))
