"""Each EventBus keeps the contract."""

from collections.abc import AsyncIterator

import pytest

from harness.servers.redis import REDIS_URL
from sprout.engines.memory_bus import MemoryBus
from sprout.engines.recent_events import RecentEvents
from sprout.engines.redis_bus import open_redis_bus
from sprout.runs.streaming.bus import EventBus
from tests.engines.bus_contract import BusContract, a_stored_event


class TestMemoryBus(BusContract):
    max_waiting = 250

    @pytest.fixture
    def bus(self) -> EventBus:
        return MemoryBus(max_waiting=self.max_waiting)

    @pytest.fixture
    def other(self, bus: EventBus) -> EventBus:
        return bus


class TestRedisBus(BusContract):
    max_waiting = 250

    @pytest.fixture
    async def bus(self, prefix: str) -> AsyncIterator[EventBus]:
        async with open_redis_bus(REDIS_URL, prefix=prefix, max_waiting=self.max_waiting) as bus:
            yield bus

    @pytest.fixture
    async def other(self, prefix: str) -> AsyncIterator[EventBus]:
        async with open_redis_bus(REDIS_URL, prefix=prefix, max_waiting=self.max_waiting) as bus:
            yield bus


async def test_a_memory_bus_keeps_nothing_of_readers_that_have_gone() -> None:
    bus = MemoryBus()
    async with bus.tail("a") as tail:
        await tail.listen("b")
        assert bus.channels == {"a", "b"}
    assert bus.channels == set()
    bus.publish(a_stored_event("a", 1))


def test_a_memory_of_events_is_of_the_newest_of_the_newest_runs() -> None:
    recent = RecentEvents(max_events_per_run=3, max_runs=2)
    for seq in range(1, 6):
        recent.add(a_stored_event("a", seq))
    assert recent.after("a", 1) == ()
    assert recent.after("a", 2) == [a_stored_event("a", 3), a_stored_event("a", 4), a_stored_event("a", 5)]
    recent.add(a_stored_event("b", 1))
    recent.add(a_stored_event("c", 1))
    assert (recent.after("a", 2), recent.after("b", 0), recent.after("c", 0)) == (
        (),
        [a_stored_event("b", 1)],
        [a_stored_event("c", 1)],
    )
