"""Two Redis buses that are joined, as those of two processes."""

from collections.abc import AsyncIterator

import pytest

from harness.servers.redis import redis_prefix
from harness.services import require


@pytest.fixture
async def prefix() -> AsyncIterator[str]:
    """A prefix for keys on the shared Redis."""
    require("redis")
    async with redis_prefix() as prefix:
        yield prefix
