"""Demand: what a number of learners asks of the deployment at its busiest hour, and stores."""

import math
from dataclasses import dataclass

from bench.capacity.measurement import Measured

SECONDS_AN_HOUR = 3_600
DAYS_A_YEAR = 365
EVENTS_DAYS = 30 + 7  # SPROUT_RUNS__KEEP_EVENTS_DAYS, and the week of a partition


@dataclass(frozen=True, slots=True)
class Habits:
    """Assumptions about learners; nothing of them was measured.

    Args:
        busiest_share: of all learners, those who learn at the same time in the busiest hour.
        turns_an_hour: of a lesson, by one who learns: a turn every minute and a half.
        paths_an_hour: that one who learns begins: a path lasts five hours.
        hours_a_year: that one learner learns: an hour and a half a week.
        streams: open at once by one who learns: a page or two.
    """

    busiest_share: float = 0.05
    turns_an_hour: float = 40.0
    paths_an_hour: float = 0.2
    hours_a_year: float = 78.0
    streams: float = 1.2


@dataclass(frozen=True, slots=True)
class Demand:
    """Rates of the busiest hour (a second), what is in progress at once, and what a year adds to the database."""

    learners: int
    active: float
    turns: float
    paths: float
    model_calls: float
    input_tokens: float
    output_tokens: float
    statements: float
    transactions: float
    wal_bytes: float
    events: float
    streams: float
    runs_at_once: float
    stream_bytes: float
    cpu_s: float
    lasting_bytes_a_year: float
    event_bytes: float


def demand_of(learners: int, measured: Measured, habits: Habits = Habits()) -> Demand:
    """Demand of so many learners; what is in progress at once is rate × duration (Little's law)."""
    # Of few learners all may learn at once: the share is of many.
    active = max(learners * habits.busiest_share, min(learners, 10.0))
    turns = active * habits.turns_an_hour / SECONDS_AN_HOUR
    paths = active * habits.paths_an_hour / SECONDS_AN_HOUR

    def rate(name: str) -> float:
        return float(turns * getattr(measured.turn, name) + paths * getattr(measured.path, name))

    def a_year(name: str) -> float:
        an_hour = habits.turns_an_hour * getattr(measured.turn, name) + habits.paths_an_hour * getattr(
            measured.path, name
        )
        return float(learners * habits.hours_a_year * an_hour)

    return Demand(
        learners=learners,
        active=active,
        turns=turns,
        paths=paths,
        model_calls=rate("model_calls"),
        input_tokens=rate("input_tokens"),
        output_tokens=rate("output_tokens"),
        statements=rate("statements"),
        transactions=rate("commits"),
        wal_bytes=rate("wal_bytes"),
        events=rate("events") + rate("deltas"),
        streams=active * habits.streams,
        runs_at_once=rate("place_s"),
        stream_bytes=rate("stream_bytes"),
        cpu_s=rate("cpu_s") + rate("deltas") * measured.process.delta_cpu_s,
        lasting_bytes_a_year=a_year("stored_bytes") - a_year("event_bytes"),
        event_bytes=a_year("event_bytes") * EVENTS_DAYS / DAYS_A_YEAR,
    )


def round_up(value: float, least: int = 1) -> int:
    """The whole number that is enough, and `least` at least."""
    return max(least, math.ceil(value))
