"""Streams that any process serves: log, text in flight, then the tail, wherever the run is (scale.md X4, X5)."""

import asyncio
import random
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest

from harness.builders import end_run
from harness.servers.redis import REDIS_URL, redis_prefix, redis_server
from harness.services import require
from sprout.engines.redis_bus import open_redis_bus
from sprout.events import ReasoningBlock
from sprout.runs.state import Run
from sprout.runs.streaming.bus import BusMessage
from sprout.store.engine.database import Database, open_database
from tests.runs.streaming.event_streams import (
    ENOUGH_S,
    EventStreams,
    all_of,
    collect,
    event_streams,
    next_of,
    resumed,
    something,
    stored_events,
    text_of,
)

SEEDS = range(8)
BLOCKS = 6


@pytest.fixture
async def database_of_two(topology_url: str) -> AsyncIterator[Database]:
    async with open_database(topology_url) as database:
        yield database


async def write_blocks(here: EventStreams, run: Run, chance: random.Random) -> dict[str, str]:
    """Write some blocks in pieces of any size, stored when they are whole, and end the run; their texts."""
    texts: dict[str, str] = {}
    for number in range(BLOCKS):
        block_id, text = f"b{number}", ""
        for piece in range(chance.randrange(1, 150)):
            words = f"{number}.{piece} 🌱wörds"[: chance.randrange(1, 14)]
            here.publish_delta(run, block_id, words)
            text += words
            if chance.random() < 0.5:
                await asyncio.sleep(0.001)
        await here.append(run, ReasoningBlock(block_id=block_id, text=text), something(number))
        texts[block_id] = text
    await end_run(here.store, run)
    return texts


@pytest.mark.parametrize("seed", SEEDS)
async def test_X4_a_stream_that_moves_in_the_middle_of_a_word_loses_and_doubles_nothing(
    database_of_two: Database, data_dir: Path, seed: int
) -> None:
    require("redis")
    chance = random.Random(seed)
    async with redis_prefix() as prefix:
        async with (
            open_redis_bus(REDIS_URL, prefix=prefix) as of_worker,
            open_redis_bus(REDIS_URL, prefix=prefix) as one,
            open_redis_bus(REDIS_URL, prefix=prefix) as another,
        ):
            worker = event_streams(database_of_two, data_dir, of_worker, every_s=3600)
            webs = [replace(worker, bus=bus) for bus in (one, another)]
            run = await worker.a_run()
            writing = asyncio.create_task(write_blocks(worker, run, chance))
            messages: list[BusMessage] = []
            moves = 0
            while not any(message.kind == "run_done" for message in messages):
                stored = stored_events(messages)
                async with aclosing(webs[moves % 2].follow(run, stored[-1].seq if stored else 0)) as batches:
                    async with asyncio.timeout(ENOUGH_S):
                        most = len(messages) + chance.randrange(1, 25)
                        async for batch in batches:
                            messages += batch
                            if len(messages) >= most:
                                break
                moves += 1
            texts = await writing
    assert moves > 3
    assert stored_events(messages) == await worker.log(run)
    for block_id, text in texts.items():
        of_block = [one_ for one_ in messages if f'"{block_id}"' in one_.data]
        for length in range(len(of_block) + 1):
            assert text.startswith(text_of(of_block[:length], block_id) or "")
        assert text_of(of_block, block_id) == text


async def test_X5_a_stream_reads_the_log_while_redis_is_away_and_is_live_afterwards(
    database_of_two: Database, data_dir: Path, tmp_path: Path
) -> None:
    require("redis")
    async with redis_server(tmp_path) as server:
        async with open_redis_bus(server.url) as of_worker, open_redis_bus(server.url) as of_web:
            worker = event_streams(database_of_two, data_dir, of_worker, every_s=0.05)
            web = replace(worker, bus=of_web)
            run = await worker.a_run()
            received: list[BusMessage] = []
            reading = asyncio.create_task(collect(web.follow(run), received))
            worker.publish_delta(run, "b1", "Light ")
            await server.kill()
            await worker.append(run, *[something()] * 20)
            await received_until(received, seq=21)
            worker.publish_delta(run, "b1", "first, ")
            late = asyncio.create_task(next_of(web.follow(run), 21))
            assert stored_events(await late) == await worker.log(run)
            await server.start()
            async with asyncio.timeout(ENOUGH_S):
                number = 0
                while "first, " not in (text_of(received, "b1") or ""):
                    worker.publish_delta(run, "b1", f"{number} ")
                    number += 1
                    await asyncio.sleep(0.01)
            await end_run(worker.store, run)
            await reading
    assert stored_events(received) == await worker.log(run)
    whole = "Light first, " + "".join(f"{one} " for one in range(number))
    assert whole.startswith(text_of(received, "b1") or "-")


async def received_until(received: list[BusMessage], *, seq: int) -> None:
    async with asyncio.timeout(ENOUGH_S):
        while all(one.seq < seq for one in stored_events(received)):
            await asyncio.sleep(0.005)


async def test_X5_text_of_a_killed_worker_is_not_shown_once_its_run_goes_on_elsewhere(
    database_of_two: Database, data_dir: Path
) -> None:
    require("redis")
    async with redis_prefix() as prefix, open_redis_bus(REDIS_URL, prefix=prefix) as bus:
        here = event_streams(database_of_two, data_dir, bus, every_s=3600)
        run = await here.a_run()
        worker = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "harness.servers.text_publisher", REDIS_URL, prefix, run.id, stdin=PIPE, stdout=PIPE
        )
        assert worker.stdin is not None
        assert worker.stdout is not None
        async with aclosing(here.follow(run)) as batches:
            early: list[BusMessage] = await next_of(batches, 1)
            for _ in range(70):
                worker.stdin.write(b"\n")
                written = int(await worker.stdout.readline())
            while len(text_of(early, "b1") or "") < written:
                early += await next_of(batches, 1)
            worker.kill()
            await worker.wait()
            async with aclosing(here.follow(run)) as late:
                orphaned = await next_of(late, 2)
            await here.append(run, resumed(run.epoch))
            early += await next_of(batches, 1)
            async with aclosing(here.follow(run)) as late:
                resumed_messages = await next_of(late, 2)
            here.publish_delta(replace(run, epoch=run.epoch + 1), "b2", "Anew.")
            early += await next_of(batches, 1)
            await end_run(here.store, run)
            early += await all_of(batches)
    assert text_of(orphaned, "b1") == text_of(early[:-3], "b1")
    assert [one.kind for one in resumed_messages] == ["run_started", "run_resumed"]
    assert [one.kind for one in early[-3:]] == ["run_resumed", "agent_reasoning_delta", "run_done"]
    assert text_of(early, "b1") is None
