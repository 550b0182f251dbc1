"""Waiting for a place: the formula against known values, and against the simulation."""

import math

import pytest

from bench.capacity.queueing import erlang_c, expected_waiting, simulated_waiting

SLICES = 2_000


def _mean_s_of_longer(share: float) -> float:
    """What the longest `share` of exponential times adds to their mean of 5 s."""
    return 5.0 * share * (1 - math.log(share)) if share else 0.0


# The mean of each slice of the distribution: a sample whose own mean is exact.
EXPONENTIAL_S = [
    SLICES * (_mean_s_of_longer(1 - at / SLICES) - _mean_s_of_longer(1 - (at + 1) / SLICES)) for at in range(SLICES)
]


def test_with_one_place_the_chance_to_wait_is_its_load() -> None:
    assert erlang_c(0.5, 1) == pytest.approx(0.5)


def test_the_chance_to_wait_is_the_one_of_erlangs_tables() -> None:
    assert erlang_c(8.0, 10) == pytest.approx(0.4092, abs=1e-4)


def test_more_load_than_places_waits_for_ever() -> None:
    assert erlang_c(10.0, 10) == 1.0
    assert expected_waiting(2.0, [5.0, 5.0], 10).mean_s == math.inf


def test_a_thousand_places_do_not_overflow() -> None:
    assert 0 < erlang_c(70_000.0, 70_300) < 1


def test_X9_with_exponential_times_the_simulation_agrees_with_erlangs_formula_within_a_percent() -> None:
    expected = expected_waiting(0.2, EXPONENTIAL_S, 2)
    simulated = simulated_waiting(0.2, EXPONENTIAL_S, 2, least_runs=1_500_000)
    assert expected.mean_s == pytest.approx(erlang_c(1.0, 2) * 5.0 / (2 - 1.0), rel=0.001)
    assert simulated.error_s < 0.01 * expected.mean_s
    assert simulated.mean_s == pytest.approx(expected.mean_s, rel=0.01)
    assert simulated.p95_s == pytest.approx(expected.p95_s, rel=0.01)
    assert simulated.busy == pytest.approx(expected.busy, rel=0.01)


def test_equal_times_wait_half_as_long_as_exponential_ones() -> None:
    simulated = simulated_waiting(0.8, [1.0], 1, least_runs=600_000)
    assert simulated.mean_s == pytest.approx(0.8 / 2 / (1 - 0.8), rel=0.05)  # Pollaczek and Khinchine
    assert expected_waiting(0.8, [1.0], 1).mean_s == pytest.approx(simulated.mean_s, rel=0.05)
