"""Whatever happens to runs at once, on both databases, their logs and lanes are in order at the end."""

import random
from itertools import count

import pytest

from sprout.learning.paths.repository import DEFAULT_USER_ID
from tests.store.stress import Story, happen, processes

STEPS = 600


@pytest.mark.parametrize("seed", range(2))
async def test_D19_whatever_happens_at_once_no_log_has_a_hole_and_no_lane_two_runs(
    database_url: str, seed: int
) -> None:
    """D19, D-2, I1, I2, I4, I7: and nothing is refused but for a reason that its caller can act on."""
    async with processes(database_url) as databases:
        story, steps = Story(databases, random.Random(seed)), count()
        await story.begin(DEFAULT_USER_ID)
        await happen(story, go_on=lambda: next(steps) < STEPS)
    assert story.done.total() == STEPS
