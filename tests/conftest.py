"""Databases for tests: SQLite in a temporary folder and, where one answers, PostgreSQL; the same tests run on both."""

import gc
from collections.abc import AsyncIterator, Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from harness.database.compiled_statements import share_compiled_statements
from harness.database.empty_sqlite import create_empty_database
from harness.database.postgres import create_migrated_postgres, create_postgres, pooled_postgres
from harness.services import SCALED, TOPOLOGY
from sprout.store.engine.database import Database, open_database

TESTS = Path(__file__).parent
LONG_FOLDERS = {"faults", "project", "journeys"}

# How long an example takes depends on what else the machine does, and proves nothing.
settings.register_profile("tests", deadline=None)
settings.load_profile("tests")
share_compiled_statements()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what goes with the other topology alone (tests/topologies.py), and begin with what takes long.

    A worker that is left with the last long test would be waited for by the others, which have nothing to do.
    """
    others = {item for item in items if any(mark.args[0] != TOPOLOGY for mark in item.iter_markers("topology"))}
    config.hook.pytest_deselected(items=[*others])
    items[:] = sorted((item for item in items if item not in others), key=_in_a_long_folder, reverse=True)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without garbage collections: hardly anything is garbage, and they take a fifth of that time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Freeze collected tests: garbage collections would traverse them, a fifth of all the time."""
    gc.collect()
    gc.freeze()


def _in_a_long_folder(item: pytest.Item) -> bool:
    return item.path.relative_to(TESTS).parts[0] in LONG_FOLDERS


@pytest.fixture(params=["postgres"] if SCALED else ["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest) -> str:
    """The URL of a database that is up to date and holds nothing."""
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url


@pytest.fixture
def topology_url(request: pytest.FixtureRequest) -> str:
    """The same for tests of more than SQL, which run once on the database of each topology."""
    url: str = request.getfixturevalue("postgres_url" if SCALED else "sqlite_url")
    return url


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    async with open_database(database_url) as database:
        yield database


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    """A folder for the files of documents."""
    folder = tmp_path / "data"
    folder.mkdir()
    return folder


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    return create_empty_database(tmp_path)


@pytest.fixture(scope="session")
def empty_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("empty")
    create_empty_database(folder)
    return folder / "sprout.sqlite3"


@pytest.fixture
def postgres_url() -> Iterator[str]:
    """A PostgreSQL database that has the tables of the job queue too; the next test has the same one, emptied."""
    with pooled_postgres() as url:
        yield url


@pytest.fixture
def own_postgres_url() -> Iterator[str]:
    """The same for a test that changes more than rows; dropped after it."""
    with create_migrated_postgres() as url:
        yield url


@pytest.fixture
def bare_postgres_url() -> Iterator[str]:
    """A database without tables, dropped after the test."""
    with create_postgres() as url:
        yield url
