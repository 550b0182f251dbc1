"""Recall that was predicted beside recall that came."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from fsrs import Card as FsrsCard
from fsrs import Rating, Scheduler

from sprout.learning.reviews.cards import Review, ReviewGrade
from sprout.learning.reviews.recall import MIN_REVIEWS, Forecast, compare_recall, forecasts

LEARNED = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
GOOD, HARD, AGAIN = ReviewGrade.GOOD, ReviewGrade.HARD, ReviewGrade.AGAIN


def review(day: float, grade: ReviewGrade = GOOD, *, is_credit: bool = False) -> Review:
    return Review(LEARNED + timedelta(days=day), grade, is_credit=is_credit)


def days(found: Sequence[Forecast]) -> list[float]:
    return [(one.at - LEARNED) / timedelta(days=1) for one in found]


def made(recalled: int, of: int, probability: float = 0.9) -> list[Forecast]:
    return [Forecast(LEARNED, probability, number < recalled) for number in range(of)]


def test_V8_the_probability_is_that_of_the_package_just_before_the_review() -> None:
    scheduler = Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)
    card, expected = FsrsCard(card_id=1), []
    for one in (review(1), review(4), review(20, AGAIN), review(23)):
        expected.append(scheduler.get_card_retrievability(card, one.at))
        card, _ = scheduler.review_card(card, Rating.Again if one.grade is AGAIN else Rating.Good, one.at)
    found = forecasts(LEARNED, [review(1), review(4), review(20, AGAIN), review(23)])
    assert [one.probability for one in found] == pytest.approx(expected[1:], abs=1e-6)
    assert [one.recalled for one in found] == [True, False, True]


def test_V8_hard_is_recalled() -> None:
    assert [one.recalled for one in forecasts(LEARNED, [review(1), review(5, HARD)])] == [True]


def test_V8_a_first_review_a_second_of_a_sitting_and_credit_have_no_prediction() -> None:
    history = [review(1), review(5), review(5.2), review(9, HARD, is_credit=True), review(15)]
    assert days(forecasts(LEARNED, history)) == [5, 15]
    assert forecasts(LEARNED, [review(1)]) == []


def test_V8_predicted_is_the_sum_of_the_probabilities() -> None:
    found = compare_recall([*made(2, 2, 0.9), *made(0, 1, 0.5)])
    assert (found.reviews, found.recalled) == (3, 2)
    assert found.predicted == pytest.approx(2.3)


@pytest.mark.parametrize(
    ("recalled", "of", "finding"),
    [
        (0, MIN_REVIEWS - 1, "too_few"),
        (MIN_REVIEWS - 2, MIN_REVIEWS, "as_predicted"),
        (MIN_REVIEWS - 6, MIN_REVIEWS, "less"),
        (100, 100, "more"),
        (90, 100, "as_predicted"),
        (80, 100, "less"),
    ],
)
def test_V8_what_chance_explains_is_as_predicted_and_few_reviews_say_nothing(
    recalled: int, of: int, finding: str
) -> None:
    assert compare_recall(made(recalled, of)).finding == finding


def test_V8_no_reviews_are_too_few() -> None:
    assert compare_recall([]).finding == "too_few"
