"""Kappa, macro-F1 and accuracy beside another way to compute them, and beside published numbers (E1)."""

from random import Random

import pytest

from sprout.evaluation.measures.agreement import Pair, accuracy, macro_f1, quadratic_weighted_kappa

CLOSE = 1e-9


def kappa_by_matrices(pairs: list[Pair], levels: int) -> float:
    """The definition by matrices of weights, observed and expected counts, as ASAP's rules print it."""
    observed = [[sum(pair == (one, other) for pair in pairs) for other in range(levels)] for one in range(levels)]
    rows = [sum(row) for row in observed]
    columns = [sum(row[at] for row in observed) for at in range(levels)]
    weights = [[(one - other) ** 2 / (levels - 1) ** 2 for other in range(levels)] for one in range(levels)]
    cells = [(one, other) for one in range(levels) for other in range(levels)]
    above = sum(weights[one][other] * observed[one][other] for one, other in cells)
    below = sum(weights[one][other] * rows[one] * columns[other] / len(pairs) for one, other in cells)
    return 1 - above / below


def f1_by_precision_and_recall(pairs: list[Pair]) -> float:
    found = []
    for level in sorted({level for pair in pairs for level in pair}):
        given = [one for one, other in pairs if other == level]
        wanted = [other for one, other in pairs if one == level]
        precision = given.count(level) / len(given) if given else 0.0
        recall = wanted.count(level) / len(wanted) if wanted else 0.0
        found.append(2 * precision * recall / (precision + recall) if precision + recall else 0.0)
    return sum(found) / len(found)


def random_pairs(seed: int, levels: int) -> list[Pair]:
    drawn = Random(seed)
    human = [drawn.randrange(levels) for _ in range(drawn.randint(20, 200))]
    return [(one, min(levels - 1, max(0, one + drawn.choice((-1, 0, 0, 0, 1, 2))))) for one in human]


@pytest.mark.parametrize("seed", range(12))
def test_E1_kappa_and_macro_f1_are_what_their_definitions_say(seed: int) -> None:
    levels = 2 + seed % 4
    pairs = random_pairs(seed, levels)
    assert quadratic_weighted_kappa(pairs) == pytest.approx(kappa_by_matrices(pairs, levels), abs=CLOSE)
    assert macro_f1(pairs) == pytest.approx(f1_by_precision_and_recall(pairs), abs=CLOSE)
    assert accuracy(pairs) == pytest.approx(sum(one == other for one, other in pairs) / len(pairs), abs=CLOSE)


@pytest.mark.parametrize(
    ("yes_yes", "yes_no", "no_yes", "no_no", "kappa"),
    [(20, 5, 10, 15, 0.4), (45, 15, 25, 15, 0.1304), (25, 35, 5, 35, 0.2593)],
)
def test_E1_kappa_of_the_worked_examples_of_the_textbooks(
    yes_yes: int, yes_no: int, no_yes: int, no_no: int, kappa: float
) -> None:
    """Of two levels quadratic weights are no weights: Cohen's kappa, as in the usual examples of two raters."""
    pairs = [(1, 1)] * yes_yes + [(1, 0)] * yes_no + [(0, 1)] * no_yes + [(0, 0)] * no_no
    assert quadratic_weighted_kappa(pairs) == pytest.approx(kappa, abs=5e-5)


def test_E1_agreement_has_no_value_where_nothing_can_be_said() -> None:
    assert quadratic_weighted_kappa([(2, 2), (2, 2)]) is None
    assert (accuracy([]), macro_f1([]), quadratic_weighted_kappa([])) == (None, None, None)
    assert quadratic_weighted_kappa([(0, 2), (2, 0)]) == pytest.approx(-1)
