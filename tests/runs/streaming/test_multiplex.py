"""The learner's stream: all root runs over one connection, each without a gap (runs.md V2, V4, V5, B3)."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text

from harness.builders import a_child, a_concept, end_run, start_run
from sprout.events import ReasoningBlock
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.runs.state import Run
from sprout.runs.streaming import multiplex
from sprout.runs.streaming.bus import RUN_ADMITTED, EphemeralEvent, EventBus, learner_channel
from sprout.runs.streaming.multiplex import TaggedEvent
from sprout.store.engine.database import Database, open_database
from tests.runs.streaming.event_streams import (
    EventStreams,
    SilentBus,
    UnreliableBus,
    all_of,
    by_root,
    collect,
    cursors_in,
    event_streams,
    fill_and_end,
    next_of,
    resumed,
    something,
    text_of,
    until,
)

OTHER_USER = "somebody-else"


@pytest.fixture
async def here(topology_url: str, data_dir: Path, bus: EventBus) -> AsyncIterator[EventStreams]:
    """A store whose news goes over the bus; the log is looked at only where news is lost."""
    async with open_database(topology_url) as database:
        yield event_streams(database, data_dir, bus, every_s=3600)


def is_over(received: list[TaggedEvent], run: Run) -> bool:
    return any(one.message.kind == "run_done" and one.message.root_id == run.id for one in received)


async def test_every_unfinished_run_comes_whole_and_new_ones_appear_by_themselves(
    database: Database, data_dir: Path, bus: EventBus
) -> None:
    here = event_streams(database, data_dir, bus, every_s=3600)
    over, one, other = [await here.a_run() for _ in range(3)]
    await end_run(here.store, over)
    received: list[TaggedEvent] = []
    reading = asyncio.create_task(collect(here.follow_all(), received))
    await until(lambda: len(received) == 2)
    new = await here.a_run()
    await fill_and_end(here, [one, other, new], 5)
    await until(lambda: all(is_over(received, run) for run in (one, other, new)))
    last = await here.a_run()
    await until(lambda: received[-1].message.root_id == last.id)
    here.bus.close()
    await reading
    assert received[-1].message.kind == "reconnect"
    assert by_root(received) == {run.id: await here.log(run) for run in (one, other, new, last)}


@pytest.mark.parametrize("how", ["deaf", *range(10)])
async def test_B3_on_a_bus_that_loses_doubles_and_repeats_each_log_is_delivered_once_and_in_order(
    database: Database, data_dir: Path, how: str | int
) -> None:
    here = event_streams(database, data_dir, UnreliableBus(how) if isinstance(how, int) else SilentBus())
    first = await here.a_run()
    received: list[TaggedEvent] = []
    reading = asyncio.create_task(collect(here.follow_all(), received))
    await until(lambda: bool(received))
    runs = [first, await here.a_run(), await here.a_run()]
    await until(lambda: set(by_root(received)) == {run.id for run in runs})
    await fill_and_end(here, runs, 10)
    await until(lambda: all(is_over(received, run) for run in runs))
    here.bus.close()
    await reading
    assert by_root(received) == {run.id: await here.log(run) for run in runs}


async def test_I3_from_every_id_the_stream_goes_on_without_a_gap_or_a_double(here: EventStreams) -> None:
    runs = [await here.a_run() for _ in range(3)]
    received: list[TaggedEvent] = []
    reading = asyncio.create_task(collect(here.follow_all(), received))
    await until(lambda: len(received) == 3)
    await fill_and_end(here, runs[:2], 4)
    await here.append(runs[2], something())
    await until(lambda: is_over(received, runs[1]) and received[-1].message.root_id == runs[2].id)
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)
    whole = by_root(received)
    for cut in range(1, len(received) + 1):
        missing = sum(map(len, whole.values())) - cut
        async with aclosing(here.follow_all(received[cut - 1].cursor)) as batches:
            rest = await next_of(batches, missing) if missing else []
        before, after = by_root(received[:cut]), by_root(rest)
        assert {root: before.get(root, []) + after.get(root, []) for root in whole} == whole, cut


async def test_an_id_names_all_that_has_not_ended_and_a_last_event_its_own_run_too(here: EventStreams) -> None:
    one, other = [await here.a_run() for _ in range(2)]
    async with aclosing(here.follow_all()) as batches:
        received = await next_of(batches, 2)
        assert cursors_in(received[0].cursor) == {one.id: 1, other.id: 0}
        assert cursors_in(received[1].cursor) == {one.id: 1, other.id: 1}
        await end_run(here.store, one)
        [done] = await next_of(batches, 1)
        assert cursors_in(done.cursor) == {one.id: 2, other.id: 1}
        await here.append(other, something())
        [after] = await next_of(batches, 1)
        assert cursors_in(after.cursor) == {other.id: 2}
        await end_run(here.store, other)
        [last] = await next_of(batches, 1)
        assert cursors_in(last.cursor) == {other.id: 3}


async def test_a_run_that_is_named_is_told_to_its_end_also_when_it_has_ended_meanwhile(here: EventStreams) -> None:
    run, known, going = [await here.a_run() for _ in range(3)]
    await fill_and_end(here, [run, known], 3)
    async with aclosing(here.follow_all(f"{run.id}:2,{known.id}:5")) as batches:
        received = await next_of(batches, 4)
    assert by_root(received) == {run.id: (await here.log(run))[2:], going.id: await here.log(going)}


async def test_a_cursor_ahead_of_a_log_starts_that_run_over_and_no_other(here: EventStreams) -> None:
    run, other, over = [await here.a_run() for _ in range(3)]
    await end_run(here.store, over)
    async with aclosing(here.follow_all(f"{run.id}:9,{other.id}:1,{over.id}:{10**17}")) as batches:
        received = await next_of(batches, 5)
    assert {(one.message.kind, one.message.root_id) for one in received} == {
        ("resync", run.id), ("run_started", run.id), ("resync", over.id), ("run_started", over.id),
        ("run_done", over.id),
    }  # fmt: skip


async def test_a_cursor_that_cannot_be_read_starts_every_run_over(here: EventStreams) -> None:
    runs = [await here.a_run() for _ in range(2)]
    async with aclosing(here.follow_all(None)) as batches:
        received = await next_of(batches, 4)
    assert [(one.message.kind, one.message.root_id) for one in received[:2]] == [("resync", run.id) for run in runs]
    assert by_root(received) == {run.id: await here.log(run) for run in runs}


async def test_D13_nothing_of_another_learners_run_is_sent_whatever_the_cursor_says(here: EventStreams) -> None:
    mine, theirs, theirs_over = await here.a_run(), await here.a_run(OTHER_USER), await here.a_run(OTHER_USER)
    await end_run(here.store, theirs_over)
    received: list[TaggedEvent] = []
    cursor = f"{theirs.id}:0,{mine.id}:0,{theirs_over.id}:99,no-such-run:3"
    reading = asyncio.create_task(collect(here.follow_all(cursor), received))
    await until(lambda: bool(received))
    here.bus.publish(EphemeralEvent(learner_channel(DEFAULT_USER_ID), RUN_ADMITTED, theirs.id))
    await here.append(theirs, something())
    await end_run(here.store, theirs)
    await end_run(here.store, mine)
    await until(lambda: is_over(received, mine))
    here.bus.close()
    await reading
    assert {one.message.root_id for one in received} == {mine.id, ""}
    assert all(set(cursors_in(one.cursor)) <= {mine.id} for one in received)


async def test_a_child_run_is_told_in_its_roots_log_and_is_no_run_of_its_own_here(here: EventStreams) -> None:
    run = await here.a_run()
    node = await here.paths.node(run.node_id, user_id=run.user_id)
    child = await start_run(here.store, a_child(run, await a_concept(here.paths, node, "Light")))
    async with aclosing(here.follow_all(f"{child.id}:0")) as batches:
        received = await next_of(batches, 2)
    assert by_root(received) == {run.id: await here.log(run)}
    assert cursors_in(received[-1].cursor) == {run.id: 2}


async def test_a_run_that_is_over_before_it_is_looked_at_is_sent_once_however_often_it_is_announced(
    topology_url: str, data_dir: Path, bus: EventBus
) -> None:
    async with open_database(topology_url) as database:
        here = event_streams(database, data_dir, bus, every_s=3600)
        elsewhere = event_streams(database, data_dir, SilentBus())
        going = await here.a_run()
        received: list[TaggedEvent] = []
        reading = asyncio.create_task(collect(here.follow_all(), received))
        await until(lambda: bool(received))
        short = await elsewhere.a_run()
        await end_run(elsewhere.store, short)
        announced = EphemeralEvent(learner_channel(DEFAULT_USER_ID), RUN_ADMITTED, short.id)
        for _ in range(3):
            here.bus.publish(announced)
        await until(lambda: is_over(received, short))
        here.bus.publish(announced)
        await end_run(here.store, going)
        await until(lambda: is_over(received, going))
        here.bus.close()
        await reading
        assert by_root(received) == {run.id: await here.log(run) for run in (going, short)}


async def test_a_long_log_does_not_keep_the_others_waiting(here: EventStreams) -> None:
    long, short = [await here.a_run() for _ in range(2)]
    await here.append(long, *[something()] * (5 * multiplex.PAGE))
    async with aclosing(here.follow_all()) as batches:
        received = await next_of(batches, 5 * multiplex.PAGE + 2)
    place = next(at for at, one in enumerate(received) if one.message.root_id == short.id)
    assert place == multiplex.PAGE


@pytest.mark.parametrize("events", [multiplex.PAGE - 1, multiplex.PAGE, multiplex.PAGE + 1, 2 * multiplex.PAGE])
async def test_a_run_that_ends_at_the_edge_of_a_page_is_told_whole_and_once(here: EventStreams, events: int) -> None:
    run, going = [await here.a_run() for _ in range(2)]
    await here.append(run, *[something()] * (events - 2))
    await end_run(here.store, run)
    async with aclosing(here.follow_all(f"{run.id}:0")) as batches:
        received = await next_of(batches, events + 1)
        await here.append(going, something())
        received += await next_of(batches, 1)
    assert by_root(received) == {one.id: await here.log(one) for one in (run, going)}
    assert len(by_root(received)[run.id]) == events


async def test_V2_text_in_flight_of_every_run_comes_from_its_start_and_a_resume_voids_it(here: EventStreams) -> None:
    one, other = [await here.a_run() for _ in range(2)]
    here.publish_delta(one, "b1", "Light ")
    here.publish_delta(other, "b2", "Water ")
    async with aclosing(here.follow_all()) as batches:
        received = await next_of(batches, 4)
        here.publish_delta(one, "b1", "first.")
        await here.append(other, resumed(other.epoch))
        here.publish_delta(replace(other, epoch=other.epoch + 1), "b2", "Anew.")
        received += await next_of(batches, 3)
    assert text_of([one_.message for one_ in received if one_.message.root_id == one.id], "b1") == "Light first."
    assert text_of([one_.message for one_ in received if one_.message.root_id == other.id], "b2") == "Anew."
    assert {one_.cursor for one_ in received if "delta" in one_.message.kind or "snapshot" in one_.message.kind} == {""}


async def test_V5_a_reader_that_falls_behind_reads_the_logs_and_goes_on(
    topology_url: str, data_dir: Path, narrow_bus: EventBus
) -> None:
    async with open_database(topology_url) as database:
        here = event_streams(database, data_dir, narrow_bus, every_s=3600)
        runs = [await here.a_run() for _ in range(2)]
        async with aclosing(here.follow_all()) as batches:
            received = await next_of(batches, 2)
            new = await here.a_run()
            for run in (*runs, new):
                await here.append(run, *[something()] * 20, ReasoningBlock(block_id="b", text="whole"))
            received += await next_of(batches, 64)
        assert by_root(received) == {run.id: await here.log(run) for run in (*runs, new)}


async def test_D9_a_stream_that_is_too_old_says_reconnect_for_no_run(
    topology_url: str, data_dir: Path, bus: EventBus
) -> None:
    async with open_database(topology_url) as database:
        here = event_streams(database, data_dir, bus, life_s=0.5)
        run = await here.a_run()
        received = await all_of(here.follow_all())
        assert by_root(received) == {run.id: await here.log(run)}
    assert (received[-1].message.kind, received[-1].message.root_id, received[-1].cursor) == ("reconnect", "", "")
    assert 1_000 <= json.loads(received[-1].message.data)["retryMs"] < 2_000


async def test_D10_a_run_that_is_deleted_leaves_the_stream_and_the_ids(
    topology_url: str, data_dir: Path, bus: EventBus
) -> None:
    async with open_database(topology_url) as database:
        here = event_streams(database, data_dir, bus)
        gone, stays = [await here.a_run() for _ in range(2)]
        async with aclosing(here.follow_all()) as batches:
            await next_of(batches, 2)
            statement = text("delete from runs where id = :id").bindparams(id=gone.id)
            await database.write_tx(lambda write: write.connection.execute(statement))

            async def cursor_now() -> dict[str, int]:
                await here.append(stays, something())
                return cursors_in((await next_of(batches, 1))[-1].cursor)

            async with asyncio.timeout(20):
                while gone.id in await cursor_now():
                    await asyncio.sleep(0)
            assert set(await cursor_now()) == {stays.id}
