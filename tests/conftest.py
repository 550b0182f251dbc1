"""Databases for tests: SQLite in a temporary folder and, where one answers, PostgreSQL; the same tests run on both."""

import gc
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import psycopg
import pytest
from hypothesis import settings

from harness.database.compiled_statements import share_compiled_statements
from harness.database.empty_sqlite import create_empty_database
from harness.database.postgres import create_postgres
from sprout.engines.procrastinate_schema import upgrade_queue
from sprout.store.engine.database import Database, open_database
from sprout.store.engine.migrate import upgrade
from sprout.store.engine.urls import libpq_url

# How long an example takes depends on what else the machine does, and proves nothing.
settings.register_profile("tests", deadline=None)
settings.load_profile("tests")
share_compiled_statements()


def pytest_collection_finish() -> None:
    """Freeze collected tests: garbage collections would traverse them, a fifth of all the time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest) -> str:
    """The URL of a database that is up to date and holds nothing."""
    url: str = request.getfixturevalue(f"{request.param}_url")
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
def postgres_url(postgres_database: str) -> str:
    with psycopg.connect(postgres_database, autocommit=True) as connection:
        connection.execute("delete from users")  # takes everything along
    return postgres_database


@pytest.fixture(scope="session")
def postgres_database() -> Iterator[str]:
    """A database of this test session's own, up to date, dropped at its end."""
    with create_postgres() as url:
        upgrade(url)
        yield url


@pytest.fixture
def queue_url(postgres_url: str) -> str:
    """A PostgreSQL database that has the tables of the job queue too, without a job."""
    upgrade_queue(libpq_url(postgres_url))
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("delete from procrastinate_jobs")
    return postgres_url


@pytest.fixture
def bare_postgres_url() -> Iterator[str]:
    """A database without tables, dropped after the test."""
    with create_postgres() as url:
        yield url
