"""The hot path beside few other learners: a short form of the proof `plans`, without what only many show."""

from faults.storage.hot_path import measure
from harness.services import require

EVENTS = 5_000


async def test_X10_the_statements_of_a_learners_hour_have_their_indexes_and_stay_in_one_partition() -> None:
    require("postgres")
    require("redis")
    found = await measure([EVENTS])
    assert found.missing == []
    assert found.scans == []
    assert found.unpruned == []
