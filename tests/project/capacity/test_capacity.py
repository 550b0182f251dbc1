"""Capacity: the arithmetic from measured figures to a deployment, and the page that shows it."""

from dataclasses import replace

import pytest

from bench.capacity.__main__ import PAGE, with_figures
from bench.capacity.demand import Habits, demand_of
from bench.capacity.deployment import LIMITS, PLACES, deployment_for, shares
from bench.capacity.measurement import Measured, ProcessCost, Work, load
from bench.capacity.report import SIZES, report, short

TURN = Work(
    rows=10, stored_bytes=1_000, event_bytes=400, wal_bytes=2_000, statements=20, commits=5, cpu_s=0.01,
    events=8, deltas=12, stream_bytes=500,
    model_calls=1, input_tokens=100, output_tokens=50, runs=1, run_seconds=(4.0, 6.0),
)  # fmt: skip
PATH = replace(TURN, rows=100, runs=3, run_seconds=(20.0,))
PROCESS = ProcessCost(delta_cpu_s=0.001, run_bytes=1_000, stream_bytes=100, base_bytes=1_000_000)
MEASURED = Measured(path=PATH, turn=TURN, process=PROCESS, sources={})
# Of 36,000 learners 1,800 learn at once: ten turns and a path each second.
HABITS = Habits(busiest_share=0.05, turns_an_hour=20, paths_an_hour=2, hours_a_year=10, streams=1)


def test_X9_what_is_in_progress_is_rate_times_duration() -> None:
    demand = demand_of(36_000, MEASURED, HABITS)
    assert (demand.active, demand.turns, demand.paths) == pytest.approx((1_800, 10, 1))
    assert demand.runs_at_once == pytest.approx(10 * 5 + 1 * 3 * 20)
    assert demand.statements == pytest.approx(11 * 20)
    assert demand.events == pytest.approx(11 * 20)
    assert demand.cpu_s == pytest.approx(11 * 0.01 + 11 * 12 * 0.001)


def test_X9_a_year_is_every_learners_hours_and_events_are_kept_for_a_month_and_a_week() -> None:
    demand = demand_of(36_000, MEASURED, HABITS)
    assert demand.lasting_bytes_a_year == pytest.approx(36_000 * 10 * 22 * 600)
    assert demand.event_bytes == pytest.approx(36_000 * 10 * 22 * 400 * 37 / 365)


def test_of_few_learners_all_may_learn_at_once() -> None:
    assert demand_of(10, MEASURED, HABITS).active == 10
    assert demand_of(100, MEASURED, HABITS).active == 10


def test_few_learners_need_one_process_and_no_redis() -> None:
    alone = deployment_for(demand_of(10, MEASURED, HABITS), PROCESS)
    assert alone.embedded
    assert (alone.processes, alone.redis_bytes) == (1, 0.0)


def test_X9_workers_have_a_place_for_every_run_and_some_to_spare() -> None:
    demand = demand_of(36_000, MEASURED, HABITS)
    deployment = deployment_for(demand, PROCESS)
    assert not deployment.embedded
    assert deployment.workers * PLACES * 0.7 >= demand.runs_at_once
    assert (deployment.workers - 1) * PLACES * 0.7 < demand.runs_at_once
    assert deployment.web >= 2


@pytest.mark.parametrize("times", [1, 10, 1_000])
def test_X9_more_learners_never_need_less(times: int) -> None:
    less, more = (deployment_for(demand_of(number, MEASURED, HABITS), PROCESS) for number in (1_000, 1_000 * times))
    for name in ("processes", "memory_bytes", "connections", "pooled_connections", "redis_bytes"):
        assert getattr(more, name) >= getattr(less, name)


def test_X9_what_breaks_first_comes_first() -> None:
    demand = demand_of(10_000_000, MEASURED, HABITS)
    used = shares(demand, deployment_for(demand, PROCESS))
    assert [share for _, share in used] == sorted((share for _, share in used), reverse=True)
    assert {limit for limit, _ in used} == {*LIMITS}


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.25, "0.25"), (12, "12"), (999.4, "999"), (999.6, "1 k"), (12_345, "12.3 k"), (5e18, "5,000 P")],
)
def test_numbers_have_three_digits(value: float, shown: str) -> None:
    assert short(value) == shown


def test_X9_the_page_shows_what_the_program_computes_from_the_measured_figures() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert with_figures(page, report(load())) == page
    assert all(f"{size:,}" in page for size in SIZES)
