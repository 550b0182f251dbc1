"""The one next step: reviews first over all paths, last within one."""

from itertools import permutations

import pytest

from sprout.learning.reviews.day import ReviewsDue
from sprout.learning.today.next_step import OVER_ALL, WITHIN_A_PATH, NextStep, StepKind, next_step, review_step


def due(today: int) -> ReviewsDue:
    return ReviewsDue(
        due=60, today=today, minutes=10, days=5, done_today=0, cards=80, next_at=None, session_id=None, paths=[]
    )


def kinds(*steps: StepKind) -> list[NextStep]:
    return [NextStep(one) for one in steps]


@pytest.mark.parametrize("order", list(permutations(list(StepKind)[:3])))
def test_reviews_come_before_a_lesson_and_a_lesson_before_what_waits(order: tuple[StepKind, ...]) -> None:
    assert next_step(kinds(*order)).kind is StepKind.REVIEW
    without = [one for one in order if one is not StepKind.REVIEW]
    assert next_step(kinds(*without)).kind is StepKind.LESSON


def test_within_a_path_its_reviews_wait_until_nothing_else_is_there() -> None:
    for other in (StepKind.LESSON, StepKind.ANSWER, StepKind.GROWING, StepKind.GROW):
        assert next_step(kinds(StepKind.REVIEW, other), order=WITHIN_A_PATH).kind is other
    assert next_step(kinds(StepKind.DONE, StepKind.REVIEW), order=WITHIN_A_PATH).kind is StepKind.REVIEW


def test_both_orders_name_every_kind_once() -> None:
    assert set(OVER_ALL) == set(WITHIN_A_PATH) == set(StepKind)
    assert len(WITHIN_A_PATH) == len(StepKind)


def test_without_any_step_there_is_none() -> None:
    assert next_step([]).kind is StepKind.NONE


def test_V5_reviews_come_next_only_while_the_day_has_minutes_left() -> None:
    step = review_step(due(12))
    assert step is not None
    assert (step.kind, step.minutes) == (StepKind.REVIEW, 10)
    assert review_step(due(0)) is None, "60 are due, but the day is used up"
