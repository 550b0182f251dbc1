"""Workload of reviews: how many fit a day of the size that the learner chose, and how long they take."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil
from statistics import median
from typing import Literal, get_args

Minutes = Literal[5, 10, 20]
SIZES: tuple[Minutes, ...] = get_args(Minutes)
DEFAULT_MINUTES: Minutes = 10
USUAL_SECONDS = 35.0  # of a question with its feedback, until there are some of the learner's own; judgement
FEWEST_MEASURED = 5
SHORTEST_S, LONGEST_S = 8.0, 120.0  # of what is believed: less is a slip of the finger, more a pause


@dataclass(frozen=True, slots=True)
class Workload:
    """The reviews of a day.

    Args:
        due: all that are due.
        today: those of them that fit what is left of the day.
        minutes: that today's take, rounded up.
        days: on how many later days the rest comes if nothing is added.
    """

    due: int
    today: int
    minutes: int
    days: int


def workload(due: int, *, done: int, minutes: int, pace_s: float) -> Workload:
    """The workload where so many are due and so many were done today already.

    A backlog is never dumped on one day: what does not fit comes on the next ones.
    """
    size = day_size(minutes, pace_s)
    today = min(due, max(0, size - done))
    return Workload(due, today, minutes_for(today, pace_s), ceil((due - today) / size))


def day_size(minutes: int, pace_s: float) -> int:
    """Number of reviews that fit into so many minutes, at least one."""
    return max(1, int(minutes * 60 // pace_s))


def minutes_for(count: int, pace_s: float) -> int:
    """Minutes, rounded up, that so many reviews take."""
    return ceil(count * pace_s / 60)


def pace(seconds: Sequence[float]) -> float:
    """Seconds that a review takes this learner: the median of the latest ones, once there are some."""
    if len(seconds) < FEWEST_MEASURED:
        return USUAL_SECONDS
    return median(min(max(one, SHORTEST_S), LONGEST_S) for one in seconds)


def took_seconds(claimed: float | None, *, measured: float) -> float:
    """Seconds that an answer took: what the page counted while it was visible, at most what the server measured."""
    passed = max(0.0, measured)
    return passed if claimed is None else min(max(0.0, claimed), passed)


def by_path(branch_ids: Iterable[str | None]) -> dict[str, int]:
    """Branch → how many reviews of it there are."""
    counted: dict[str, int] = {}
    for branch_id in branch_ids:
        if branch_id is not None:
            counted[branch_id] = counted.get(branch_id, 0) + 1
    return counted
