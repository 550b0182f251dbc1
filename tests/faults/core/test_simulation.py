"""P14 in short: some seeds of the loop, and of the core, on a played clock; `make faults` plays hundreds."""

import subprocess
import sys

import pytest

from faults.core import core_simulation, loop_simulation
from faults.core.core_simulation import CoreRun

AGAIN_HERE, AFRESH = (5,), (3, 6)  # in 6 one process is alone, in the others two share a database
PLAY_AFRESH = f"from faults.core.core_simulation import play; print(*(play(seed).digest for seed in {AFRESH}))"


@pytest.fixture(scope="module")
def played() -> dict[int, CoreRun]:
    return {seed: core_simulation.play(seed) for seed in (*AGAIN_HERE, *AFRESH)}


def test_P14_a_seed_gives_the_same_log_every_time_and_another_seed_another() -> None:
    once, again = ([loop_simulation.play(seed) for seed in range(20)] for _ in range(2))
    assert [one.digest for one in once] == [one.digest for one in again]
    assert len({one.digest for one in once}) == len(once)
    assert [violation for one in once for violation in one.violations] == []
    assert sum(one.steps for one in once) > 500
    assert sum(one.simulated_s for one in once) > 60, "on the played clock: nobody has waited for it"


def test_P14_I1_to_I12_hold_of_a_core_that_is_killed_frozen_and_refused_and_a_seed_gives_the_same_rows(
    played: dict[int, CoreRun],
) -> None:
    once = [*played.values()]
    for seed in AGAIN_HERE:
        assert core_simulation.play(seed).digest == played[seed].digest
    assert len({one.digest for one in once}) == len(once)
    assert [fault for one in once for fault in one.verdict.faults] == []
    assert sum(one.verdict.runs for one in once) > 5 * len(once)
    assert sum(one.deaths["were killed"] for one in once) > len(once)


def test_P14_a_seed_gives_the_same_rows_in_another_process(played: dict[int, CoreRun]) -> None:
    """The other process has another hash seed, and thereby another order of unordered collections."""
    there = subprocess.run([sys.executable, "-c", PLAY_AFRESH], check=True, capture_output=True, text=True)
    assert there.stdout.split() == [played[seed].digest for seed in AFRESH]
