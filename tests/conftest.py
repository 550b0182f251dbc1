"""Databases for tests: SQLite in a temporary folder and, where one answers, PostgreSQL; the same tests run on both."""

import gc
import secrets
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import make_url, text

from sprout.store.database import Database, open_database
from sprout.store.migrate import upgrade
from tests.databases import an_empty_database
from tests.services import POSTGRES, require


def pytest_collection_finish() -> None:
    """What was collected stays: searches for garbage would go through it, a fifth of all the time."""
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
    return an_empty_database(tmp_path)


@pytest.fixture(scope="session")
def empty_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("empty")
    an_empty_database(folder)
    return folder / "sprout.sqlite3"


@pytest.fixture
async def postgres_url(postgres_database: str) -> str:
    async with open_database(postgres_database) as database:
        await database.write(
            lambda write: write.connection.execute(text("delete from users"))
        )  # takes everything along
    return postgres_database


@pytest.fixture(scope="session")
def postgres_database() -> Iterator[str]:
    """A database of this test session's own, up to date, dropped at its end."""
    with new_postgres() as url:
        upgrade(url)
        yield url


@pytest.fixture
def bare_postgres_url() -> Iterator[str]:
    """A database without tables, dropped after the test."""
    with new_postgres() as url:
        yield url


@contextmanager
def new_postgres() -> Iterator[str]:
    require("postgres")
    name = f"sprout_test_{secrets.token_hex(6)}"
    with psycopg.connect(POSTGRES, autocommit=True) as server:
        server.execute(f"create database {name}".encode())
        # Nobody pulls this server's plug: no commit has to wait for its disk.
        server.execute(f"alter database {name} set synchronous_commit = off".encode())
    try:
        yield make_url(POSTGRES).set(database=name).render_as_string(hide_password=False)
    finally:
        with psycopg.connect(POSTGRES, autocommit=True) as server:
            server.execute(f"drop database {name} with (force)".encode())
