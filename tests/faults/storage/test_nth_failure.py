"""P13 in short: some of the statements, commits and model calls of a learner's way fail; `make faults` fails each."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from faults.storage.nth_failure import ArmedFaultPlan, LearnerFlow, empty_database, run_each_call_failure, run_flow
from harness.database.failing_sqlite import DiskError, DiskOperation, FailingDisk
from sprout.offline.faults.scenarios import Scenario


@pytest.fixture(scope="module")
def empty() -> Iterator[Path]:
    with empty_database() as file:
        yield file


@pytest.mark.parametrize(
    ("of", "ill", "at"),
    [("statement", DiskError.FULL, 50), ("statement", DiskError.IO, 290), ("commit", DiskError.IO, 7)],
)
async def test_P13_what_a_disk_fails_at_is_told_and_the_next_try_finds_all_in_order(
    empty: Path, of: DiskOperation, ill: DiskError, at: int
) -> None:
    way = await run_flow(FailingDisk(of, ill, at), ArmedFaultPlan(), empty)
    assert way.failed_statement
    assert_told_and_sound(way)
    assert set(way.reasons) == {"completed: end_turn"}


async def test_P13_a_model_call_that_fails_is_made_again_and_one_that_cannot_be_ends_its_run_with_the_reason(
    empty: Path,
) -> None:
    (cut,) = await run_each_call_failure(Scenario.CUT, empty, [5])
    (stalled,) = await run_each_call_failure(Scenario.STALL, empty, [1])
    (refused,) = await run_each_call_failure(Scenario.BAD_KEY, empty, [1])
    for way in (cut, stalled, refused):
        assert way.failed_statement
        assert_told_and_sound(way)
    assert set(cut.reasons) == set(stalled.reasons) == {"completed: end_turn"}
    assert set(refused.reasons) == {"failed: bad_key", "completed: end_turn"}


async def test_P13_a_way_without_a_failure_tells_of_none(empty: Path) -> None:
    way = await run_flow(FailingDisk(fails_at=1_000_000), ArmedFaultPlan(), empty)
    assert way.failed_statement is None
    assert way.reported == 0
    assert way.faults == []


def assert_told_and_sound(way: LearnerFlow) -> None:
    assert way.reported
    assert way.faults == []
    assert 500 not in way.answers
