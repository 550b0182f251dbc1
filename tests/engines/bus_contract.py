"""Contract of every EventBus. The suite of an implementation is a subclass of `BusContract` that creates it."""

import asyncio

import pytest

from sprout.runs.run_store import StoredEvent
from sprout.runs.streaming.bus import BusClosed, BusMessage, EphemeralEvent, EventBus, Overflow, Tail

ENOUGH_S = 10.0


def a_stored_event(channel: str, seq: int) -> StoredEvent:
    return StoredEvent(channel, seq, "agent_start", "{}", channel)


async def receive(tail: Tail, count: int) -> list[BusMessage]:
    """The next news, as many as asked for; a bus may need a while, and may give them in any number of batches."""
    got: list[BusMessage] = []
    async with asyncio.timeout(ENOUGH_S):
        while len(got) < count:
            got += await tail.receive()
    return got


class BusContract:
    """A subclass gives two fixtures: `bus`, where news is published, and `other`, where it is heard.

    Both are the same bus where there is one process, else two that are joined. `max_waiting` is what a queue holds.
    """

    max_waiting: int

    async def test_a_reader_hears_its_channel_from_entering_on_in_order(self, bus: EventBus, other: EventBus) -> None:
        bus.publish(a_stored_event("a", 1))
        async with other.tail("b"):  # so that a bus that takes its time has taken it
            pass
        async with other.tail("a") as tail:
            bus.publish(a_stored_event("b", 1))
            bus.publish(a_stored_event("a", 2))
            bus.publish(a_stored_event("a", 3))
            assert await receive(tail, 2) == [a_stored_event("a", 2), a_stored_event("a", 3)]
            bus.publish(a_stored_event("a", 4))
            assert await receive(tail, 1) == [a_stored_event("a", 4)]

    async def test_passing_news_arrives_as_it_was_sent(self, bus: EventBus, other: EventBus) -> None:
        delta = EphemeralEvent("a", "message_delta", '{"text":"two\\nlines 🌱"}', "b1", offset=7, length=11)
        async with other.tail("a") as tail:
            bus.publish(delta)
            assert await receive(tail, 1) == [delta]

    async def test_every_reader_hears_everything(self, bus: EventBus, other: EventBus) -> None:
        async with other.tail("a") as one, other.tail("a") as another:
            bus.publish(a_stored_event("a", 1))
            assert await receive(one, 1) == await receive(another, 1) == [a_stored_event("a", 1)]

    async def test_news_that_waits_together_is_one_batch(self, bus: EventBus, other: EventBus) -> None:
        async with other.tail("a") as ahead, other.tail("a") as tail:
            for seq in range(10):
                bus.publish(a_stored_event("a", seq))
            assert len(await receive(ahead, 10)) == 10
            assert len(await tail.receive()) == 10

    async def test_a_reader_hears_a_channel_that_it_joins_and_not_one_that_it_leaves(
        self, bus: EventBus, other: EventBus
    ) -> None:
        async with other.tail("a") as tail:
            await tail.listen("b")
            bus.publish(a_stored_event("b", 1))
            bus.publish(a_stored_event("a", 1))
            assert await receive(tail, 2) == [a_stored_event("b", 1), a_stored_event("a", 1)]
            tail.unlisten("a")
            bus.publish(a_stored_event("a", 2))
            bus.publish(a_stored_event("b", 2))
            assert await receive(tail, 1) == [a_stored_event("b", 2)]

    async def test_listening_twice_is_hearing_once(self, bus: EventBus, other: EventBus) -> None:
        async with other.tail("a") as tail:
            await tail.listen("a")
            bus.publish(a_stored_event("a", 1))
            bus.publish(a_stored_event("a", 2))
            assert await receive(tail, 2) == [a_stored_event("a", 1), a_stored_event("a", 2)]

    async def test_a_wakeup_ends_the_wait_and_loses_nothing(self, bus: EventBus, other: EventBus) -> None:
        async with other.tail("a") as tail:
            waiting = asyncio.create_task(tail.receive())
            await asyncio.sleep(0)
            tail.interrupt()
            assert await waiting == []
            tail.interrupt()
            assert await tail.receive() == []
            bus.publish(a_stored_event("a", 1))
            assert await receive(tail, 1) == [a_stored_event("a", 1)]

    async def test_a_wait_that_is_cancelled_loses_nothing(self, bus: EventBus, other: EventBus) -> None:
        async with other.tail("a") as tail:
            waiting = asyncio.create_task(tail.receive())
            await asyncio.sleep(0)
            bus.publish(a_stored_event("a", 1))
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            assert await receive(tail, 1) == [a_stored_event("a", 1)]

    async def test_V5_a_reader_too_far_behind_is_told_so_once_and_others_are_not_touched(
        self, bus: EventBus, other: EventBus
    ) -> None:
        async with other.tail("a") as slow, other.tail("a") as quick:
            for seq in range(1, self.max_waiting + 2):
                bus.publish(a_stored_event("a", seq))
                if seq % 100 == 0:
                    await receive(quick, 100)
            last = await receive(quick, (self.max_waiting + 1) % 100)
            assert last[-1] == a_stored_event("a", self.max_waiting + 1)
            with pytest.raises(Overflow):
                await receive(slow, self.max_waiting + 1)
            bus.publish(a_stored_event("a", self.max_waiting + 2))
            assert await receive(slow, 1) == [a_stored_event("a", self.max_waiting + 2)]

    async def test_what_a_bus_remembers_of_a_run_has_no_hole_and_ends_with_it(self, bus: EventBus) -> None:
        for seq in (1, 2, 3, 3, 2):
            bus.publish(a_stored_event("a", seq))
        assert list(bus.recent("a", 1)) in ([], [a_stored_event("a", 2), a_stored_event("a", 3)])
        assert list(bus.recent("a", 3)) == list(bus.recent("a", 9)) == list(bus.recent("b", 0)) == []
        bus.publish(a_stored_event("a", 5))
        assert list(bus.recent("a", 3)) == []
        assert list(bus.recent("a", 4)) in ([], [a_stored_event("a", 5)])
        bus.publish(StoredEvent("a", 6, "run_done", "{}", "a"))
        assert list(bus.recent("a", 4)) == []

    async def test_D10_closing_ends_every_tail_now_and_later(self, other: EventBus) -> None:
        async with other.tail("a") as tail:
            waiting = asyncio.create_task(tail.receive())
            await asyncio.sleep(0)
            other.close()
            with pytest.raises(BusClosed):
                await waiting
        async with other.tail("a") as late:
            with pytest.raises(BusClosed):
                await late.receive()
