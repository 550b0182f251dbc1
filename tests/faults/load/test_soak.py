"""Soak in its short form, and what its figures are worth."""

import math

import pytest

from faults.load.soak import WATCHED, Sample, quarters_ms, soak_server, trend_figure
from faults.load.trend import Trend

HEAP = WATCHED[0]
STEPS = 240


def sample(at_h: float, memory_mib: float) -> Sample:
    return Sample(at_h, memory_mib, descriptors=40, threads=15, database_mib=2, page_ms=10, graph_ms=5)


def heap_of(growth_an_hour: float, wave: float = 0.0) -> list[Sample]:
    """Four hours, a sample a minute."""
    times = [minute / 60 for minute in range(STEPS)]
    return [sample(at, 200 + growth_an_hour * at + wave * math.sin(at * 40)) for at in times]


def test_a_trend_is_the_line_of_least_squares_with_its_interval() -> None:
    """y = 2x + 1 with errors of ±0.5 in turns; the margin by the textbook's formula for the slope."""
    times = list(range(10))
    values = [2 * x + 1 + (0.5 if x % 2 else -0.5) for x in times]
    found = Trend.of(times, values)
    assert found.slope == pytest.approx(2 + 2.5 / 82.5, abs=1e-12)
    assert found.margin == pytest.approx(1.959963984540054 * math.sqrt((2.5 - 2.5**2 / 82.5) / 8 / 82.5), abs=1e-12)
    with pytest.raises(ValueError, match="three values"):
        Trend.of([1, 2], [1, 2])


@pytest.mark.parametrize(("growth", "wave", "holds"), [(0, 5, True), (19, 0, True), (30, 0, False), (30, 5, False)])
def test_growth_breaks_a_soak_only_where_it_surely_is_more_than_what_does_not_matter(
    growth: float, wave: float, holds: bool
) -> None:
    assert trend_figure(HEAP, heap_of(growth, wave)).holds is holds


def test_each_quarter_of_the_turns_has_its_own_figures() -> None:
    assert quarters_ms([0.1, 0.1, 0.2, 0.2, 0.3, 0.3, 0.4, 0.4]) == "100/100, 200/200, 300/300, 400/400 ms"


async def test_a_class_that_joins_learns_and_leaves_harms_no_pupil_and_leaves_no_descriptor() -> None:
    outcome = await soak_server(seconds=4, every_s=1)
    assert outcome.lives.faults + outcome.log_errors == []
    assert (outcome.lives.lives, outcome.lives.resumed_streams) == (5, 5)
    assert outcome.lives.answers > 10
    assert outcome.samples
    assert outcome.descriptors_left == 0
