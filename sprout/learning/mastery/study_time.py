"""Study time, estimated from a learner's answers and messages."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

MAX_PAUSE = timedelta(minutes=10)  # a judgement: reading a chunk and thinking about a question takes less
FIRST_ACTIVITY = timedelta(minutes=1)  # what comes before the first answer or message of a sitting cannot be seen


@dataclass(frozen=True, slots=True)
class StudyPeriod:
    """Activity in the quarter of an hour from `at` on, and its duration."""

    at: datetime
    activities: int
    seconds: float


def study_periods(moments: Iterable[datetime]) -> list[StudyPeriod]:
    """The quarters of an hour in which something was done, oldest first.

    An activity took the time since the previous one; after a pause longer than `MAX_PAUSE` a new sitting starts.

    Args:
        moments: of the learner's answers and messages, in UTC, in any order.
    """
    activities: dict[datetime, int] = defaultdict(int)
    took: dict[datetime, timedelta] = defaultdict(timedelta)
    for moment, time in _times_taken(moments):
        quarter = moment.replace(minute=moment.minute // 15 * 15, second=0, microsecond=0)
        activities[quarter] += 1
        took[quarter] += time
    return [StudyPeriod(quarter, activities[quarter], took[quarter].total_seconds()) for quarter in activities]


def study_seconds(moments: Iterable[datetime]) -> float:
    """The time that all of it took; the moments are those of `study_periods`."""
    return sum((time for _, time in _times_taken(moments)), timedelta()).total_seconds()


def _times_taken(moments: Iterable[datetime]) -> Iterator[tuple[datetime, timedelta]]:
    """The moments, oldest first, each with the time that its activity took."""
    before: datetime | None = None
    for moment in sorted(moments):
        pause = None if before is None else moment - before
        yield moment, FIRST_ACTIVITY if pause is None or pause > MAX_PAUSE else pause
        before = moment
