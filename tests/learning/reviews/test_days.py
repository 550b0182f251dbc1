"""Days of a learner, in their time zone and from their hour on."""

from datetime import UTC, date, datetime, timedelta

import pytest

from sprout.errors import BadInput
from sprout.learning.reviews.cards import Card
from sprout.learning.reviews.days import LearnerDays, find_zone, learner_days

BERLIN = learner_days("Europe/Berlin", 4)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def test_a_night_belongs_to_the_day_before() -> None:
    assert BERLIN.day_of(at("2026-07-02 01:59")) == date(2026, 7, 1)
    assert BERLIN.day_of(at("2026-07-02 02:00")) == date(2026, 7, 2)
    assert BERLIN.start_of(at("2026-07-02 12:00")) == at("2026-07-02 02:00")
    assert BERLIN.end_of(at("2026-07-02 12:00")) == at("2026-07-03 02:00")


def test_the_day_on_which_clocks_change_begins_and_ends_at_the_same_hour() -> None:
    day = at("2026-10-25 12:00")
    assert BERLIN.start_of(day) == at("2026-10-25 03:00")
    assert BERLIN.end_of(at("2026-10-24 12:00")) == BERLIN.start_of(day)
    assert BERLIN.end_of(day) - BERLIN.start_of(day) == timedelta(days=1)


def test_V1_a_card_comes_on_the_morning_of_its_day_but_never_within_one_sitting() -> None:
    days = LearnerDays(UTC, 4)
    seen = at("2026-03-01 20:00")
    assert days.available_from(Card(at("2026-03-04 20:00"), seen)) == at("2026-03-04 04:00")
    assert days.available_from(Card(at("2026-03-02 20:00"), seen)) == at("2026-03-02 20:00")
    early = Card(at("2026-03-04 20:00"), seen)
    assert [days.is_available(early, at(one)) for one in ("2026-03-04 03:59", "2026-03-04 04:00")] == [False, True]
    overdue = Card(at("2026-03-02 08:00"), seen)
    assert [days.is_available(overdue, at(one)) for one in ("2026-03-02 19:59", "2026-03-02 20:00")] == [False, True]


@pytest.mark.parametrize("name", ["", "Mars/Olympus", "../../etc/passwd", "/etc/passwd", "Europe", "a\0b", "x" * 9_000])
def test_a_name_that_is_no_time_zone_is_refused(name: str) -> None:
    with pytest.raises(BadInput, match="Europe/Berlin"):
        find_zone(name)
    assert learner_days(name, 4) == LearnerDays(UTC, 4)
