"""Order, F1 and groups of prerequisites beside another way to compute them (E1, E2)."""

from itertools import product
from random import Random

import pytest

from sprout.evaluation.graph.graph_suite import GraphTask, edge_records, graph_metrics
from sprout.evaluation.measures.edges import closure, f1, in_groups
from sprout.learning.graph.traversal import Pair

CONCEPTS = tuple("ABCDEFGH")
CLOSE = 1e-12


def ways_by_matrix(pairs: set[Pair]) -> set[Pair]:
    """Warshall's algorithm on the matrix of the pairs."""
    ahead = {pair: pair in pairs for pair in product(CONCEPTS, CONCEPTS)}
    for middle, source, target in product(CONCEPTS, CONCEPTS, CONCEPTS):
        ahead[source, target] |= ahead[source, middle] and ahead[middle, target]
    return {pair for pair, there in ahead.items() if there}


def random_pairs(drawn: Random, share: float) -> set[Pair]:
    """Pairs without a cycle, along a random order."""
    order = drawn.sample(CONCEPTS, len(CONCEPTS))
    return {
        (source, target)
        for at, source in enumerate(order)
        for target in order[at + 1 :]
        if drawn.random() < share
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(20))
def test_E2_figures_of_edges_are_what_their_definitions_say(seed: int) -> None:
    drawn = Random(seed)
    expert, made = random_pairs(drawn, 0.3), random_pairs(drawn, 0.35)
    order, implied = ways_by_matrix(expert), ways_by_matrix(made)
    assert closure(expert) == order
    task = GraphTask("Letters", CONCEPTS, tuple(expert), closure(expert), None, "")
    records = edge_records(task, sorted(made))
    values = {one.name: one.statistic(records) for one in graph_metrics()}
    precision, recall = len(made & order) / len(made), len(expert & implied) / len(expert)
    assert values["precision"] == pytest.approx(precision, abs=CLOSE)
    assert values["recall"] == pytest.approx(recall, abs=CLOSE)
    assert values["F1"] == pytest.approx(2 * precision * recall / (precision + recall or 1), abs=CLOSE)
    assert values["F1 of single edges"] == pytest.approx(2 * len(made & expert) / (len(made) + len(expert)), abs=CLOSE)
    turned = {(target, source) for source, target in made}
    assert values["reversed"] == pytest.approx(len(turned & order) / len(made), abs=CLOSE)
    needless = [pair for pair in made if pair in ways_by_matrix(made - {pair})]
    assert values["needless"] == pytest.approx(len(needless) / len(made), abs=CLOSE)


def test_E2_edges_that_no_expert_has_looked_at_are_not_judged() -> None:
    task = GraphTask("Letters", ("A", "B", "C"), (("A", "B"),), frozenset({("A", "B")}), frozenset({("A", "B")}), "")
    records = edge_records(task, [("A", "B"), ("B", "C"), ("A", "own idea")])
    assert [one["right"] for one in records if "right" in one] == [True, None, None]


def test_E2_an_expert_who_contradicts_himself_has_no_edge_reversed() -> None:
    pairs = (("A", "B"), ("B", "A"))
    task = GraphTask("Letters", ("A", "B"), pairs, closure(pairs), None, "")
    (edge, *_) = edge_records(task, [("A", "B")])
    assert (edge["right"], edge["reversed"]) == (True, False)


@pytest.mark.parametrize(
    ("precision", "recall", "value"), [(0.5, 1.0, 2 / 3), (None, 0.0, 0.0), (1.0, 0.0, 0.0), (None, None, None)]
)
def test_E2_f1_of_nothing_right_is_zero(precision: float | None, recall: float | None, value: float | None) -> None:
    assert f1(precision, recall) == (value if value is None else pytest.approx(value))


@pytest.mark.parametrize("count", [1, 9, 10, 11, 47, 208])
def test_E2_groups_hold_every_concept_once_and_what_pairs_join(count: int) -> None:
    concepts = [f"c{number}" for number in range(count)]
    pairs = [(concepts[at], concepts[at + 1]) for at in range(0, count - 1, 2)]
    groups = in_groups(concepts, pairs, most=10)
    assert sorted(one for group in groups for one in group) == sorted(concepts)
    assert max(map(len, groups)) <= 10
    assert max(map(len, groups)) - min(map(len, groups)) <= 1
    home = {one: place for place, group in enumerate(groups) for one in group}
    torn = sum(home[source] != home[target] for source, target in pairs)
    assert torn <= len(groups)  # at most the last place of each
