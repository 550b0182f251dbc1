"""Each EventBus keeps the contract."""

import pytest

from sprout.engines.memory_bus import MemoryBus
from sprout.engines.recent import Recent
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


def test_a_memory_of_events_is_of_the_newest_of_the_newest_runs() -> None:
    recent = Recent(most_of_a_run=3, most_runs=2)
    for seq in range(1, 6):
        recent.keep(news("a", seq))
    assert recent.after("a", 1) == ()
    assert recent.after("a", 2) == [news("a", 3), news("a", 4), news("a", 5)]
    recent.keep(news("b", 1))
    recent.keep(news("c", 1))
    assert (recent.after("a", 2), recent.after("b", 0), recent.after("c", 0)) == ((), [news("b", 1)], [news("c", 1)])
