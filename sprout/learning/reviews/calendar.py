"""Calendar feed of reviews: an event for each day that has some, as RFC 5545 has it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256

from sprout.learning.reviews.day import ForecastDay, LearnerDay
from sprout.learning.text.language import PageLanguage

MEDIA_TYPE = "text/calendar"
MAX_OCTETS = 75  # of a line without its end, RFC 5545 section 3.1


@dataclass(frozen=True, slots=True)
class _Words:
    """Words of the feed in one language."""

    name: str
    one: str
    several: str
    minutes: str

    def summary(self, reviews: int) -> str:
        return (self.one if reviews == 1 else self.several).format(n=reviews)


_WORDS: dict[PageLanguage, _Words] = {
    "en": _Words("Sprout reviews", "Review 1 question", "Review {n} questions", "About {n} min."),
    "de": _Words("Sprout: Wiederholen", "1 Frage wiederholen", "{n} Fragen wiederholen", "Etwa {n} Min."),
}


def review_calendar(day: LearnerDay, *, user_id: str, link: str, now: datetime, language: PageLanguage = "en") -> str:
    """The feed: what is left of today, and the reviews of the days after it.

    A day's event keeps its id, so that a calendar that asks again changes the event and makes no second one.

    Args:
        link: where the learner reviews.
    """
    words = _WORDS[language]
    today = ForecastDay(date=day.date.isoformat(), reviews=day.due.today, minutes=day.due.minutes)
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Sprout//Reviews//EN",
        "CALSCALE:GREGORIAN",
        "METHOD:PUBLISH",
        f"X-WR-CALNAME:{_escape(words.name)}",
        "REFRESH-INTERVAL;VALUE=DURATION:PT6H",
        "X-PUBLISHED-TTL:PT6H",
    ]
    for one in (today, *day.coming):
        if one.reviews:
            lines += _event(one, words, user_id=user_id, link=link, now=now)
    return _joined([*lines, "END:VCALENDAR"])


def _event(day: ForecastDay, words: _Words, *, user_id: str, link: str, now: datetime) -> Sequence[str]:
    """An event of the whole day that leaves its time free."""
    start = date.fromisoformat(day.date)
    about = f"{words.minutes.format(n=day.minutes)}\n{link}"
    owner = sha256(user_id.encode()).hexdigest()[:16]
    return [
        "BEGIN:VEVENT",
        f"UID:reviews-{start:%Y%m%d}-{owner}@sprout",
        f"DTSTAMP:{now.astimezone(UTC):%Y%m%dT%H%M%SZ}",
        f"DTSTART;VALUE=DATE:{start:%Y%m%d}",
        f"DTEND;VALUE=DATE:{start + timedelta(days=1):%Y%m%d}",
        f"SUMMARY:{_escape(words.summary(day.reviews))}",
        f"DESCRIPTION:{_escape(about)}",
        f"URL:{link}",
        "TRANSP:TRANSPARENT",
        "END:VEVENT",
    ]


def _escape(text: str) -> str:
    """A value of type TEXT, RFC 5545 section 3.3.11."""
    escaped = text.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,")
    return escaped.replace("\r\n", "\\n").replace("\n", "\\n")


def _joined(lines: Iterable[str]) -> str:
    return "".join(f"{piece}\r\n" for line in lines for piece in _fold(line))


def _fold(line: str) -> Sequence[str]:
    """The line in pieces of at most 75 octets, no character cut in two; all but the first begin with a space."""
    pieces = [""]
    for character in line:
        if len((pieces[-1] + character).encode()) > MAX_OCTETS:
            pieces.append(" ")
        pieces[-1] += character
    return pieces
