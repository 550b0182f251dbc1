"""What looks at a question say of its key (rules Q3, Q4)."""

import pytest

from sprout.clock import utc_now
from sprout.learning.marking.keys import SAYS, Contest, Look, Solution, look_at, outcome_of


@pytest.mark.parametrize(
    ("option", "sure", "look"),
    [
        ("right", 1.0, Look.AGREES),
        ("right", 0.5, Look.AGREES),
        ("wrong", 0.9, Look.DISAGREES),
        (None, 0.9, Look.DISAGREES),
        ("right", 0.49, Look.UNSURE),
        ("wrong", 0.1, Look.UNSURE),
        (None, 0.0, Look.UNSURE),
    ],
)
def test_Q3_a_choice_agrees_by_its_options_id_and_a_guess_says_nothing(
    option: str | None, sure: float, look: Look
) -> None:
    assert look_at("mcq", Solution("q", sure, option_id=option), right="right") is look


def test_Q3_a_question_without_a_key_agrees_with_nothing() -> None:
    assert look_at("mcq", Solution("q", 1.0), right=None) is Look.DISAGREES


@pytest.mark.parametrize(
    ("holds", "sure", "look"),
    [(True, 0.8, Look.AGREES), (False, 0.8, Look.DISAGREES), (None, 0.8, Look.UNSURE), (False, 0.3, Look.UNSURE)],
)
def test_Q4_an_open_question_holds_as_it_is_judged(holds: bool | None, sure: float, look: Look) -> None:
    assert look_at("open_ended", Solution("q", sure, holds=holds), right=None) is look


@pytest.mark.parametrize(
    ("looks", "outcome"),
    [
        ([Look.DISAGREES, Look.DISAGREES], "wrong"),
        ([Look.AGREES, Look.AGREES], "held"),
        ([Look.AGREES, Look.DISAGREES], "unsettled"),
        ([Look.UNSURE, Look.DISAGREES], "unsettled"),
        ([Look.UNSURE, Look.UNSURE], "unsettled"),
        ([Look.DISAGREES], "unsettled"),
        ([], "unsettled"),
    ],
)
def test_Q4_a_contest_is_settled_only_by_two_looks_that_are_sure_of_the_same(looks: list[Look], outcome: str) -> None:
    assert outcome_of(looks) == outcome


def test_Q4_what_could_not_be_settled_may_be_asked_again() -> None:
    settled = {outcome: Contest("q", "n", None, utc_now(), outcome).settled for outcome in SAYS}
    assert settled == {"wrong": True, "held": True, "unsettled": False}
    assert not Contest("q", "n", None, utc_now()).settled
