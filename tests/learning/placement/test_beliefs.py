"""Beliefs of a placement: exact where the graph is a tree, and in the right direction everywhere."""

from itertools import product
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sprout.learning.placement.beliefs import FROM_THE_GROUND, TOWARDS_GOALS, Observation, beliefs
from sprout.learning.placement.network import EXCEPTION

CHAIN = [("a", "b"), ("b", "c"), ("c", "d")]
TREE = [("a", "b"), ("a", "c"), ("c", "d"), ("e", "c")]
RIGHT, WRONG = (0.9, 0.2), (0.1, 0.8)


def seen(node_id: str, likely: tuple[float, float]) -> Observation:
    return Observation(node_id, *likely)


def likelihood(state: dict[str, bool], edges: list[tuple[str, str]], rate: float) -> float:
    """How likely a state is where a node that rests on true ones only is true at the rate."""
    found = 1.0
    for node_id, is_so in state.items():
        of_node = rate if all(state[source] for source, target in edges if target == node_id) else EXCEPTION
        found *= of_node if is_so else 1 - of_node
    return found


def by_counting(node_ids: str, edges: list[tuple[str, str]], observations: list[Observation]) -> dict[str, float]:
    """The beliefs from the whole list of states, weighed one by one, for one way to know after the other."""
    total, known = 0.0, dict.fromkeys(node_ids, 0.0)
    back = [(target, source) for source, target in edges]
    for values in product((False, True), repeat=len(node_ids)):
        state = dict(zip(node_ids, values, strict=True))
        unknown = {node_id: not is_known for node_id, is_known in state.items()}
        weight = sum(likelihood(state, edges, rate) for rate in FROM_THE_GROUND)
        weight += sum(likelihood(unknown, back, 1 - rate) for rate in TOWARDS_GOALS)
        weight *= prod(one.if_known if state[one.node_id] else one.if_not for one in observations)
        total += weight
        for node_id in node_ids:
            known[node_id] += weight * state[node_id]
    return {node_id: share / total for node_id, share in known.items()}


@pytest.mark.parametrize(
    "observations",
    [
        [],
        [seen("b", RIGHT)],
        [seen("c", WRONG)],
        [seen("d", RIGHT), seen("d", RIGHT)],
        [seen("a", WRONG)],
        [seen("b", RIGHT), seen("d", WRONG)],
    ],
    ids=["nothing", "b right", "c wrong", "d right twice", "a wrong", "b right, d wrong"],
)
@pytest.mark.parametrize("edges", [CHAIN, TREE], ids=["chain", "tree"])
def test_P1_beliefs_on_a_tree_are_those_of_all_states_counted(
    edges: list[tuple[str, str]], observations: list[Observation]
) -> None:
    exact, found = by_counting("abcde", edges, observations), beliefs("abcde", edges, observations)
    assert found == pytest.approx(exact, abs=0.005)


def test_P1_what_is_known_makes_its_prerequisites_likely_and_what_is_not_its_dependents_unlikely() -> None:
    before = beliefs("abcd", CHAIN, [])
    right, wrong = beliefs("abcd", CHAIN, [seen("c", RIGHT)]), beliefs("abcd", CHAIN, [seen("b", WRONG)])
    assert right["a"] > right["b"] > right["c"] > before["c"]
    assert all(right[one] > before[one] for one in "abcd")
    assert all(wrong[one] < before[one] for one in "abcd")


def test_P1_who_learned_for_one_goal_knows_its_prerequisites_though_little_that_rests_on_them() -> None:
    """What is missed beside the way to a goal is no sign against the way."""
    way = [("a", "b"), ("b", "c"), ("c", "goal")]
    beside = [(need, f"{need}{number}") for need in "abc" for number in range(4)]
    node_ids = [*"abc", "goal", *(target for _, target in beside)]
    missed = [seen(target, WRONG) for _, target in beside]
    found = beliefs(node_ids, [*way, *beside], [seen("b", RIGHT), seen("goal", RIGHT), seen("goal", RIGHT), *missed])
    assert min(found[one] for one in "abc") > 0.5
    assert max(found[target] for _, target in beside) < 0.2


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[str], list[tuple[str, str]]]:
    count = draw(st.integers(1, 12))
    pairs = [(str(one), str(other)) for one in range(count) for other in range(one + 1, count)]
    return [str(one) for one in range(count)], draw(st.lists(st.sampled_from(pairs), max_size=20)) if pairs else []


@given(graphs(), st.lists(st.tuples(st.integers(0, 11), st.sampled_from([RIGHT, WRONG])), max_size=30))
def test_P1_beliefs_are_probabilities_whatever_was_answered(
    graph: tuple[list[str], list[tuple[str, str]]], answers: list[tuple[int, tuple[float, float]]]
) -> None:
    node_ids, edges = graph
    observations = [seen(str(number % len(node_ids)), likely) for number, likely in answers]
    found = beliefs(node_ids, edges, observations)
    assert list(found) == node_ids
    assert all(0 <= one <= 1 for one in found.values())
    assert found == beliefs(node_ids, edges, observations), "the same answers, the same beliefs"


def test_P1_an_empty_path_has_no_beliefs_and_what_is_not_in_it_is_ignored() -> None:
    assert beliefs([], [("a", "b")], [seen("a", RIGHT)]) == {}
    assert beliefs(["a"], [("gone", "a"), ("a", "a2")], [seen("gone", RIGHT)]) == beliefs(["a"], [], [])


def test_P1_beliefs_with_loops_are_near_those_of_all_states_counted() -> None:
    diamond = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("a", "d"), ("c", "e")]
    for observations in ([seen("d", RIGHT)], [seen("b", WRONG), seen("e", RIGHT)], [seen("a", RIGHT)]):
        exact, found = by_counting("abcde", diamond, observations), beliefs("abcde", diamond, observations)
        assert found == pytest.approx(exact, abs=0.1)
