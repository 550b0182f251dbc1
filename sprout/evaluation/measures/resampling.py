"""Bootstrap: intervals of a statistic, and of the difference between two evaluations of the same items."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb
from random import Random
from typing import TypeVar

RESAMPLES = 1_000
FEWEST_RESAMPLES = 200
MOST_DRAWN = 300_000  # records in all resamples of one statistic: a large log is resampled less often
SHARE_WITHIN = 0.95
SEED = 20_131

One = TypeVar("One")


@dataclass(frozen=True, slots=True)
class Interval:
    """Ends between which 95 of 100 resamples lie."""

    low: float
    high: float


def resamples_of(size: int) -> int:
    """The number of resamples for so many records."""
    return max(FEWEST_RESAMPLES, min(RESAMPLES, MOST_DRAWN // max(1, size)))


def bootstrap(
    items: Sequence[One], statistic: Callable[[Sequence[One]], float | None], *, resamples: int
) -> Interval | None:
    """The percentile interval of a statistic over items that are drawn with replacement; None where too few resamples
    have a value.

    Source: Efron 1979, "Bootstrap methods: another look at the jackknife".
    """
    drawn = Random(SEED)
    values = [statistic(drawn.choices(items, k=len(items))) for _ in range(resamples)] if items else []
    return percentile_interval([one for one in values if one is not None], resamples)


def percentile_interval(values: Sequence[float], resamples: int) -> Interval | None:
    """The middle 95 % of the values; None where more than half of the resamples had none."""
    if not values or len(values) * 2 < resamples:
        return None
    ordered = sorted(values)
    outside = (1 - SHARE_WITHIN) / 2
    return Interval(_quantile(ordered, outside), _quantile(ordered, 1 - outside))


def sign_probability(differences: Sequence[float]) -> float:
    """Two-sided p-value of a paired bootstrap: how often the difference changes its sign, with the usual one added so
    that it is never 0."""
    below, above = (sum(sign * one >= 0 for one in differences) + 1 for sign in (-1, 1))
    return min(1.0, 2 * min(below, above) / (len(differences) + 1))


def mcnemar(only_first: int, only_second: int) -> float:
    """The exact two-sided p-value of McNemar's test, from the items that one alone of two had right.

    Source: McNemar 1947; the exact form is the sign test of the items on which they differ.
    """
    differing = only_first + only_second
    tail = sum(comb(differing, at) for at in range(min(only_first, only_second) + 1))
    return min(1.0, 2 * tail / (1 << differing))


def _quantile(ordered: Sequence[float], share: float) -> float:
    """The value at a share of the way, between two neighbours by proportion."""
    place = share * (len(ordered) - 1)
    at = int(place)
    upper = ordered[min(at + 1, len(ordered) - 1)]
    return ordered[at] + (place - at) * (upper - ordered[at])
