"""The calendar feed, line by line as RFC 5545 has it."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sprout.learning.reviews.calendar import MAX_OCTETS, review_calendar
from sprout.learning.reviews.day import DayDone, ForecastDay, LearnerDay, ReviewsDue, WeekGains
from sprout.learning.text.language import PageLanguage

NOW = datetime(2026, 11, 26, 15, 4, 5, tzinfo=UTC)
LINK = "http://localhost:8000/review"


def a_day(today: int, *coming: int) -> LearnerDay:
    due = ReviewsDue(
        due=today, today=today, minutes=today, days=0, done_today=0, cards=9, next_at=None, session_id=None, paths=[]
    )
    return LearnerDay(
        date=NOW.date(), minutes=10, time_zone=None, due=due, due_parts=frozenset(),
        done=DayDone(minutes=0, reviewed=0, recalled=0, missed=[], learned=[]), missed_in={},
        week=WeekGains(days=[], parts=0, paths=[], reviewed=0, recalled=0), week_start=NOW,
        coming=[
            ForecastDay(date=(NOW.date() + timedelta(days=ahead)).isoformat(), reviews=one, minutes=one)
            for ahead, one in enumerate(coming, start=1)
        ],
    )  # fmt: skip


def feed(day: LearnerDay, *, now: datetime = NOW, link: str = LINK, language: PageLanguage = "en") -> str:
    return review_calendar(day, user_id="me", link=link, now=now, language=language)


def unfolded(text: str) -> list[str]:
    """The content lines, as a reader puts them together again."""
    return text.replace("\r\n ", "").split("\r\n")[:-1]


def test_each_day_with_reviews_is_an_event_and_one_without_is_none() -> None:
    lines = unfolded(feed(a_day(3, 0, 7)))
    assert (lines[0], lines[-1], lines.count("BEGIN:VEVENT")) == ("BEGIN:VCALENDAR", "END:VCALENDAR", 2)
    assert [line for line in lines if line.startswith(("DTSTART", "DTEND", "SUMMARY"))] == [
        "DTSTART;VALUE=DATE:20261126", "DTEND;VALUE=DATE:20261127", "SUMMARY:Review 3 questions",
        "DTSTART;VALUE=DATE:20261128", "DTEND;VALUE=DATE:20261129", "SUMMARY:Review 7 questions",
    ]  # fmt: skip
    assert "DTSTAMP:20261126T150405Z" in lines
    assert f"DESCRIPTION:About 3 min.\\n{LINK}" in lines
    assert f"URL:{LINK}" in lines


def test_the_id_of_a_days_event_stays_when_it_is_asked_for_again() -> None:
    def ids(text: str) -> list[str]:
        return [line for line in unfolded(text) if line.startswith("UID:")]

    first, later = feed(a_day(3, 2)), feed(a_day(1, 9), now=NOW + timedelta(hours=3))
    assert ids(first) == ids(later)
    assert len(set(ids(first))) == 2


def test_a_learner_without_reviews_has_an_empty_calendar() -> None:
    assert "VEVENT" not in feed(a_day(0, 0))


@pytest.mark.parametrize(("count", "words"), [(1, "1 Frage wiederholen"), (2, "2 Fragen wiederholen")])
def test_the_events_speak_the_language_of_the_page(count: int, words: str) -> None:
    assert f"SUMMARY:{words}" in unfolded(feed(a_day(count), language="de"))


@given(st.text(alphabet=st.sampled_from("aä€🌱/?&"), max_size=200))
def test_no_line_is_longer_than_75_octets_and_none_is_lost_by_folding(way: str) -> None:
    text = feed(a_day(5), link=f"http://localhost/{way}")
    assert all(len(line.encode()) <= MAX_OCTETS for line in text.split("\r\n"))
    assert f"URL:http://localhost/{way}" in unfolded(text)
    assert text.endswith("\r\n")
    assert "\n" not in text.replace("\r\n", "")
