"""A learner who has learned all parts of a path, on both databases."""

import pytest

from sprout.learning.reviews.items import ItemSource, NoItems
from sprout.store.engine.database import Database
from tests.store.reviews.learned_path import Clock, Learner, learn_path


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def source() -> ItemSource:
    return NoItems()


@pytest.fixture
async def learner(database: Database, clock: Clock, source: ItemSource) -> Learner:
    return await learn_path(database, clock, source)
