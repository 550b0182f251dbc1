"""Review log: the graded reviews of cards, in the order of time."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sprout.errors import BadInput
from sprout.evaluation.data_files import as_number, digest, read_text, require, table_rows
from sprout.evaluation.suite import DataSource
from sprout.learning.reviews.cards import Review, ReviewGrade

BY_TIME = ("card_id", "review_time", "review_rating")
BY_INTERVAL = ("card_id", "delta_t", "rating")
GRADES = {1: ReviewGrade.AGAIN, 2: ReviewGrade.HARD, 3: ReviewGrade.GOOD, 4: ReviewGrade.EASY}
START = datetime(2000, 1, 1, tzinfo=UTC)  # of cards whose log has intervals alone
LATEST_MS = 253_402_300_799_000  # the end of the year 9999
MOST_DAYS = 100_000
SOURCE = "review log"
LICENCE = "as its owner states it; not shipped"


@dataclass(frozen=True, slots=True)
class ReviewLog:
    """Reviews by card; the first of each is the one at which it was met."""

    cards: Mapping[str, Sequence[Review]]
    source: DataSource


def read_review_log(path: Path) -> ReviewLog:
    """A log in one of the formats of open spaced repetition: `card_id, review_time (ms), review_rating`, as Anki logs
    are passed on, or `card_id, delta_t (days since the last review), rating`, as in its benchmark.

    A rating is 1 (again) to 4 (easy); a 0 is no review. Raises BadInput, which names the line at fault; SetupError.
    """
    text = read_text(path)
    has_times = "review_time" in next(iter(text.splitlines()), "")
    cards = _by_time(path, text) if has_times else _by_interval(path, text)
    require([*cards], path, "reviews")
    return ReviewLog(cards, DataSource(SOURCE, LICENCE, digest(text)))


def _by_time(path: Path, text: str) -> dict[str, list[Review]]:
    found: dict[str, list[Review]] = defaultdict(list)
    for line, row in table_rows(path, text, BY_TIME):
        grade = _grade(path, line, "review_rating", row["review_rating"])
        moment_ms = as_number(path, line, "review_time", row["review_time"])
        if not 0 <= moment_ms <= LATEST_MS:
            raise BadInput(f"{path}, line {line}: 'review_time' is {moment_ms:g}, and counts milliseconds since 1970")
        if grade is not None:
            found[row["card_id"].strip()].append(Review(datetime.fromtimestamp(moment_ms / 1_000, UTC), grade))
    return {card: sorted(reviews, key=lambda one: one.at) for card, reviews in found.items()}


def _by_interval(path: Path, text: str) -> dict[str, list[Review]]:
    found: dict[str, list[Review]] = defaultdict(list)
    for line, row in table_rows(path, text, BY_INTERVAL):
        grade = _grade(path, line, "rating", row["rating"])
        days = as_number(path, line, "delta_t", row["delta_t"])
        reviews = found[row["card_id"].strip()]
        if not -1 <= days <= MOST_DAYS:
            raise BadInput(f"{path}, line {line}: 'delta_t' is {days:g}, and counts days since the last review")
        if grade is not None:  # the first has -1 or 0: there was none before it
            last = reviews[-1].at + timedelta(days=max(0.0, days)) if reviews else START
            reviews.append(Review(last, grade))
    return {card: reviews for card, reviews in found.items() if reviews}


def _grade(path: Path, line: int, column: str, text: str) -> ReviewGrade | None:
    number = as_number(path, line, column, text)
    if number not in (0, *GRADES):
        raise BadInput(f"{path}, line {line}: {column!r} is {text.strip()[:40]!r}, and goes from 1 to 4")
    return GRADES.get(int(number))
