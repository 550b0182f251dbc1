"""Fixtures of the agents' tests: SQLite only, since the store's own tests cover every database."""

import pytest


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """The URL of a database that is up to date and holds nothing."""
    return sqlite_url
