"""A learner with a past, for journeys through what came of it."""

import shutil
from pathlib import Path

import pytest

from tests.journeys.support.learning_history import insert_history


@pytest.fixture(scope="module")
async def past(tmp_path_factory: pytest.TempPathFactory, empty_sqlite: Path) -> Path:
    """The file of a database with twelve weeks of learning in it."""
    file = tmp_path_factory.mktemp("past") / "sprout.sqlite3"
    shutil.copyfile(empty_sqlite, file)
    await insert_history(f"sqlite:///{file}")
    return file


@pytest.fixture
def past_url(tmp_path: Path, past: Path) -> str:
    """A copy of it for one test."""
    shutil.copyfile(past, tmp_path / "sprout.sqlite3")
    return f"sqlite:///{tmp_path / 'sprout.sqlite3'}"
