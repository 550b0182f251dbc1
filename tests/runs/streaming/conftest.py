"""The buses that streams are tested on."""

from collections.abc import AsyncIterator

import pytest

from harness.servers.redis import REDIS_URL, redis_prefix
from harness.services import require
from sprout.engines.memory_bus import MemoryBus
from sprout.engines.redis_bus import open_redis_bus
from sprout.runs.streaming.bus import EventBus


@pytest.fixture(params=["memory", "redis"])
async def bus(request: pytest.FixtureRequest) -> AsyncIterator[EventBus]:
    """Each bus, where it delivers what is published."""
    if request.param == "memory":
        yield MemoryBus()
        return
    require("redis")
    async with redis_prefix() as prefix, open_redis_bus(REDIS_URL, prefix=prefix) as bus:
        yield bus
