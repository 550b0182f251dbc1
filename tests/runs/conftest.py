"""Runs on the database of each topology: SQL itself is tested on both databases in tests/store."""

import pytest


@pytest.fixture
def database_url(topology_url: str) -> str:
    return topology_url
