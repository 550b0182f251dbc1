"""Verdicts on a question's key (rules Q3, Q4)."""

import pytest

from sprout.clock import utc_now
from sprout.learning.marking.answer_keys import OUTCOME_TEXTS, Contest, KeyVerdict, Solution, contest_outcome, judge_key


@pytest.mark.parametrize(
    ("option", "sure", "look"),
    [
        ("right", 1.0, KeyVerdict.AGREES),
        ("right", 0.5, KeyVerdict.AGREES),
        ("wrong", 0.9, KeyVerdict.DISAGREES),
        (None, 0.9, KeyVerdict.DISAGREES),
        ("right", 0.49, KeyVerdict.UNSURE),
        ("wrong", 0.1, KeyVerdict.UNSURE),
        (None, 0.0, KeyVerdict.UNSURE),
    ],
)
def test_Q3_a_choice_agrees_by_its_options_id_and_a_guess_says_nothing(
    option: str | None, sure: float, look: KeyVerdict
) -> None:
    assert judge_key("mcq", Solution("q", sure, option_id=option), right="right") is look


def test_Q3_a_question_without_a_key_agrees_with_nothing() -> None:
    assert judge_key("mcq", Solution("q", 1.0), right=None) is KeyVerdict.DISAGREES


@pytest.mark.parametrize(
    ("holds", "sure", "look"),
    [
        (True, 0.8, KeyVerdict.AGREES),
        (False, 0.8, KeyVerdict.DISAGREES),
        (None, 0.8, KeyVerdict.UNSURE),
        (False, 0.3, KeyVerdict.UNSURE),
    ],
)
def test_Q4_an_open_question_holds_as_it_is_judged(holds: bool | None, sure: float, look: KeyVerdict) -> None:
    assert judge_key("open_ended", Solution("q", sure, holds=holds), right=None) is look


@pytest.mark.parametrize(
    ("looks", "outcome"),
    [
        ([KeyVerdict.DISAGREES, KeyVerdict.DISAGREES], "wrong"),
        ([KeyVerdict.AGREES, KeyVerdict.AGREES], "held"),
        ([KeyVerdict.AGREES, KeyVerdict.DISAGREES], "unsettled"),
        ([KeyVerdict.UNSURE, KeyVerdict.DISAGREES], "unsettled"),
        ([KeyVerdict.UNSURE, KeyVerdict.UNSURE], "unsettled"),
        ([KeyVerdict.DISAGREES], "unsettled"),
        ([], "unsettled"),
    ],
)
def test_Q4_a_contest_is_settled_only_by_two_looks_that_are_sure_of_the_same(
    looks: list[KeyVerdict], outcome: str
) -> None:
    assert contest_outcome(looks) == outcome


def test_Q4_what_could_not_be_settled_may_be_asked_again() -> None:
    settled = {outcome: Contest("q", "n", None, utc_now(), outcome).settled for outcome in OUTCOME_TEXTS}
    assert settled == {"wrong": True, "held": True, "unsettled": False}
    assert not Contest("q", "n", None, utc_now()).settled
