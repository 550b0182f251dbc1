"""Following one run: whatever the news does, each event of the log once and in order (runs.md V1, V2, V5, B3)."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from sprout.clock import utc_now
from sprout.engines.memory_bus import MemoryBus
from sprout.errors import SetupError
from sprout.events import Reasoning
from sprout.runs.bus import News, Passing
from sprout.runs.log import Logged
from sprout.runs.root_reader import WHOLE_REMEMBERED, RootReader
from sprout.store.database import Database, open_database
from tests.builders import a_thought, ended
from tests.runs.streaming import (
    Deaf,
    Unreliable,
    all_of,
    collect,
    logged,
    next_of,
    on_counted_store,
    resumed,
    something,
    streams,
    text_of,
    until,
)


@pytest.fixture
async def sqlite_database(sqlite_url: str) -> AsyncIterator[Database]:
    async with open_database(sqlite_url) as database:
        yield database


def delta(text_: str, offset: int, block_id: str = "b1") -> Passing:
    return Passing("r", "message_delta", json.dumps({"runId": "r", "blockId": block_id, "text": text_}), block_id,
                   offset, len(text_))  # fmt: skip


def an_event(seq: int, kind: str = "guardrail", data: str = "{}") -> Logged:
    return Logged("r", seq, kind, data)


async def test_B3_a_follower_whose_bus_tells_nothing_reaches_the_end_by_the_log(
    database: Database, data_dir: Path
) -> None:
    here = streams(database, data_dir, Deaf())
    run = await here.a_run()
    async with aclosing(here.follow(run)) as batches:
        first = await next_of(batches, 1)
        await here.say(run, *[something()] * 20)
        more = await next_of(batches, 20)
        await ended(here.store, run)
        rest = await all_of(batches)
    assert [*first, *more, *rest] == await here.log(run)


async def test_B3_a_follower_outlives_the_process_that_carries_the_run(database: Database, data_dir: Path) -> None:
    carrier, server = (streams(database, data_dir, MemoryBus()) for _ in range(2))
    run = await carrier.a_run()
    async with aclosing(server.follow(run)) as batches:
        first = await next_of(batches, 1)
        carrier.grow(run, "b1", "words of the carrier that dies")
        taker = streams(database, data_dir, MemoryBus())
        await taker.say(run, resumed(), Reasoning(block_id="b2", text="whole"))
        await ended(taker.store, run)
        rest = await all_of(batches)
    assert [*first, *rest] == await server.log(run)


@pytest.mark.parametrize("seed", range(20))
async def test_B3_news_that_is_lost_doubled_and_late_is_told_once_and_in_order(
    sqlite_database: Database, data_dir: Path, seed: int
) -> None:
    here = streams(sqlite_database, data_dir, Unreliable(seed))
    run = await here.a_run()
    reading = asyncio.create_task(all_of(here.follow(run)))
    for number in range(40):
        here.grow(run, f"b{number}", "some ")
        here.grow(run, f"b{number}", "words, ")
        await asyncio.sleep(0)
        here.grow(run, f"b{number}", "🌱")
        if number % 3:
            await here.say(run, Reasoning(block_id=f"b{number}", text="some words, 🌱"), something(number))
            here.flights.landed(run.root_id, f"b{number}")
    await ended(here.store, run)
    news = await reading
    assert logged(news) == await here.log(run)
    for number in range(40):
        of_block = [one for one in news if f'"b{number}"' in one.data]
        for length in range(len(of_block) + 1):
            assert "some words, 🌱".startswith(text_of(of_block[:length], f"b{number}") or "")


async def test_V2_text_in_flight_comes_from_its_start_and_goes_on_where_it_stopped(
    sqlite_database: Database, data_dir: Path
) -> None:
    here = streams(sqlite_database, data_dir, MemoryBus())
    run = await here.a_run()
    here.grow(run, "b1", "Light ")
    async with aclosing(here.follow(run)) as batches:
        news = await next_of(batches, 2)
        here.grow(run, "b1", "first.")
        news += await next_of(batches, 1)
        assert [one.kind for one in news] == ["run_started", "block_snapshot", "agent_reasoning_delta"]
        assert text_of(news, "b1") == "Light first."


def test_text_that_was_lost_on_the_way_is_not_patched_over() -> None:
    reader = RootReader("r", cursor=0)
    assert reader.unseen([delta("Light ", 0), delta("first.", 9)]) == [delta("Light ", 0)]
    assert reader.torn == {"b1"}
    snapshot = Passing("r", "block_snapshot", '{"runId":"r","blockId":"b1"}', "b1", 15)
    assert reader.mended([snapshot]) == [snapshot]
    assert (reader.torn, reader.unseen([delta("!", 15)])) == (set(), [delta("!", 15)])


def test_a_delta_that_comes_twice_is_told_once() -> None:
    reader = RootReader("r", cursor=0)
    assert reader.unseen([delta("a", 0), delta("a", 0), delta("b", 1), delta("a", 0)]) == [delta("a", 0), delta("b", 1)]


def test_a_late_delta_of_a_block_that_the_log_has_whole_is_not_told() -> None:
    reader = RootReader("r", cursor=0)
    whole = an_event(1, "message", '{"runId":"r","blockId":"b1","text":"\\"blockId\\":\\"b2\\""}')
    assert reader.unseen([whole, delta("a", 0), delta("b", 0, "b2")]) == [whole, delta("b", 0, "b2")]


def test_what_a_reader_remembers_of_whole_blocks_is_bounded() -> None:
    reader = RootReader("r", cursor=0)
    for seq in range(1, 10 * WHOLE_REMEMBERED):
        reader.unseen([delta("a", 0, f"b{seq}"), an_event(seq, "message", f'{{"blockId":"b{seq}"}}')])
    assert len(reader._whole) == WHOLE_REMEMBERED
    assert not reader._told


@pytest.mark.parametrize(("batch", "hole"), [((1, 2), False), ((3, 2, 1), True), ((1, 3), True), ((0, 1, 1, 2), False),
                                             ((2,), True), ((), False), ((0,), False)])  # fmt: skip
def test_B3_a_hole_is_seen_wherever_it_is(batch: Sequence[int], hole: bool) -> None:
    assert RootReader("r", cursor=0).misses_some([an_event(seq) for seq in batch]) is hole


def test_B5_nothing_is_told_after_the_end() -> None:
    reader = RootReader("r", cursor=0)
    assert reader.unseen([an_event(1, "run_done"), an_event(2), delta("a", 0)]) == [an_event(1, "run_done")]


async def test_after_a_resume_a_block_may_grow_anew_under_the_same_id(
    sqlite_database: Database, data_dir: Path
) -> None:
    here = streams(sqlite_database, data_dir, MemoryBus())
    run = await here.a_run()
    here.grow(run, "b1", "Words of a carrier that dies. ")
    async with aclosing(here.follow(run)) as batches:
        news: list[News] = await next_of(batches, 2)
        here.flights.landed(run.root_id, "b1")
        await here.say(run, resumed())
        here.bus.publish(
            Passing(run.root_id, "agent_reasoning_delta", '{"blockId":"b1","text":"And its ghost."}', "b1", 30, 14)
        )
        here.grow(run, "b1", "Light first.")
        news += await next_of(batches, 2)
    assert [one.kind for one in news[2:]] == ["run_resumed", "agent_reasoning_delta"]
    assert text_of(news, "b1") == "Light first."


async def test_D9_a_stream_that_is_too_old_says_reconnect_each_after_another_while(
    sqlite_database: Database, data_dir: Path
) -> None:
    here = streams(sqlite_database, data_dir, MemoryBus(), life_s=0.1)
    run = await here.a_run()
    ends = await asyncio.gather(*(all_of(here.follow(run)) for _ in range(20)))
    assert {news[-1].kind for news in ends} == {"reconnect"}
    whole = await here.log(run)
    assert all(logged(news) == whole for news in ends)
    waits_ms = {json.loads(news[-1].data)["retryMs"] for news in ends}
    assert len(waits_ms) > 10
    assert all(1_000 <= wait_ms < 2_000 for wait_ms in waits_ms)


async def test_D10_the_stream_of_a_run_that_is_deleted_ends(database: Database, data_dir: Path) -> None:
    here = streams(database, data_dir, MemoryBus())
    run = await here.a_run()
    async with aclosing(here.follow(run)) as batches:
        await next_of(batches, 1)
        await database.write(lambda write: write.connection.execute(text("delete from runs")))
        assert [one.kind for one in await all_of(batches)] == ["reconnect"]


@pytest.mark.parametrize("cursor", [-1, 3, 10**18])
async def test_B3_a_cursor_that_the_log_does_not_have_is_told_to_start_over(
    database: Database, data_dir: Path, cursor: int
) -> None:
    here = streams(database, data_dir, MemoryBus())
    run = await here.a_run()
    await ended(here.store, run)
    news = await all_of(here.follow(run, cursor))
    assert [one.kind for one in news] == ["resync", "run_started", "run_done"]


async def test_a_reader_who_has_all_of_a_run_that_is_over_is_not_kept_waiting(
    database: Database, data_dir: Path
) -> None:
    here = streams(database, data_dir, MemoryBus())
    run = await here.a_run()
    await ended(here.store, run)
    assert await all_of(here.follow(run, after=2)) == []


async def test_V5_a_reader_that_falls_behind_reads_the_log_and_goes_on(
    sqlite_database: Database, data_dir: Path
) -> None:
    here = streams(sqlite_database, data_dir, MemoryBus(max_waiting=5), every_s=3600)
    run = await here.a_run()
    async with aclosing(here.follow(run)) as batches:
        news = await next_of(batches, 1)
        await here.say(run, *[something()] * 50)
        news += await next_of(batches, 50)
        await here.say(run, a_thought())
        news += await next_of(batches, 1)
    assert news == await here.log(run)


async def test_one_look_serves_all_streams_of_the_process_and_reads_no_log_that_has_not_grown(
    sqlite_database: Database, data_dir: Path
) -> None:
    here, store = on_counted_store(streams(sqlite_database, data_dir, Deaf()), sqlite_database, every_s=0.01)
    runs = [await here.a_run() for _ in range(5)]
    watching_before = watching()
    told: list[list[News]] = [[] for _ in range(50)]
    reading = [asyncio.create_task(collect(here.follow(runs[at % 5]), into)) for at, into in enumerate(told)]
    await until(lambda: all(told))
    await store.looks(3)
    asked = {run.id: store.asked[run.id] for run in runs}
    await store.looks(5)
    assert {run.id: store.asked[run.id] for run in runs} == asked
    assert watching() == watching_before + 1  # other servers of this process have their own
    await here.say(runs[0], something())
    await until(lambda: all(len(news) == 2 for news in told[::5]))
    assert {run.id: store.asked[run.id] for run in runs[1:]} == {run.id: asked[run.id] for run in runs[1:]}
    assert sum(map(len, told)) == 60
    for one in reading:
        one.cancel()
    await asyncio.gather(*reading, return_exceptions=True)
    assert watching() == watching_before


def watching() -> int:
    """How many tasks look for streams at the ends of logs."""
    return sum("LogWatch" in repr(task.get_coro()) for task in asyncio.all_tasks())


@pytest.mark.parametrize("failure", [SetupError("The database does not answer."), RuntimeError("A bug.")])
async def test_a_log_that_cannot_be_read_for_a_while_is_looked_at_again(
    sqlite_database: Database, data_dir: Path, caplog: pytest.LogCaptureFixture, failure: Exception
) -> None:
    here, store = on_counted_store(streams(sqlite_database, data_dir, Deaf()), sqlite_database, every_s=0.01)
    run = await here.a_run()
    told: list[News] = []
    reading = asyncio.create_task(collect(here.follow(run), told))
    await until(lambda: bool(told))
    store.fails = failure
    await store.looks(3)
    store.fails = None
    await ended(here.store, run)
    await reading
    assert told == await here.log(run)
    assert "streams.log_not_read" in caplog.text


async def test_trap_78_where_only_the_end_of_an_old_run_is_kept_a_reader_is_told_so(
    database: Database, data_dir: Path
) -> None:
    here = streams(database, data_dir, MemoryBus())
    run = await here.a_run()
    for number in range(5):
        await here.say(run, something(number))
    await ended(here.store, run)
    while await here.store.trim(utc_now() + timedelta(seconds=1)):
        pass
    for after in (0, 3):
        async with aclosing(here.follow(run, after)) as batches:
            news = [one async for batch in batches for one in batch]
        assert [one.kind for one in news] == ["resync", "run_done"]
