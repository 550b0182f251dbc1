"""What agents do with a database is the same on each: the store's own tests run on all, these on SQLite."""

import pytest


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """The URL of a database that is up to date and holds nothing."""
    return sqlite_url
