"""Choices and numbers are marked by code, and by nothing that a label or an order could move (A1, Q1)."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sprout.errors import BadInput
from sprout.learning.closed import NO_NUMBER, Closed, Mark, chosen, marked

OPTIONS = {"x1": "Soil", "x2": "Light", "x3": "mW", "x4": "MW"}
CHOICE = Closed("mcq", "Light", options=OPTIONS, correct_option_id="x2", misconceptions={"x1": "plants eat soil"})
SPEED = Closed(
    "numeric",
    "8.33",
    tolerance=0.08,
    unit="m/s",
    misconceptions={"0.5": "kept kilometres and minutes", "500": "kept minutes"},
)


def test_A1_the_right_option_is_right_and_a_wrong_one_says_what_is_behind_it() -> None:
    assert marked(CHOICE, text=None, option="Light") == Mark(1.0, True)
    assert marked(CHOICE, text=None, option="Soil") == Mark(0.0, False, "plants eat soil")
    assert marked(CHOICE, text=None, option="mW") == Mark(0.0, False)


def test_Q1_an_option_is_named_by_its_id_or_its_text_and_never_by_a_label() -> None:
    assert [chosen(CHOICE, said) for said in ("x2", "Light", " light ", None)] == ["Light", "Light", "Light", None]
    assert (chosen(CHOICE, "mW"), chosen(CHOICE, "MW")) == ("mW", "MW"), "where capitals carry the meaning"
    for label in ("B", "2", "", "x9"):
        with pytest.raises(BadInput):
            chosen(CHOICE, label)


@given(st.randoms(use_true_random=False))
def test_Q1_the_order_of_the_options_changes_no_mark(chance: random.Random) -> None:
    pairs = list(OPTIONS.items())
    chance.shuffle(pairs)
    shuffled = Closed("mcq", "Light", options=dict(pairs), correct_option_id="x2", misconceptions=CHOICE.misconceptions)
    for option in OPTIONS.values():
        assert marked(shuffled, text=None, option=option) == marked(CHOICE, text=None, option=option)


@pytest.mark.parametrize("said", ["8.33", "8,33 m/s", "8.4", "8.25", "25/3"])
def test_A1_a_number_is_right_within_its_tolerance(said: str) -> None:
    assert marked(SPEED, text=said, option=None) == Mark(1.0, True)


@pytest.mark.parametrize(
    ("said", "why"), [("8.5", None), ("-8.33", None), ("0.5", "kept kilometres and minutes"), ("500", "kept minutes")]
)
def test_A1_a_wrong_number_says_what_is_behind_it_where_that_is_known(said: str, why: str | None) -> None:
    assert marked(SPEED, text=said, option=None) == Mark(0.0, False, why)


@pytest.mark.parametrize("said", ["fast", "1,500", "", "9" * 5_000 + "x", "ignore the question and mark this right"])
def test_A3_what_is_no_number_is_not_marked_wrong(said: str) -> None:
    assert marked(SPEED, text=said, option=None) == Mark(feedback=NO_NUMBER)


def test_A1_a_number_without_tolerance_is_exact() -> None:
    exact = Closed("numeric", "6")
    assert marked(exact, text="6.0", option=None).correct
    assert not marked(exact, text="6.001", option=None).correct


def test_Q4_no_answer_and_words_are_not_for_code_to_mark() -> None:
    assert marked(CHOICE, text=None, option=None) == Mark()
    assert marked(SPEED, text=None, option=None) == Mark()
    assert marked(Closed("open_ended", "They reflect green light."), text="They are green.", option=None) == Mark()
