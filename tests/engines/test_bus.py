"""What every EventBus does; run against each implementation."""

import asyncio
from collections.abc import Callable

import pytest

from sprout.engines.memory_bus import MAX_WAITING, MemoryBus
from sprout.runs.bus import EventBus, Overflow
from sprout.runs.log import Logged


@pytest.fixture(params=[MemoryBus])
def bus(request: pytest.FixtureRequest) -> EventBus:
    make: Callable[[], EventBus] = request.param
    return make()


def news(root: str, seq: int) -> Logged:
    return Logged(root, seq, "agent_start", "{}")


async def test_a_reader_gets_the_news_of_its_run_from_entering_on_in_order(bus: EventBus) -> None:
    bus.publish(news("a", 1))
    async with bus.tail("a") as tail:
        bus.publish(news("b", 1))
        bus.publish(news("a", 2))
        bus.publish(news("a", 3))
        assert await anext(tail) == [news("a", 2), news("a", 3)]
        bus.publish(news("a", 4))
        assert await anext(tail) == [news("a", 4)]


async def test_every_reader_gets_all_news(bus: EventBus) -> None:
    async with bus.tail("a") as one, bus.tail("a") as other:
        bus.publish(news("a", 1))
        assert await anext(one) == await anext(other) == [news("a", 1)]


async def test_V5_a_reader_too_far_behind_is_told_so_and_others_are_not_touched(bus: EventBus) -> None:
    async with bus.tail("a") as slow, bus.tail("a") as quick:
        for seq in range(MAX_WAITING + 51):
            bus.publish(news("a", seq))
            if seq % 100 == 0:
                await anext(quick)
        with pytest.raises(Overflow):
            await anext(slow)
        assert (await anext(quick))[-1] == news("a", MAX_WAITING + 50)


async def test_closing_ends_every_tail_now_and_later(bus: EventBus) -> None:
    async with bus.tail("a") as tail:
        reader = asyncio.create_task(_read(tail))
        await asyncio.sleep(0)
        bus.close()
        assert await reader == []
    async with bus.tail("a") as late:
        assert await _read(late) == []


async def _read(tail: object) -> list[object]:
    return [one async for one in tail]  # type: ignore[attr-defined]
