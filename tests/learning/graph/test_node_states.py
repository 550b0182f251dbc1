"""State of a node, derived from what is learned and mastered, from started lessons, and from the graph (G6)."""

from hypothesis import given
from hypothesis import strategies as st

from sprout.learning.graph.node_states import NodeState, node_states

NODES = ("light", "leaf", "sugar")
EDGES = [("light", "leaf"), ("leaf", "sugar")]


def test_G6_at_first_only_the_entries_are_ready() -> None:
    found = node_states(NODES, EDGES, learned=(), mastered=(), started=())
    assert list(found.values()) == [NodeState.READY, NodeState.LOCKED, NodeState.LOCKED]


def test_G6_H4c_what_rests_on_learned_nodes_alone_opens() -> None:
    found = node_states(NODES, EDGES, learned={"light"}, mastered=(), started={"light"})
    assert list(found.values()) == [NodeState.LEARNED, NodeState.READY, NodeState.LOCKED]
    found = node_states(NODES, EDGES, learned={"light", "leaf"}, mastered={"light"}, started={"light"})
    assert list(found.values()) == [NodeState.MASTERED, NodeState.LEARNED, NodeState.READY]


def test_G6_what_was_begun_is_not_locked_by_what_is_put_before_it() -> None:
    edges = [*EDGES, ("bridge", "leaf")]
    found = node_states([*NODES, "bridge"], edges, learned={"light"}, mastered=(), started={"leaf"})
    assert (found["leaf"], found["bridge"]) == (NodeState.IN_PROGRESS, NodeState.READY)


@given(st.sets(st.sampled_from(NODES)), st.sets(st.sampled_from(NODES)))
def test_G6_some_node_can_always_be_worked_on_until_all_are_learned(learned: set[str], started: set[str]) -> None:
    found = node_states(NODES, EDGES, learned=learned, mastered=(), started=started)
    open_ones = [node for node, one in found.items() if one in (NodeState.READY, NodeState.IN_PROGRESS)]
    assert bool(open_ones) == (learned != set(NODES))
