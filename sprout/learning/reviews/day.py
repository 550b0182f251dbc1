"""A learner's day: what is due, what was done and gained, the week that led to it, and the days that follow."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from sprout.events import Wire
from sprout.learning.mastery.mastery import RIGHT_TO_LEARN
from sprout.learning.mastery.study_time import study_periods
from sprout.learning.reviews.cards import ReviewGrade
from sprout.learning.reviews.days import LearnerDays
from sprout.learning.reviews.workload import Minutes, day_size, minutes_for

WEEK = 7
MAX_PATHS_NAMED = 3


class PathReviews(Wire):
    """The questions that are due on a path."""

    branch_id: str
    title: str
    due: int
    minutes: int


class ReviewsDue(Wire):
    """Reviews that are due now, counted in questions, of which one may cover several parts.

    Args:
        due: all that are due.
        today: those that fit what is left of the day's size, and `minutes`, how long they take.
        days: the number of later days over which the rest is spread.
        done_today: the reviews that were answered since the learner's day began.
        cards: all parts that are reviewed from time to time.
        next_at: when the next one comes; null while something is due, and without cards.
        session_id: today's session that is not over yet.
        paths: those with something due, the most first.
    """

    due: int
    today: int
    minutes: int
    days: int
    done_today: int
    cards: int
    next_at: str | None
    session_id: str | None
    paths: list[PathReviews]


class StudyDay(Wire):
    """A day of the last week, and how long was learned on it; 0 is a day without learning."""

    date: str
    minutes: int


class PathGain(Wire):
    """Parts of a path that were learned in the last week."""

    branch_id: str
    title: str
    parts: int


class WeekGains(Wire):
    """What was gained in the last seven days, the last of which is today.

    Args:
        paths: those with something learned, the most first.
        reviewed: reviews that were answered, and `recalled`, those of them that were not missed.
    """

    days: list[StudyDay]
    parts: int
    paths: list[PathGain]
    reviewed: int
    recalled: int


class LearnedPart(Wire):
    """A part that was learned today, and when its first review comes."""

    node_id: str
    title: str
    branch_id: str
    reviewed_at: str | None


class DayDone(Wire):
    """What was done since the learner's day began; what was found to be known already is not of it.

    Args:
        missed: titles of parts that were not recalled.
    """

    minutes: int
    reviewed: int
    recalled: int
    missed: list[str]
    learned: list[LearnedPart]


class ForecastDay(Wire):
    """A day to come: how many reviews it will have if nothing is added, and about how long they take."""

    date: str
    reviews: int
    minutes: int


@dataclass(frozen=True, slots=True)
class LearnerDay:
    """A learner's day.

    Args:
        minutes: the size of a day that the learner chose.
        time_zone: the learner's; None as long as it is not known.
        due_parts: ids of the parts that are due.
        missed_in: branch → its parts that were not recalled today, so that they come back.
        week_start: when the last seven days began, in UTC.
        coming: the days after this one.
    """

    date: date
    minutes: Minutes
    time_zone: str | None
    due: ReviewsDue
    due_parts: frozenset[str]
    done: DayDone
    missed_in: Mapping[str, int]
    week: WeekGains
    week_start: datetime
    coming: Sequence[ForecastDay]


@dataclass(frozen=True, slots=True)
class AnsweredReview:
    """A review of a part that was answered."""

    at: datetime
    grade: ReviewGrade
    title: str
    branch_id: str


@dataclass(frozen=True, slots=True)
class LearnedAt:
    """A part that is learned, and when it came to be.

    Args:
        answers: about it; with fewer than it takes to learn it, it was known before.
    """

    at: datetime
    part: LearnedPart
    branch_title: str
    answers: int


def day_done(
    start: datetime, moments: Iterable[datetime], learned: Iterable[LearnedAt], reviews: Iterable[AnsweredReview]
) -> DayDone:
    """What was done since the day began.

    Args:
        moments: of the learner's answers and messages.
    """
    today = [one for one in reviews if one.at >= start]
    return DayDone(
        minutes=_minutes(sum(one.seconds for one in study_periods(at for at in moments if at >= start))),
        reviewed=len(today),
        recalled=_recalled(today),
        missed=[one.title for one in missed_parts(today)],
        learned=[one.part for one in learned if one.at >= start and one.answers >= RIGHT_TO_LEARN],
    )


def missed_parts(reviews: Iterable[AnsweredReview]) -> list[AnsweredReview]:
    """The last review of each part whose last one was missed."""
    last = {(one.branch_id, one.title): one for one in sorted(reviews, key=lambda one: one.at)}
    return [one for one in last.values() if one.grade is ReviewGrade.AGAIN]


def week_gains(
    days: LearnerDays,
    now: datetime,
    moments: Sequence[datetime],
    learned: Sequence[LearnedAt],
    reviews: Sequence[AnsweredReview],
) -> WeekGains:
    """The gains of the last seven days, of what happened in them.

    Args:
        moments: of the learner's answers and messages.
    """
    seconds: Counter[date] = Counter()
    for period in study_periods(moments):
        seconds[days.day_of(period.at)] += int(period.seconds)
    today = days.day_of(now)
    week = [today - timedelta(days=back) for back in reversed(range(WEEK))]
    by_path = Counter((one.part.branch_id, one.branch_title) for one in learned)
    return WeekGains(
        days=[StudyDay(date=day.isoformat(), minutes=_minutes(seconds[day])) for day in week],
        parts=len(learned),
        paths=[
            PathGain(branch_id=branch_id, title=title, parts=parts)
            for (branch_id, title), parts in by_path.most_common(MAX_PATHS_NAMED)
        ],
        reviewed=len(reviews),
        recalled=_recalled(reviews),
    )


def forecast(
    due_on: Iterable[date], *, first: date, days: int, backlog: int, minutes: int, pace_s: float
) -> list[ForecastDay]:
    """The reviews of days to come: as many as fit each, what does not fit on the next ones.

    A question that will cover several parts is not known yet, so that it is rather too many than too few.

    Args:
        due_on: the day of each card that is not due yet.
        backlog: what is due already and left for the first day.
        minutes: the size of a day.
    """
    size, coming, waiting = day_size(minutes, pace_s), Counter(due_on), backlog
    found = []
    for ahead in range(days):
        day = first + timedelta(days=ahead)
        waiting += coming[day]
        reviews = min(waiting, size)
        waiting -= reviews
        found.append(ForecastDay(date=day.isoformat(), reviews=reviews, minutes=minutes_for(reviews, pace_s)))
    return found


def is_day_done(day: LearnerDay) -> bool:
    """Whether it is enough for today: no review is left, and something was learned or the day's minutes are used up."""
    return day.due.today == 0 and (bool(day.done.learned) or day.done.minutes >= day.minutes)


def _recalled(reviews: Iterable[AnsweredReview]) -> int:
    return sum(one.grade is not ReviewGrade.AGAIN for one in reviews)


def _minutes(seconds: float) -> int:
    """Minutes, rounded; less than one is one, since something was done."""
    return max(1, round(seconds / 60)) if seconds else 0
