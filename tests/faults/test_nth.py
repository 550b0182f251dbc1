"""P13 in short: some of the statements, commits and model calls of a learner's way fail; `make faults` fails each."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from faults.harness.failing import Disk, Ill, Of
from faults.nth import Calls, Way, each_call, empty_database, way_with
from sprout.offline.faults import Scenario


@pytest.fixture(scope="module")
def empty() -> Iterator[Path]:
    with empty_database() as file:
        yield file


@pytest.mark.parametrize(
    ("of", "ill", "at"), [("statement", Ill.FULL, 50), ("statement", Ill.IO, 290), ("commit", Ill.IO, 7)]
)
async def test_P13_what_a_disk_fails_at_is_told_and_the_next_try_finds_all_in_order(
    empty: Path, of: Of, ill: Ill, at: int
) -> None:
    way = await way_with(Disk(of, ill, at), Calls(), empty)
    assert way.struck
    assert_told_and_sound(way)
    assert set(way.reasons) == {"completed: end_turn"}


async def test_P13_a_model_call_that_fails_is_made_again_and_one_that_cannot_be_ends_its_run_with_the_reason(
    empty: Path,
) -> None:
    (cut,) = await each_call(Scenario.CUT, empty, [5])
    (refused,) = await each_call(Scenario.BAD_KEY, empty, [1])
    for way in (cut, refused):
        assert way.struck
        assert_told_and_sound(way)
    assert set(cut.reasons) == {"completed: end_turn"}
    assert set(refused.reasons) == {"failed: bad_key", "completed: end_turn"}


async def test_P13_a_way_without_a_failure_tells_of_none(empty: Path) -> None:
    way = await way_with(Disk(at=1_000_000), Calls(), empty)
    assert way.struck is None
    assert way.told == 0
    assert way.faults == []


def assert_told_and_sound(way: Way) -> None:
    assert way.told
    assert way.faults == []
    assert 500 not in way.answers
