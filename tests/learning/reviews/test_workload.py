"""Workload of a day: its size is kept, and a backlog is spread."""

from hypothesis import given
from hypothesis import strategies as st

from sprout.learning.reviews.workload import USUAL_SECONDS, by_path, day_size, minutes_for, pace, took_seconds, workload


def test_V5_a_backlog_after_two_weeks_is_spread_over_the_next_days() -> None:
    found = workload(60, done=0, minutes=5, pace_s=25)
    assert (found.today, found.minutes, found.days) == (12, 5, 4)
    assert workload(60, done=12, minutes=5, pace_s=25).today == 0


@given(st.integers(0, 10_000), st.integers(0, 500), st.sampled_from([5, 10, 20]), st.floats(min_value=8, max_value=120))
def test_V5_a_day_is_never_larger_than_its_learner_wants(due: int, done: int, minutes: int, pace_s: float) -> None:
    found = workload(due, done=done, minutes=minutes, pace_s=pace_s)
    size = day_size(minutes, pace_s)
    assert found.today <= max(0, size - done)
    assert found.minutes <= max(minutes, 1) + 1
    assert found.today + found.days * size >= due
    assert size >= 1


def test_minutes_are_rounded_up() -> None:
    assert [minutes_for(count, 35) for count in (0, 1, 2, 7)] == [0, 1, 2, 5]


def test_the_pace_is_the_learners_own_once_there_is_one() -> None:
    assert pace([]) == pace([1.0] * 4) == USUAL_SECONDS
    assert pace([20, 22, 24, 26, 4_000]) == 24
    assert pace([0.1] * 5) == 8


def test_the_time_of_an_answer_is_at_most_what_the_server_measured() -> None:
    assert took_seconds(None, measured=9) == 9
    assert took_seconds(4, measured=9) == 4
    assert took_seconds(400, measured=9) == 9
    assert took_seconds(None, measured=-50) == took_seconds(3, measured=-50) == 0


def test_reviews_are_counted_by_path() -> None:
    assert by_path(["a", None, "b", "a"]) == {"a": 2, "b": 1}
