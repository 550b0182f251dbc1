"""Mastery is what the graded answers say, and nothing else (H3, H4, H5)."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sprout.learning.mastery.mastery import (
    MASTERED_FROM,
    PARAMETERS,
    Evidence,
    Mastery,
    mastery,
    mean_mastery,
    right_answers_needed,
)

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
CHAIN = [("light", "leaf"), ("leaf", "sugar"), ("sugar", "growth")]
NODES = ("light", "leaf", "sugar", "growth")

answers = st.builds(
    Evidence,
    answer_id=st.uuids().map(str),
    tests=st.lists(st.sampled_from(NODES), min_size=1, max_size=2, unique=True).map(tuple),
    format=st.sampled_from(["mcq", "open_ended", "numeric"]),
    score=st.floats(0, 1),
    help_level=st.integers(0, 4),
    at=st.integers(0, 1_000).map(lambda minutes: NOON + timedelta(minutes=minutes)),
)
histories = st.lists(answers, max_size=15, unique_by=lambda one: one.answer_id)


def an_answer(
    score: float, node: str = "leaf", *, number: int = 0, format: str = "open_ended", level: int = 0
) -> Evidence:
    return Evidence(f"a{number}", (node,), format, score, level, NOON + timedelta(minutes=number))  # type: ignore[arg-type]


def after(*scores: float, format: str = "open_ended", level: int = 0) -> Mastery:
    given = [an_answer(score, number=number, format=format, level=level) for number, score in enumerate(scores)]
    return mastery(given, CHAIN)["leaf"]


def test_H4_the_update_is_that_of_the_literature() -> None:
    """By hand: P(known | right) = 0.08·0.9 / (0.08·0.9 + 0.92·0.05), then a tenth of what is missing is learned."""
    right = 0.08 * 0.9 / (0.08 * 0.9 + 0.92 * 0.05)
    assert after(1).value == pytest.approx(right + (1 - right) * 0.1)
    wrong = 0.08 * 0.1 / (0.08 * 0.1 + 0.92 * 0.95)
    assert after(0).value == pytest.approx(wrong + (1 - wrong) * 0.1)
    assert after(0.5).value == pytest.approx((after(1).value + after(0).value) / 2)


def test_H4_nothing_is_known_of_who_has_answered_nothing() -> None:
    assert mastery([], CHAIN) == {}


def test_H4_two_good_answers_master_a_node_and_one_does_not() -> None:
    assert after(1).value < MASTERED_FROM
    assert after(1, 1).mastered
    assert not after(1, 0).mastered


def test_H4_two_lucky_choices_do_not_master_a_node() -> None:
    """A guesser has two of four right once in sixteen times, three once in sixty-four."""
    assert not after(1, 1, format="mcq").mastered
    assert after(1, 1, 1, format="mcq").mastered


@pytest.mark.parametrize("level", [1, 2, 3, 4])
def test_H3_with_help_no_node_is_mastered_however_often(level: int) -> None:
    practised = after(*[1] * 20, level=level)
    assert PARAMETERS.initially_known < practised.value < MASTERED_FROM
    assert not practised.mastered
    own = [an_answer(1, number=number) for number in range(30, 32)]
    helped = [an_answer(1, number=number, level=level) for number in range(5)]
    assert mastery([*helped, *own], CHAIN)["leaf"].mastered, "but then alone it is"


def test_H5_a_miss_casts_doubt_on_what_it_rests_on_the_less_the_farther() -> None:
    known = [an_answer(1, node, number=number) for number, node in enumerate(("light", "leaf", "sugar", "growth"))]
    before = mastery(known, CHAIN)
    missed = mastery([*known, an_answer(0, "growth", number=9)], CHAIN)
    loss = {node: before[node].value - missed[node].value for node in NODES}
    assert loss["growth"] > loss["sugar"] > loss["leaf"] > 0
    assert loss["light"] == 0, "three edges away it says nothing"
    assert [missed[node].attempts for node in NODES] == [1, 1, 1, 2]


def test_H5_a_good_answer_is_credit_for_what_it_rests_on_but_masters_nothing() -> None:
    credited = mastery([an_answer(1, "growth", number=number) for number in range(3)], CHAIN)
    assert credited["growth"].mastered
    assert credited["sugar"].value > credited["leaf"].value > PARAMETERS.initially_known
    often = mastery([an_answer(1, "growth", number=number) for number in range(50)], CHAIN)
    assert often["leaf"].value < MASTERED_FROM
    assert not often["sugar"].mastered
    assert mastery([an_answer(1, "growth", level=2)], CHAIN).keys() == {"growth"}, "help gives no credit"


def test_H5_a_node_that_an_answer_tests_itself_gets_nothing_along_its_edges() -> None:
    both = replace(an_answer(1, "sugar"), tests=("sugar", "leaf"))
    found = mastery([both], CHAIN)
    assert found["sugar"].value == found["leaf"].value == after(1).value
    assert found["light"].attempts == 0


@settings(max_examples=40)
@given(histories, st.randoms())
def test_H4_the_order_in_which_answers_are_found_makes_no_difference(given: Sequence[Evidence], chance: object) -> None:
    shuffled = list(given)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert mastery(shuffled, CHAIN) == mastery(given, CHAIN)


@settings(max_examples=40)
@given(histories)
def test_H4_every_value_is_a_probability_and_its_evidence_the_answers_about_the_node(given: Sequence[Evidence]) -> None:
    for node, found in mastery(given, CHAIN).items():
        assert 0 < found.value < 1
        assert set(found.evidence) == {one for one in given if node in one.tests}


@settings(max_examples=40)
@given(histories, answers)
def test_Q4_without_an_answer_everything_is_as_if_it_had_never_been_asked(
    given: Sequence[Evidence], voided: Evidence
) -> None:
    before = mastery(given, CHAIN)
    assert mastery([one for one in [*given, voided] if one is not voided], CHAIN) == before


@settings(max_examples=40)
@given(histories)
def test_H3_no_node_is_mastered_without_an_unaided_answer_about_itself(given: Sequence[Evidence]) -> None:
    for found in mastery(given, CHAIN).values():
        if found.mastered:
            assert any(one.help_level == 0 and one.score > 0 for one in found.evidence)


@settings(max_examples=40)
@given(histories, st.sampled_from(NODES), st.floats(0, 1), st.floats(0, 1))
def test_H4_a_better_last_answer_never_leaves_less(
    given: Sequence[Evidence], node: str, one: float, other: float
) -> None:
    values = [
        mastery([*given, replace(an_answer(score, node), at=NOON + timedelta(days=9))], CHAIN)[node].value
        for score in sorted([one, other])
    ]
    assert values[0] <= values[1] + 1e-9


def test_the_mastery_of_a_concept_is_the_mean_of_its_parts() -> None:
    assert mean_mastery([]) == 0
    assert mean_mastery([0.2, 0.0, 0.7]) == pytest.approx(0.3)


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), max_size=6))
def test_as_many_right_answers_as_are_said_to_be_needed_master_a_node_and_no_fewer(scores: list[float]) -> None:
    so_far = after(*scores) if scores else Mastery(PARAMETERS.initially_known)
    needed = right_answers_needed(so_far.value, so_far.attempts)
    assert so_far.mastered is (needed == 0)
    if needed:
        assert after(*scores, *[1.0] * needed).mastered
        assert needed == 1 or not after(*scores, *[1.0] * (needed - 1)).mastered
