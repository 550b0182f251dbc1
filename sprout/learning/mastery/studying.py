"""How long somebody has learned, as far as what they did tells."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

LONGEST_PAUSE = timedelta(minutes=10)  # a judgement: reading a chunk and thinking about a question takes less
FIRST_DEED = timedelta(minutes=1)  # what comes before the first answer or message of a sitting cannot be seen


@dataclass(frozen=True, slots=True)
class Studied:
    """What was done in the quarter of an hour from `at` on, and how long that took."""

    at: datetime
    deeds: int
    seconds: float


def studied(moments: Iterable[datetime]) -> list[Studied]:
    """The quarters of an hour in which something was done, oldest first.

    A deed took the time since the one before it; after a longer pause than LONGEST_PAUSE a sitting begins anew.

    Args:
        moments: of the learner's answers and messages, in UTC, in any order.
    """
    deeds: dict[datetime, int] = defaultdict(int)
    took: dict[datetime, timedelta] = defaultdict(timedelta)
    before: datetime | None = None
    for moment in sorted(moments):
        quarter = moment.replace(minute=moment.minute // 15 * 15, second=0, microsecond=0)
        pause = None if before is None else moment - before
        deeds[quarter] += 1
        took[quarter] += FIRST_DEED if pause is None or pause > LONGEST_PAUSE else pause
        before = moment
    return [Studied(quarter, deeds[quarter], took[quarter].total_seconds()) for quarter in deeds]
