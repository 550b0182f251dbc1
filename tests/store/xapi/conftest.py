"""A class whose learners have done things in their copies of a path, on both databases."""

import pytest

from tests.store.accounts.class_page import RIGHT, WRONG, TaughtClass, a_taught_class
from tests.store.accounts.conftest import SchoolWithPath, school_with_path

__all__ = ["school_with_path"]


@pytest.fixture
async def taught(school_with_path: SchoolWithPath) -> TaughtClass:
    """The first learner has answered everything right, on two days, the second wrong, and the third nothing."""
    taught = await a_taught_class(school_with_path)
    for title in ("Counting", "Sharing", "Odds"):
        await taught.answer(0, title, RIGHT, RIGHT, days_ago=9)
        await taught.answer(0, title, RIGHT, RIGHT)
        await taught.answer(1, title, *[WRONG] * 4)
    return taught
