"""Review cards: FSRS decides the dates, and a sitting counts once."""

from datetime import UTC, datetime, timedelta

import pytest
from fsrs import Card as FsrsCard
from fsrs import Rating, Scheduler
from hypothesis import given
from hypothesis import strategies as st

from sprout.learning.reviews.cards import (
    DEFAULT_RETENTION,
    MAX_INTERVAL_DAYS,
    SITTING,
    Card,
    Review,
    ReviewGrade,
    after_review,
    due_dates,
    new_card,
    replay,
    retrievability,
)

LEARNED = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
RATINGS = {"again": Rating.Again, "hard": Rating.Hard, "good": Rating.Good, "easy": Rating.Easy}
GRADES = st.sampled_from(list(ReviewGrade))
HISTORIES = st.lists(st.tuples(st.floats(min_value=1, max_value=400), GRADES), max_size=12)


def reviews(history: list[tuple[float, ReviewGrade]], **more: bool) -> list[Review]:
    """The reviews of a history of days since the one before, and grades."""
    at, found = LEARNED, []
    for days, grade in history:
        at += timedelta(days=days)
        found.append(Review(at, grade, **more))
    return found


def reference(history: list[tuple[float, ReviewGrade]], retention: float = DEFAULT_RETENTION) -> FsrsCard:
    """The card by the package's own scheduler."""
    scheduler = Scheduler(
        desired_retention=retention,
        learning_steps=(),
        relearning_steps=(),
        enable_fuzzing=False,
        maximum_interval=MAX_INTERVAL_DAYS,
    )
    card = FsrsCard(card_id=1)
    for one in reviews(history):
        card, _ = scheduler.review_card(card, RATINGS[one.grade], one.at)
    return card


@given(HISTORIES.filter(bool))
def test_V3_dates_are_those_of_the_package(history: list[tuple[float, ReviewGrade]]) -> None:
    mine, theirs = replay(LEARNED, reviews(history)), reference(history)
    assert mine.due_at == theirs.due
    assert mine.seen_at == theirs.last_review
    assert mine.stability == pytest.approx(theirs.stability, abs=1e-6)
    assert mine.difficulty == pytest.approx(theirs.difficulty, abs=1e-6)


def test_V1_a_new_card_is_due_when_one_right_answer_can_master_its_part() -> None:
    card = new_card(LEARNED)
    assert card.due_at == LEARNED + timedelta(days=1)
    assert card.is_new
    assert retrievability(card, LEARNED) == 0


@given(HISTORIES, GRADES, st.floats(min_value=-1000, max_value=0.999))
def test_V1_a_second_answer_in_one_sitting_or_by_a_clock_that_jumped_back_moves_nothing(
    history: list[tuple[float, ReviewGrade]], grade: ReviewGrade, days: float
) -> None:
    card = replay(LEARNED, reviews(history))
    assert after_review(card, Review(card.seen_at + timedelta(days=days), grade)) == card


@given(HISTORIES, st.floats(min_value=1, max_value=400))
def test_V1_hard_is_a_pass_and_a_better_grade_never_comes_back_earlier(
    history: list[tuple[float, ReviewGrade]], days: float
) -> None:
    card = replay(LEARNED, reviews(history))
    dates = due_dates(card, card.seen_at + timedelta(days=days), DEFAULT_RETENTION)
    assert list(dates) == list(ReviewGrade)
    assert dates[ReviewGrade.AGAIN] <= dates[ReviewGrade.HARD] <= dates[ReviewGrade.GOOD] <= dates[ReviewGrade.EASY]
    assert dates[ReviewGrade.AGAIN] >= card.seen_at + SITTING


@given(HISTORIES.filter(bool), st.floats(min_value=1, max_value=400), st.sampled_from([0.8, 0.9, 0.95]))
def test_V2_credit_never_brings_a_part_back_earlier_nor_makes_it_harder(
    history: list[tuple[float, ReviewGrade]], days: float, retention: float
) -> None:
    card = replay(LEARNED, reviews(history))
    credited = after_review(
        card, Review(card.seen_at + timedelta(days=days), ReviewGrade.HARD, retention, is_credit=True)
    )
    assert credited.due_at >= card.due_at
    assert credited.difficulty == card.difficulty
    assert credited.stability is not None
    assert card.stability is not None
    assert credited.stability >= card.stability


def test_V2_a_part_that_was_never_reviewed_takes_no_credit() -> None:
    card = new_card(LEARNED)
    assert after_review(card, Review(LEARNED + timedelta(days=3), ReviewGrade.HARD, is_credit=True)) == card


def test_a_higher_retention_brings_a_part_back_earlier() -> None:
    at = LEARNED + timedelta(days=1)
    dates = [replay(LEARNED, [Review(at, ReviewGrade.GOOD, one)]).due_at for one in (0.8, 0.9, 0.95)]
    assert dates == sorted(dates, reverse=True)
    assert len(set(dates)) == 3


def test_recall_fades_with_the_days() -> None:
    card = Card(LEARNED, LEARNED, stability=10.0, difficulty=5.0)
    found = [retrievability(card, LEARNED + timedelta(days=days)) for days in (0, 5, 10, 100)]
    assert found == sorted(found, reverse=True)
    assert found[0] == 1
    assert found[2] == pytest.approx(0.9)
