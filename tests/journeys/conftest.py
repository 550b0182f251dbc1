"""One browser for all journeys of a process, and courses that have grown once; every page has a profile of its own."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from harness.browser import WAIT_MS, chromium
from harness.journeys.learner import IMMEDIATE
from harness.journeys.sprout_server import COURSE, start_server

PYTHON = "Python functions and lists"


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    expect.set_options(timeout=WAIT_MS)
    async with chromium() as browser:
        yield browser


@pytest.fixture(scope="session")
async def grown_bayes(tmp_path_factory: pytest.TempPathFactory, empty_sqlite: Path) -> Path:
    return await _grow_course(COURSE, tmp_path_factory.mktemp("bayes"), empty_sqlite)


@pytest.fixture(scope="session")
async def grown_python(tmp_path_factory: pytest.TempPathFactory, empty_sqlite: Path) -> Path:
    return await _grow_course(PYTHON, tmp_path_factory.mktemp("python"), empty_sqlite)


@pytest.fixture
def bayes_url(tmp_path: Path, grown_bayes: Path) -> str:
    """A database of a test's own with the whole course."""
    return _copy_database(grown_bayes, tmp_path)


@pytest.fixture
def python_url(tmp_path: Path, grown_python: Path) -> str:
    """A database of a test's own with the whole course."""
    return _copy_database(grown_python, tmp_path)


async def _grow_course(course: str, folder: Path, empty_sqlite: Path) -> Path:
    """The file of a database in which nothing but this course was grown."""
    file = folder / "sprout.sqlite3"
    shutil.copyfile(empty_sqlite, file)
    async with start_server(folder, f"sqlite:///{file}", pace=IMMEDIATE) as grown:
        await grown.events_of(await grown.start_path(course, small=False))
    return file


def _copy_database(grown: Path, folder: Path) -> str:
    file = folder / "sprout.sqlite3"
    shutil.copyfile(grown, file)
    return f"sqlite:///{file}"
