"""A learner's day: done, gained, to come."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from sprout.learning.reviews.cards import ReviewGrade
from sprout.learning.reviews.day import (
    AnsweredReview,
    LearnedAt,
    LearnedPart,
    day_done,
    forecast,
    missed_parts,
    week_gains,
)
from sprout.learning.reviews.days import LearnerDays

NOW = datetime(2026, 11, 26, 12, tzinfo=UTC)
TODAY = NOW.date()


def learned(node_id: str, at: datetime, branch: str = "b", answers: int = 2) -> LearnedAt:
    part = LearnedPart(node_id=node_id, title=node_id, branch_id=branch, reviewed_at=None)
    return LearnedAt(at, part, branch, answers)


def review(at: datetime, grade: ReviewGrade, title: str = "Part", branch: str = "b") -> AnsweredReview:
    return AnsweredReview(at, grade, title, branch)


def test_a_day_counts_from_its_beginning() -> None:
    start = NOW - timedelta(hours=5)
    before, after = start - timedelta(minutes=1), start + timedelta(minutes=1)
    done = day_done(
        start,
        [before, after, after + timedelta(minutes=4)],
        [learned("old", before), learned("new", after)],
        [review(before, ReviewGrade.GOOD), review(after, ReviewGrade.HARD), review(after, ReviewGrade.AGAIN, "Odds")],
    )
    assert (done.minutes, done.reviewed, done.recalled, done.missed) == (5, 2, 1, ["Odds"])
    assert [part.node_id for part in done.learned] == ["new"]


def test_what_was_found_to_be_known_is_gained_but_no_work_of_the_day() -> None:
    found = [learned("known", NOW, answers=0), learned("asked", NOW, answers=1), learned("new", NOW)]
    assert [part.node_id for part in day_done(NOW, (), found, ()).learned] == ["new"]
    assert week_gains(LearnerDays(), NOW, (), found, ()).parts == 3


def test_a_part_that_was_recalled_at_last_is_not_missed() -> None:
    done = day_done(NOW, (), (), [review(NOW + timedelta(minutes=n), grade) for n, grade in enumerate(
        (ReviewGrade.AGAIN, ReviewGrade.GOOD))])  # fmt: skip
    assert (done.reviewed, done.recalled, done.missed) == (2, 1, [])


def test_V6_parts_of_one_name_in_two_paths_are_missed_each_for_itself() -> None:
    missed = missed_parts([review(NOW, ReviewGrade.AGAIN), review(NOW, ReviewGrade.GOOD, branch="c"),
                           review(NOW, ReviewGrade.AGAIN, branch="d")])  # fmt: skip
    assert [one.branch_id for one in missed] == ["b", "d"]


def test_a_week_has_seven_days_and_one_without_learning_is_empty() -> None:
    moments = [NOW, NOW - timedelta(days=2)]
    gains = week_gains(LearnerDays(), NOW, moments, [learned("p", NOW), learned("q", NOW), learned("r", NOW, "c")], ())
    assert [(one.date, one.minutes) for one in gains.days] == [
        ((TODAY - timedelta(days=back)).isoformat(), 1 if back in (0, 2) else 0) for back in range(6, -1, -1)
    ]
    assert (gains.parts, [(one.title, one.parts) for one in gains.paths]) == (3, [("b", 2), ("c", 1)])


def test_V5_a_day_ends_at_the_learners_hour_in_their_time_zone() -> None:
    days = LearnerDays(ZoneInfo("Asia/Tokyo"), 4)
    late = datetime(2026, 11, 26, 18, 30, tzinfo=UTC)  # half past three in the night of the 27th
    gains = week_gains(days, late, [late], (), ())
    assert (gains.days[-1].date, gains.days[-1].minutes) == ("2026-11-26", 1)


def test_V5_a_backlog_is_spread_over_the_days_that_follow() -> None:
    tomorrow = TODAY + timedelta(days=1)
    coming = forecast([tomorrow] * 2, first=tomorrow, days=4, backlog=23, minutes=5, pace_s=30)
    assert [one.reviews for one in coming] == [10, 10, 5, 0]
    assert (coming[0].date, coming[2].minutes) == (tomorrow.isoformat(), 3)


@given(st.lists(st.integers(0, 20), max_size=60), st.integers(0, 60), st.sampled_from((5, 10, 20)))
def test_V5_no_review_is_lost_or_doubled_in_the_forecast(ahead: list[int], backlog: int, minutes: int) -> None:
    due = [TODAY + timedelta(days=one) for one in ahead]
    coming = forecast(due, first=TODAY, days=200, backlog=backlog, minutes=minutes, pace_s=35)
    assert sum(one.reviews for one in coming) == len(due) + backlog
    assert max(one.reviews for one in coming) <= minutes * 60 // 35
    assert [date.fromisoformat(one.date) for one in coming] == [TODAY + timedelta(days=n) for n in range(200)]
