"""The probability that something is known is moved by Bayes' rule, and by nothing else (H4, H4a)."""

from itertools import product
from math import prod
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sprout.learning.mastery.knowledge_tracing import PARAMETERS, update, update_prerequisite

Format = Literal["mcq", "open_ended", "numeric"]
FORMATS: tuple[Format, ...] = ("mcq", "open_ended", "numeric")

probabilities = st.floats(0.01, 0.99)
skills = st.lists(probabilities, min_size=1, max_size=4)
formats = st.sampled_from(FORMATS)
difficulties = st.integers(1, 5)


def by_enumeration(known: list[float], *, right: bool, slip: float, guess: float) -> list[float]:
    """P(known | answer) of each, summed over every combination of what may be known."""
    joint = {}
    for combination in product([True, False], repeat=len(known)):
        prior = prod(one if is_known else 1 - one for one, is_known in zip(known, combination, strict=True))
        right_here = 1 - slip if all(combination) else guess
        joint[combination] = prior * (right_here if right else 1 - right_here)
    total = sum(joint.values())
    return [sum(value for states, value in joint.items() if states[at]) / total for at in range(len(known))]


def test_H4_the_update_is_that_of_the_literature() -> None:
    """By hand: P(known | right) = 0.2·0.92 / (0.2·0.92 + 0.8·0.15), then 15 % of what is missing is learned."""
    right = 0.2 * 0.92 / (0.2 * 0.92 + 0.8 * 0.15)
    assert update([0.2], 1, "open_ended", 3) == [pytest.approx(right + (1 - right) * 0.15)]
    wrong = 0.9 * 0.08 / (0.9 * 0.08 + 0.1 * 0.85)
    assert update([0.9], 0, "open_ended", 3) == [pytest.approx(wrong + (1 - wrong) * 0.15)]
    assert update([0.2], 0.75, "open_ended", 3) == [pytest.approx((0.2 + right + (1 - right) * 0.15) / 2)], "half way"
    assert update([0.2], 0.5, "open_ended", 3) == [0.2]


@given(skills, st.booleans(), formats, difficulties)
def test_H4a_blame_and_credit_are_those_of_bayes_rule_over_all_that_is_tested(
    known: list[float], right: bool, format: Format, difficulty: int
) -> None:
    noise, learned = PARAMETERS.noise[difficulty], PARAMETERS.learned
    guess = noise.chosen if format == "mcq" else noise.guess
    expected = [one + (1 - one) * learned for one in by_enumeration(known, right=right, slip=noise.slip, guess=guess)]
    if not right:
        expected = [min(before, one) for before, one in zip(known, expected, strict=True)]
    assert update(known, float(right), format, difficulty) == pytest.approx(expected)


def test_H4a_a_miss_blames_the_less_known_one_most() -> None:
    firm, shaky = update([0.95, 0.3], 0, "open_ended", 3)
    alone = update([0.95], 0, "open_ended", 3)[0]
    assert 0.95 - firm < 0.01 < 0.3 - shaky
    assert alone < 0.7, "with nothing else to blame it is blamed itself"


@given(skills, st.floats(0, 1), formats, difficulties)
def test_H4b_a_right_answer_lowers_no_probability_and_a_wrong_one_raises_none(
    known: list[float], score: float, format: Format, difficulty: int
) -> None:
    moved = [*zip(known, update(known, score, format, difficulty), strict=True)]
    moved += [(one, update_prerequisite(one, score, format, difficulty, edges=1)) for one in known]
    for before, now in moved:
        assert 0 < now < 1
        assert now >= before - 1e-12 if score >= 0.5 else now <= before + 1e-12


@given(skills, st.floats(0, 1), st.floats(0, 1), formats, difficulties)
def test_H4b_of_two_scores_the_better_one_leaves_no_less(
    known: list[float], one: float, other: float, format: Format, difficulty: int
) -> None:
    worse, better = (update(known, score, format, difficulty) for score in sorted([one, other]))
    assert all(low <= high + 1e-12 for low, high in zip(worse, better, strict=True))


@given(probabilities, formats, st.integers(1, 4))
def test_H4a_a_harder_question_says_more_when_right_and_less_when_wrong(
    known: float, format: Format, difficulty: int
) -> None:
    for score in (0.0, 1.0):
        easy, hard = (update_prerequisite(known, score, format, one, edges=1) for one in (difficulty, difficulty + 1))
        assert easy <= hard


def test_the_table_stays_within_the_bounds_of_the_literature() -> None:
    assert sorted(PARAMETERS.noise) == [1, 2, 3, 4, 5]
    for noise in PARAMETERS.noise.values():
        assert noise.slip <= 0.1
        assert noise.guess <= noise.chosen <= 0.3
    assert 0.2 <= PARAMETERS.initially_known <= 0.4
