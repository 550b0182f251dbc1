"""Following one run: whatever the news does, each event of the log once and in order (runs.md V1, V2, V5, B3)."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from harness.builders import a_reasoning_event, end_run
from sprout.clock import utc_now
from sprout.engines.memory_bus import MemoryBus
from sprout.errors import SetupError
from sprout.events import ReasoningBlock
from sprout.runs.run_store import StoredEvent
from sprout.runs.streaming.bus import BusMessage, EphemeralEvent, EventBus
from sprout.runs.streaming.cursor import COMPLETED_BLOCKS_MAX, LogCursor
from sprout.store.engine.database import Database, open_database
from tests.runs.streaming.event_streams import (
    SilentBus,
    UnreliableBus,
    all_of,
    collect,
    event_streams,
    next_of,
    on_counted_store,
    resumed,
    something,
    stored_events,
    text_of,
    until,
)


@pytest.fixture
async def topology_database(topology_url: str) -> AsyncIterator[Database]:
    async with open_database(topology_url) as database:
        yield database


def delta(text_: str, offset: int, block_id: str = "b1") -> EphemeralEvent:
    data = json.dumps({"runId": "r", "blockId": block_id, "text": text_})
    return EphemeralEvent("r", "message_delta", data, block_id, offset, len(text_), "r")


def an_event(seq: int, kind: str = "guardrail", data: str = "{}", block_id: str = "") -> StoredEvent:
    return StoredEvent("r", seq, kind, data, "r", block_id)


async def test_B3_a_follower_whose_bus_tells_nothing_reaches_the_end_by_the_log(
    database: Database, data_dir: Path
) -> None:
    here = event_streams(database, data_dir, SilentBus())
    run = await here.a_run()
    async with aclosing(here.follow(run)) as batches:
        first = await next_of(batches, 1)
        await here.append(run, *[something()] * 20)
        more = await next_of(batches, 20)
        await end_run(here.store, run)
        rest = await all_of(batches)
    assert [*first, *more, *rest] == await here.log(run)


async def test_B3_a_follower_outlives_the_process_that_carries_the_run(database: Database, data_dir: Path) -> None:
    worker, server = (event_streams(database, data_dir, MemoryBus()) for _ in range(2))
    run = await worker.a_run()
    async with aclosing(server.follow(run)) as batches:
        first = await next_of(batches, 1)
        worker.publish_delta(run, "b1", "words of the worker that dies")
        taker = event_streams(database, data_dir, MemoryBus())
        await taker.append(run, resumed(), ReasoningBlock(block_id="b2", text="whole"))
        await end_run(taker.store, run)
        rest = await all_of(batches)
    assert [*first, *rest] == await server.log(run)


@pytest.mark.parametrize("seed", range(20))
async def test_B3_messages_that_are_lost_doubled_and_late_are_delivered_once_and_in_order(
    topology_database: Database, data_dir: Path, seed: int
) -> None:
    here = event_streams(topology_database, data_dir, UnreliableBus(seed))
    run = await here.a_run()
    reading = asyncio.create_task(all_of(here.follow(run)))
    for number in range(40):
        here.publish_delta(run, f"b{number}", "some ")
        here.publish_delta(run, f"b{number}", "words, ")
        await asyncio.sleep(0)
        here.publish_delta(run, f"b{number}", "🌱")
        if number % 3:
            await here.append(run, ReasoningBlock(block_id=f"b{number}", text="some words, 🌱"), something(number))
    await end_run(here.store, run)
    messages = await reading
    assert stored_events(messages) == await here.log(run)
    for number in range(40):
        of_block = [one for one in messages if f'"b{number}"' in one.data]
        for length in range(len(of_block) + 1):
            assert "some words, 🌱".startswith(text_of(of_block[:length], f"b{number}") or "")


async def test_X6_an_event_that_the_log_does_not_have_is_not_told_and_hides_none(
    database: Database, data_dir: Path, bus: EventBus, caplog: pytest.LogCaptureFixture
) -> None:
    here = event_streams(database, data_dir, bus, every_s=3600)
    run = await here.a_run()
    async with aclosing(here.follow(run)) as batches:
        messages = await next_of(batches, 1)
        here.bus.publish(replace(stored_events(messages)[0], seq=1_000))
        here.publish_delta(run, "b1", "Light")
        messages += await next_of(batches, 1)
        await end_run(here.store, run)
        messages += await all_of(batches)
    assert stored_events(messages) == await here.log(run)
    assert [record.message for record in caplog.records] == ["stream.unknown_events"]


async def test_V2_text_in_flight_comes_from_its_start_and_goes_on_where_it_stopped(
    topology_database: Database, data_dir: Path, bus: EventBus
) -> None:
    here = event_streams(topology_database, data_dir, bus, every_s=3600)
    run = await here.a_run()
    here.publish_delta(run, "b1", "Light ")
    async with aclosing(here.follow(run)) as batches:
        messages = await next_of(batches, 2)
        here.publish_delta(run, "b1", "first.")
        messages += await next_of(batches, 1)
    assert [one.kind for one in messages][::2] == ["run_started", "agent_reasoning_delta"]
    assert text_of(messages, "b1") == "Light first."


def test_text_that_was_lost_on_the_way_is_not_patched_over() -> None:
    reader = LogCursor("r", seq=0)
    assert reader.accept([delta("Light ", 0), delta("first.", 9)]) == [delta("Light ", 0)]
    assert reader.incomplete == {"b1"}
    snapshot = EphemeralEvent("r", "block_snapshot", '{"runId":"r","blockId":"b1"}', "b1", 15, run_id="r")
    assert reader.accept_snapshots([snapshot]) == [snapshot]
    assert (reader.incomplete, reader.accept([delta("!", 15)])) == (set(), [delta("!", 15)])


def test_a_delta_that_comes_twice_is_sent_once() -> None:
    reader = LogCursor("r", seq=0)
    assert reader.accept([delta("a", 0), delta("a", 0), delta("b", 1), delta("a", 0)]) == [delta("a", 0), delta("b", 1)]


def test_a_late_delta_of_a_block_that_the_log_has_whole_is_not_told() -> None:
    reader = LogCursor("r", seq=0)
    whole = an_event(1, "message", '{"runId":"r","blockId":"b1","text":"\\"blockId\\":\\"b2\\""}', "b1")
    assert reader.accept([whole, delta("a", 0), delta("b", 0, "b2")]) == [whole, delta("b", 0, "b2")]


def test_what_a_reader_remembers_of_whole_blocks_is_bounded() -> None:
    reader = LogCursor("r", seq=0)
    for seq in range(1, 10 * COMPLETED_BLOCKS_MAX):
        reader.accept([delta("a", 0, f"b{seq}"), an_event(seq, "message", block_id=f"b{seq}")])
    assert len(reader._completed) == COMPLETED_BLOCKS_MAX
    assert not reader._offsets


@pytest.mark.parametrize(("batch", "hole"), [((1, 2), False), ((3, 2, 1), True), ((1, 3), True), ((0, 1, 1, 2), False),
                                             ((2,), True), ((), False), ((0,), False)])  # fmt: skip
def test_B3_a_hole_is_seen_wherever_it_is(batch: Sequence[int], hole: bool) -> None:
    assert LogCursor("r", seq=0).has_gap([an_event(seq) for seq in batch]) is hole


def test_B5_nothing_is_published_after_the_end() -> None:
    reader = LogCursor("r", seq=0)
    assert reader.accept([an_event(1, "run_done"), an_event(2), delta("a", 0)]) == [an_event(1, "run_done")]


async def test_after_a_resume_a_block_may_grow_anew_under_the_same_id(
    topology_database: Database, data_dir: Path, bus: EventBus
) -> None:
    here = event_streams(topology_database, data_dir, bus, every_s=3600)
    run = await here.a_run()
    here.publish_delta(run, "b1", "Words of a worker that dies. ")
    async with aclosing(here.follow(run)) as batches:
        messages: list[BusMessage] = await next_of(batches, 2)
        await here.append(run, resumed(run.epoch))
        here.publish_delta(run, "b1", "And its ghost.")
        here.publish_delta(run, "b2", "And another ghost.")
        here.publish_delta(replace(run, epoch=run.epoch + 1), "b1", "Light first.")
        messages += await next_of(batches, 2)
    assert [one.kind for one in messages[2:]] == ["run_resumed", "agent_reasoning_delta"]
    assert text_of(messages, "b1") == "Light first."


async def test_D9_a_stream_that_is_too_old_says_reconnect_each_after_another_while(
    topology_database: Database, data_dir: Path, bus: EventBus
) -> None:
    here = event_streams(topology_database, data_dir, bus, life_s=0.5)
    run = await here.a_run()
    ends = await asyncio.gather(*(all_of(here.follow(run)) for _ in range(20)))
    assert {received[-1].kind for received in ends} == {"reconnect"}
    whole = await here.log(run)
    assert all(stored_events(received) == whole for received in ends)
    waits_ms = {json.loads(received[-1].data)["retryMs"] for received in ends}
    assert len(waits_ms) > 10
    assert all(1_000 <= wait_ms < 2_000 for wait_ms in waits_ms)


async def test_D10_the_stream_of_a_run_that_is_deleted_ends(database: Database, data_dir: Path, bus: EventBus) -> None:
    here = event_streams(database, data_dir, bus)
    run = await here.a_run()
    async with aclosing(here.follow(run)) as batches:
        await next_of(batches, 1)
        await database.write_tx(lambda write: write.connection.execute(text("delete from runs")))
        assert [one.kind for one in await all_of(batches)] == ["reconnect"]


@pytest.mark.parametrize("cursor", [-1, 3, 10**18])
async def test_B3_a_cursor_that_the_log_does_not_have_is_asked_to_start_over(
    database: Database, data_dir: Path, bus: EventBus, cursor: int
) -> None:
    here = event_streams(database, data_dir, bus)
    run = await here.a_run()
    await end_run(here.store, run)
    messages = await all_of(here.follow(run, cursor))
    assert [one.kind for one in messages] == ["resync", "run_started", "run_done"]


async def test_a_reader_who_has_all_of_a_run_that_is_over_is_not_kept_waiting(
    database: Database, data_dir: Path, bus: EventBus
) -> None:
    here = event_streams(database, data_dir, bus)
    run = await here.a_run()
    await end_run(here.store, run)
    assert await all_of(here.follow(run, after=2)) == []


async def test_V5_a_reader_that_falls_behind_reads_the_log_and_goes_on(
    topology_database: Database, data_dir: Path, narrow_bus: EventBus
) -> None:
    here = event_streams(topology_database, data_dir, narrow_bus, every_s=3600)
    run = await here.a_run()
    async with aclosing(here.follow(run)) as batches:
        messages = await next_of(batches, 1)
        await here.append(run, *[something()] * 50)
        messages += await next_of(batches, 50)
        await here.append(run, a_reasoning_event())
        messages += await next_of(batches, 1)
    assert messages == await here.log(run)


async def test_one_look_serves_all_streams_of_the_process_and_reads_no_log_that_has_not_grown(
    topology_database: Database, data_dir: Path
) -> None:
    here, store = on_counted_store(
        event_streams(topology_database, data_dir, SilentBus()), topology_database, every_s=0.01
    )
    runs = [await here.a_run() for _ in range(5)]
    watching_before = watching()
    batches: list[list[BusMessage]] = [[] for _ in range(50)]
    reading = [asyncio.create_task(collect(here.follow(runs[at % 5]), into)) for at, into in enumerate(batches)]
    await until(lambda: all(batches))
    await store.wait_for_polls(3)
    asked = {run.id: store.asked[run.id] for run in runs}
    await store.wait_for_polls(5)
    assert {run.id: store.asked[run.id] for run in runs} == asked
    assert watching() == watching_before + 1  # other servers of this process have their own
    await here.append(runs[0], something())
    await until(lambda: all(len(received) == 2 for received in batches[::5]))
    assert {run.id: store.asked[run.id] for run in runs[1:]} == {run.id: asked[run.id] for run in runs[1:]}
    assert sum(map(len, batches)) == 60
    for one in reading:
        one.cancel()
    await asyncio.gather(*reading, return_exceptions=True)
    assert watching() == watching_before


def watching() -> int:
    """Number of tasks that poll the ends of logs."""
    return sum("LogPoller" in repr(task.get_coro()) for task in asyncio.all_tasks())


@pytest.mark.parametrize("failure", [SetupError("The database does not answer."), RuntimeError("A bug.")])
async def test_a_log_that_cannot_be_read_for_a_while_is_looked_at_again(
    topology_database: Database, data_dir: Path, caplog: pytest.LogCaptureFixture, failure: Exception
) -> None:
    here, store = on_counted_store(
        event_streams(topology_database, data_dir, SilentBus()), topology_database, every_s=0.01
    )
    run = await here.a_run()
    received: list[BusMessage] = []
    reading = asyncio.create_task(collect(here.follow(run), received))
    await until(lambda: bool(received))
    store.fails = failure
    await store.wait_for_polls(3)
    store.fails = None
    await end_run(here.store, run)
    await reading
    assert received == await here.log(run)
    assert "streams.poll_failed" in caplog.text


async def test_trap_78_where_only_the_end_of_an_old_run_is_kept_a_reader_is_told_so(
    database: Database, data_dir: Path, bus: EventBus
) -> None:
    here = event_streams(database, data_dir, bus)
    run = await here.a_run()
    for number in range(5):
        await here.append(run, something(number))
    await end_run(here.store, run)
    while await here.store.prune_events(utc_now() + timedelta(days=8)):
        pass
    for after in (0, 3):
        async with aclosing(here.follow(run, after)) as batches:
            messages = [one async for batch in batches for one in batch]
        assert [one.kind for one in messages] == ["resync", "run_done"]
