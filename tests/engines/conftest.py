"""The shared Redis, with keys of a test's own."""

from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis

from harness.servers.redis import REDIS_URL, redis_prefix
from harness.services import require
from sprout.engines.redis_server import connect


@pytest.fixture
async def prefix() -> AsyncIterator[str]:
    """A prefix for keys on the shared Redis, which are deleted after the test."""
    require("redis")
    async with redis_prefix() as prefix:
        yield prefix


@pytest.fixture
async def redis(prefix: str) -> AsyncIterator[Redis]:
    """A client of the shared Redis, for the keys with the prefix."""
    async with connect(REDIS_URL) as client:
        yield client
