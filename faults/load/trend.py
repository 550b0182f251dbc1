"""Straight line through measured values, with what it may be off by."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

CONFIDENCE = statistics.NormalDist().inv_cdf(0.975)  # within 5 % of Student's from 30 values on


@dataclass(frozen=True, slots=True)
class Trend:
    """Slope of a line by least squares, and half of its 95 % interval, both per unit of time."""

    slope: float
    margin: float

    @property
    def least(self) -> float:
        """The least slope that the values allow."""
        return self.slope - self.margin

    @classmethod
    def of(cls, times: Sequence[float], values: Sequence[float]) -> "Trend":
        """Raises ValueError: fewer than three values, or all of them at one time."""
        if len(times) < 3 or len(set(times)) == 1:
            raise ValueError("a trend takes three values at different times")
        slope, intercept = statistics.linear_regression(times, values)
        residual = sum((value - slope * time - intercept) ** 2 for time, value in zip(times, values, strict=True))
        spread = sum((time - statistics.fmean(times)) ** 2 for time in times)
        return cls(slope, CONFIDENCE * math.sqrt(residual / (len(times) - 2) / spread))
