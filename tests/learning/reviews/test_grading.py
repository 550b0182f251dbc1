"""Grades of reviews: they come from the marked answer, and the learner chooses among what fits it."""

import pytest

from sprout.learning.marking.comparison import left_to_learner
from sprout.learning.marking.grades import CriterionResult, Grade, GradeState, Remedy
from sprout.learning.reviews.cards import PASSES, ReviewGrade
from sprout.learning.reviews.grading import ReviewMark, choices, fitting_grade, mark_of, slow_after

AGAIN, HARD, GOOD, EASY = ReviewGrade


def marked(score: float) -> Grade:
    return Grade(GradeState.GRADED, score=score, correct=score >= 0.8)


def compared(*verdicts: str) -> Grade:
    results = tuple(CriterionResult(f"c{at}", "says it", 0.5, one) for at, one in enumerate(verdicts))  # type: ignore[arg-type]
    return Grade(GradeState.SELF_MARKED, results=results)


@pytest.mark.parametrize(
    ("grade", "mark"),
    [
        (marked(1.0), ReviewMark.RIGHT),
        (marked(0.6), ReviewMark.PARTLY),
        (marked(0.0), ReviewMark.NOT_YET),
        (None, ReviewMark.NOT_KNOWN),
        (compared("met", "met"), ReviewMark.RIGHT),
        (compared("met", "missing"), ReviewMark.PARTLY),
        (compared("missing", "missing"), ReviewMark.NOT_YET),
        (left_to_learner(), ReviewMark.TO_COMPARE),
        (Grade(GradeState.UNSURE, remedy=Remedy.FOLLOW_UP), ReviewMark.UNREAD),
    ],
)
def test_V1_the_mark_comes_from_the_graded_answer(grade: Grade | None, mark: ReviewMark) -> None:
    assert mark_of(grade) is mark


def test_V1_the_fitting_grade_comes_from_the_mark_and_the_time() -> None:
    quick = {mark: fitting_grade(mark, seconds=9, slow_after=30) for mark in ReviewMark}
    assert quick == {
        ReviewMark.RIGHT: GOOD,
        ReviewMark.PARTLY: HARD,
        ReviewMark.NOT_YET: AGAIN,
        ReviewMark.NOT_KNOWN: AGAIN,
        ReviewMark.UNREAD: None,
        ReviewMark.TO_COMPARE: None,
    }
    assert fitting_grade(ReviewMark.RIGHT, seconds=31, slow_after=30) is HARD


def test_V1_easy_is_only_chosen_and_only_after_a_right_answer_that_was_marked_by_code() -> None:
    assert choices(ReviewMark.RIGHT, self_marked=False) == (AGAIN, HARD, GOOD, EASY)
    assert choices(ReviewMark.RIGHT, self_marked=True) == (AGAIN, HARD, GOOD)
    assert choices(ReviewMark.PARTLY, self_marked=False) == (AGAIN, HARD)
    assert choices(ReviewMark.NOT_YET, self_marked=False) == choices(ReviewMark.NOT_KNOWN, self_marked=True) == (AGAIN,)
    assert choices(ReviewMark.UNREAD, self_marked=False) == choices(ReviewMark.TO_COMPARE, self_marked=False) == ()


def test_V1_hard_is_a_pass() -> None:
    assert frozenset({HARD, GOOD, EASY}) == PASSES


def test_what_takes_longer_to_read_or_to_think_about_may_take_longer() -> None:
    assert slow_after("How many?", 1) < slow_after("How many? " * 30, 1) < slow_after("How many? " * 30, 5)
