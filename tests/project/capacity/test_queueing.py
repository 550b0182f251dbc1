"""Waiting for a place: the formula against known values, and against the simulation."""

import math
import random

import pytest

from bench.capacity.queueing import erlang_c, expected_waiting, simulated_waiting


def test_with_one_place_the_chance_to_wait_is_its_load() -> None:
    assert erlang_c(0.5, 1) == pytest.approx(0.5)


def test_the_chance_to_wait_is_the_one_of_erlangs_tables() -> None:
    assert erlang_c(8.0, 10) == pytest.approx(0.4092, abs=1e-4)


def test_more_load_than_places_waits_for_ever() -> None:
    assert erlang_c(10.0, 10) == 1.0
    assert expected_waiting(2.0, [5.0, 5.0], 10).mean_s == math.inf


def test_a_thousand_places_do_not_overflow() -> None:
    assert 0 < erlang_c(70_000.0, 70_300) < 1


@pytest.mark.parametrize(("arrivals", "places"), [(1.0, 8), (1.6, 10), (4.0, 25)])
def test_X9_the_simulation_agrees_with_the_formula(arrivals: float, places: int) -> None:
    chance = random.Random(7)
    service_s = [chance.expovariate(1 / 5) for _ in range(5_000)]
    expected = expected_waiting(arrivals, service_s, places)
    simulated = simulated_waiting(arrivals, service_s, places, least_runs=600_000)
    assert simulated.busy == pytest.approx(expected.busy, rel=0.02)
    assert simulated.mean_s == pytest.approx(expected.mean_s, rel=0.15)
    assert simulated.p95_s == pytest.approx(expected.p95_s, rel=0.2)


def test_equal_times_wait_half_as_long_as_exponential_ones() -> None:
    simulated = simulated_waiting(0.8, [1.0], 1, least_runs=600_000)
    assert simulated.mean_s == pytest.approx(0.8 / 2 / (1 - 0.8), rel=0.05)  # Pollaczek and Khinchine
    assert expected_waiting(0.8, [1.0], 1).mean_s == pytest.approx(simulated.mean_s, rel=0.05)
