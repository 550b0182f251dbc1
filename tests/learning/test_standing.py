"""How a learner stands is derived from what is mastered, what is begun, and the graph (G6)."""

from hypothesis import given
from hypothesis import strategies as st

from sprout.learning.graph.standing import Standing, standings

NODES = ("light", "leaf", "sugar")
EDGES = [("light", "leaf"), ("leaf", "sugar")]


def test_G6_at_first_only_the_entries_are_ready() -> None:
    found = standings(NODES, EDGES, mastered=(), started=())
    assert list(found.values()) == [Standing.READY, Standing.LOCKED, Standing.LOCKED]


def test_G6_what_rests_on_mastered_nodes_alone_opens() -> None:
    found = standings(NODES, EDGES, mastered={"light"}, started={"light"})
    assert list(found.values()) == [Standing.MASTERED, Standing.READY, Standing.LOCKED]


def test_G6_what_was_begun_is_not_locked_by_what_is_put_before_it() -> None:
    found = standings([*NODES, "bridge"], [*EDGES, ("bridge", "leaf")], mastered={"light"}, started={"leaf"})
    assert (found["leaf"], found["bridge"]) == (Standing.IN_PROGRESS, Standing.READY)


def test_G6_a_mastered_node_may_be_due_and_still_opens_what_rests_on_it() -> None:
    found = standings(NODES, EDGES, mastered={"light"}, started=(), due={"light", "sugar"})
    assert list(found.values()) == [Standing.DUE, Standing.READY, Standing.LOCKED]


@given(st.sets(st.sampled_from(NODES)), st.sets(st.sampled_from(NODES)))
def test_G6_some_node_can_always_be_worked_on_until_all_are_mastered(mastered: set[str], started: set[str]) -> None:
    found = standings(NODES, EDGES, mastered=mastered, started=started)
    open_ones = [node for node, one in found.items() if one in (Standing.READY, Standing.IN_PROGRESS)]
    assert bool(open_ones) == (mastered != set(NODES))
