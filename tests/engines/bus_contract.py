"""Contract of every EventBus. The suite of an implementation is a subclass of `BusContract` that creates it."""

import asyncio
import json

import pytest

from sprout.runs.run_store import StoredEvent
from sprout.runs.streaming.bus import BusClosed, BusMessage, EphemeralEvent, EventBus, Overflow, Tail

ENOUGH_S = 10.0


def a_stored_event(channel: str, seq: int) -> StoredEvent:
    return StoredEvent(channel, seq, "agent_start", "{}", channel)


def a_block_end(root: str, seq: int, block_id: str) -> StoredEvent:
    return StoredEvent(root, seq, "message", json.dumps({"blockId": block_id, "text": "whole"}), root, block_id)


class GrowingBlock:
    """A block in flight, published piece by piece as the worker of its run does."""

    def __init__(self, bus: EventBus, root: str, block_id: str, *, run: str = "", epoch: int = 1) -> None:
        self._bus = bus
        self._root, self._block_id, self._run, self._epoch = root, block_id, run or root, epoch
        self.text = ""

    def grow(self, text: str) -> None:
        data = json.dumps({"agent": "topic", "runId": self._run, "blockId": self._block_id, "text": text})
        place = (self._block_id, len(self.text), len(text), self._run, self._epoch)
        self._bus.publish(EphemeralEvent(self._root, "message_delta", data, *place))
        self.text += text


async def texts_in_flight(bus: EventBus, root: str) -> dict[str, str]:
    """The text of each block in flight, by its id."""
    snapshots = await bus.snapshots(root)
    texts = {one.block_id: json.loads(one.data)["text"] for one in snapshots}
    assert [one.offset for one in snapshots] == [len(text) for text in texts.values()]
    return texts


async def receive(tail: Tail, count: int) -> list[BusMessage]:
    """The next news, as many as asked for; a bus may need a while, and may give them in any number of batches."""
    got: list[BusMessage] = []
    async with asyncio.timeout(ENOUGH_S):
        while len(got) < count:
            got += await tail.receive()
    return got


async def receive_until(tail: Tail, text: str) -> None:
    """Receive up to the message that holds this text."""
    while text not in (await receive(tail, 1))[-1].data:
        pass


class BusContract:
    """A subclass gives two fixtures: `bus`, where news is published, and `other`, where it is heard.

    Both are the same bus where there is one process, else two that are joined. `max_waiting` is what a queue holds.
    """

    max_waiting: int

    async def test_a_reader_hears_its_channel_from_entering_on_in_order(self, bus: EventBus, other: EventBus) -> None:
        async with other.tail("a") as before:
            bus.publish(a_stored_event("a", 1))
            assert await receive(before, 1) == [a_stored_event("a", 1)]
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
            # Order is kept within a channel; two channels have none between them.
            assert set(await receive(tail, 2)) == {a_stored_event("b", 1), a_stored_event("a", 1)}
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

    async def test_V2_a_block_in_flight_is_one_snapshot_until_its_end_is_stored(
        self, bus: EventBus, other: EventBus
    ) -> None:
        one, another = GrowingBlock(bus, "a", "b1"), GrowingBlock(bus, "a", "b2")
        async with other.tail("a") as tail:
            for number in range(200):
                one.grow(f"wörd{number} ")
                if number % 50 == 0:
                    another.grow("🌱")
                    await receive(tail, 1)
            await receive_until(tail, one.text[-3:])
            assert await texts_in_flight(other, "a") == {"b1": one.text, "b2": another.text}
            bus.publish(a_block_end("a", 1, "b1"))
            await receive_until(tail, "whole")
            assert await texts_in_flight(other, "a") == {"b2": another.text}
        assert await texts_in_flight(other, "b") == {}

    async def test_V2_a_snapshot_says_whose_text_it_is(self, bus: EventBus, other: EventBus) -> None:
        async with other.tail("a") as tail:
            GrowingBlock(bus, "a", "b1", run="child", epoch=3).grow("Light")
            await receive(tail, 1)
        (snapshot,) = await other.snapshots("a")
        assert json.loads(snapshot.data) == {
            "agent": "topic", "runId": "child", "of": "message_delta", "blockId": "b1", "text": "Light"
        }  # fmt: skip
        assert (snapshot.root_id, snapshot.run_id, snapshot.epoch) == ("a", "child", 3)

    async def test_text_of_a_run_that_this_process_executes_no_more_is_in_flight_no_more(
        self, bus: EventBus, other: EventBus
    ) -> None:
        async with other.tail("a") as tail:
            GrowingBlock(bus, "a", "b1", run="left").grow("void")
            GrowingBlock(bus, "a", "b2", run="kept").grow("Light")
            bus.drop_blocks("a", "left")
            bus.publish(a_stored_event("a", 1))
            await receive(tail, 3)
        assert await texts_in_flight(other, "a") == {"b2": "Light"}

    async def test_B1_text_of_an_older_epoch_is_never_shown_beside_that_of_a_newer_one(
        self, bus: EventBus, other: EventBus
    ) -> None:
        async with other.tail("a") as tail:
            frozen, other_run = GrowingBlock(bus, "a", "b1"), GrowingBlock(bus, "a", "b9", run="child")
            frozen.grow("Words of a worker that freezes")
            other_run.grow("Water")
            await receive(tail, 2)
            GrowingBlock(other, "a", "b2", epoch=2).grow("Light")
            await receive(tail, 1)
            frozen.grow(" and wakes")
            await receive(tail, 1)
        assert await texts_in_flight(other, "a") == {"b2": "Light", "b9": "Water"}
