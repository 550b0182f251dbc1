"""Quality of probabilities: log loss, area under the ROC curve, root mean square error, calibration."""

import math
from collections.abc import Sequence

Forecast = tuple[float, bool]
"""The probability that was given to something, and whether it happened."""

SMALLEST = 1e-15  # a probability of 0 or 1 that is wrong would make every other one count for nothing
BINS = 10


def log_loss(made: Sequence[Forecast]) -> float | None:
    """The mean of -ln of the probability that was given to what happened; None without forecasts."""
    return math.fsum(_surprise(probability, happened) for probability, happened in made) / len(made) if made else None


def base_rate_log_loss(made: Sequence[Forecast]) -> float | None:
    """The log loss of saying the overall rate each time: what a forecaster who knows nothing else would have."""
    if not made:
        return None
    rate = sum(happened for _, happened in made) / len(made)
    return log_loss([(rate, happened) for _, happened in made])


def area_under_curve(made: Sequence[Forecast]) -> float | None:
    """The probability that what happened got a higher forecast than what did not, ties counting half; None unless
    there are both.

    Source: the Mann-Whitney U statistic from ranks; Hanley & McNeil 1982.
    """
    happened = sum(one for _, one in made)
    missed = len(made) - happened
    if not happened or not missed:
        return None
    rank_sum = math.fsum(rank for rank, (_, one) in _ranked(made) if one)
    return (rank_sum - happened * (happened + 1) / 2) / (happened * missed)


def root_mean_square_error(made: Sequence[Forecast]) -> float | None:
    """The square root of the Brier score; None without forecasts."""
    return math.sqrt(math.fsum((p - happened) ** 2 for p, happened in made) / len(made)) if made else None


def calibration_error(made: Sequence[Forecast], bins: int = BINS) -> float | None:
    """The expected calibration error: the mean distance of forecast and rate within bins of equal width, weighted by
    the number of forecasts in each; None without any.

    Source: Naeini, Cooper & Hauskrecht 2015, "Obtaining well calibrated probabilities using Bayesian binning".
    """
    if not made:
        return None
    forecast, rate = [0.0] * bins, [0] * bins
    for probability, happened in made:
        at = min(int(probability * bins), bins - 1)
        forecast[at] += probability
        rate[at] += happened
    return math.fsum(abs(one - other) for one, other in zip(forecast, rate, strict=True)) / len(made)


def _surprise(probability: float, happened: bool) -> float:
    given = probability if happened else 1 - probability
    return -math.log(max(given, SMALLEST))


def _ranked(made: Sequence[Forecast]) -> list[tuple[float, Forecast]]:
    """Each forecast with its rank from 1; equal ones share the mean of theirs."""
    ordered = sorted(made, key=lambda one: one[0])
    found: list[tuple[float, Forecast]] = []
    while len(found) < len(ordered):
        first = last = len(found)
        while last < len(ordered) and ordered[last][0] == ordered[first][0]:
            last += 1
        found += [((first + 1 + last) / 2, one) for one in ordered[first:last]]
    return found
