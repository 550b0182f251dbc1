"""Each EventBus keeps the contract."""

import pytest

from sprout.engines.memory_bus import MemoryBus
from sprout.runs.bus import EventBus
from tests.engines.bus_contract import BusContract, news


class TestMemoryBus(BusContract):
    max_waiting = 250

    @pytest.fixture
    def bus(self) -> EventBus:
        return MemoryBus(max_waiting=self.max_waiting)

    @pytest.fixture
    def other(self, bus: EventBus) -> EventBus:
        return bus


async def test_a_memory_bus_keeps_nothing_of_readers_that_have_gone() -> None:
    bus = MemoryBus()
    async with bus.tail("a") as tail:
        await tail.listen("b")
        assert bus.channels == {"a", "b"}
    assert bus.channels == set()
    bus.publish(news("a", 1))
