"""The bus that streams are tested on."""

from collections.abc import AsyncIterator

import pytest

from harness.servers.engines import open_bus
from sprout.runs.streaming.bus import EventBus


@pytest.fixture
async def bus() -> AsyncIterator[EventBus]:
    """The bus of the topology, where it delivers what is published."""
    async with open_bus() as bus:
        yield bus


@pytest.fixture
async def narrow_bus() -> AsyncIterator[EventBus]:
    """The same, on which readers soon fall behind."""
    async with open_bus(max_waiting=5) as bus:
        yield bus
