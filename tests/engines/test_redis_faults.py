"""Redis that is restarted, full, newer or not there: the bus comes back, and nothing raises (scale.md X5, X6)."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from redis.asyncio import Redis

from harness.servers.redis import REDIS_URL, RedisServer, redis_server
from harness.services import require
from sprout.engines.redis_bus import RedisBus, open_redis_bus
from sprout.engines.redis_server import RedisHealth, check_health, connect
from sprout.engines.redis_writer import MAX_WAITING
from sprout.errors import SetupError
from sprout.runs.streaming.bus import EventBus, Overflow, Tail
from tests.engines.bus_contract import GrowingBlock, a_block_end, a_stored_event, receive, texts_in_flight

ENOUGH_S = 20.0


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[RedisServer]:
    require("redis")
    async with redis_server(tmp_path) as server:
        yield server


async def until_live(bus: EventBus, tail: Tail, channel: str) -> None:
    """Publish until the reader of the channel receives again: each side reconnects in its own time."""
    arrived = asyncio.create_task(_next_message(tail))
    async with asyncio.timeout(ENOUGH_S):
        seq = 0
        while not arrived.done():
            seq += 1
            bus.publish(a_stored_event(channel, seq))
            await asyncio.wait([arrived], timeout=0.02)
    await arrived


async def _next_message(tail: Tail) -> None:
    while True:
        try:
            if await tail.receive():
                return
        except Overflow:
            continue


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(ENOUGH_S):
        while not holds():
            await asyncio.sleep(0.005)


async def test_X5_a_reader_learns_that_messages_were_lost_with_redis_and_is_live_again(server: RedisServer) -> None:
    async with open_redis_bus(server.url) as bus, open_redis_bus(server.url) as other, other.tail("a") as tail:
        bus.publish(a_stored_event("a", 1))
        assert await receive(tail, 1) == [a_stored_event("a", 1)]
        await server.kill()
        for seq in range(2, 3 * MAX_WAITING):  # more than any queue holds
            bus.publish(a_stored_event("a", seq))
        async with other.tail("b") as new:  # opened while Redis is down
            await server.start()
            with pytest.raises(Overflow):
                await receive(tail, 1)
            await until_live(bus, tail, "a")
            await until_live(bus, new, "b")


async def test_X5_text_in_flight_is_whole_again_after_redis_has_lost_everything(server: RedisServer) -> None:
    async with open_redis_bus(server.url) as bus, open_redis_bus(server.url) as other, other.tail("a") as tail:
        block, ended = GrowingBlock(bus, "a", "b1"), GrowingBlock(bus, "a", "b2")
        block.grow("Light ")
        ended.grow("Water")
        await receive(tail, 2)
        await server.kill()
        block.grow("first, ")
        assert await texts_in_flight(other, "a") == {}
        bus.publish(a_block_end("a", 1, "b2"))
        await server.start()
        await until_live(bus, tail, "a")
        block.grow("then water.")
        async with asyncio.timeout(ENOUGH_S):
            while await texts_in_flight(other, "a") != {"b1": block.text}:
                await asyncio.sleep(0.005)


async def test_X5_text_in_flight_is_whole_again_after_a_restart_of_redis_between_two_pieces(
    server: RedisServer,
) -> None:
    async with open_redis_bus(server.url) as bus, open_redis_bus(server.url) as other, other.tail("a") as tail:
        block = GrowingBlock(bus, "a", "b1")
        block.grow("Light ")
        await receive(tail, 1)
        await server.kill()
        await server.start()
        block.grow("first.")
        async with asyncio.timeout(ENOUGH_S):
            while await texts_in_flight(other, "a") != {"b1": block.text}:
                await asyncio.sleep(0.005)


async def test_X5_a_block_that_ends_while_redis_is_away_is_not_in_flight_afterwards(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """As after a cut of the network: Redis still has all that it had."""
    require("redis")
    async with redis_server(tmp_path) as server:
        async with open_redis_bus(server.url) as bus, open_redis_bus(server.url) as other, other.tail("a") as tail:
            GrowingBlock(bus, "a", "b1").grow("Light")
            await receive(tail, 1)
            async with Redis.from_url(server.url) as admin:
                await admin.config_set("maxmemory", "1")  # it takes no writes now
                bus.publish(a_block_end("a", 1, "b1"))
                await until(lambda: "redis.lost" in caplog.text)
                await admin.config_set("maxmemory", "0")
            await until_live(bus, tail, "a")
            assert await texts_in_flight(other, "a") == {}


async def test_a_full_redis_loses_messages_and_nothing_else_and_is_used_again_once_it_has_room(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    require("redis")
    async with redis_server(tmp_path, "--maxmemory", "2mb", "--maxmemory-policy", "noeviction") as server:
        async with Redis.from_url(server.url) as admin, open_redis_bus(server.url) as bus, bus.tail("a") as tail:
            await admin.config_set("maxmemory", "1")
            bus.publish(a_stored_event("a", 1))
            await until(lambda: "redis.lost" in caplog.text)
            async with bus.tail("b"):
                assert await bus.snapshots("b") == []
            await admin.config_set("maxmemory", "0")
            await until_live(bus, tail, "a")
    (lost,) = [record for record in caplog.records if record.message == "redis.lost"]
    assert "OutOfMemoryError" in getattr(lost, "reason")  # noqa: B009 - an extra of the log
    assert "agent_start" not in getattr(lost, "reason")  # noqa: B009


async def test_a_bus_starts_on_a_full_redis(tmp_path: Path) -> None:
    require("redis")
    async with redis_server(tmp_path, "--maxmemory", "1", "--maxmemory-policy", "noeviction") as server:
        async with open_redis_bus(server.url) as bus, bus.tail("a") as tail:
            async with Redis.from_url(server.url) as admin:
                await admin.config_set("maxmemory", "0")
            await until_live(bus, tail, "a")


async def test_X6_messages_of_another_version_and_of_unknown_form_are_ignored_with_one_line(
    prefix: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with Redis.from_url(REDIS_URL) as admin, open_redis_bus(REDIS_URL, prefix=prefix) as bus:
        async with bus.tail("a") as tail:
            for _ in range(3):
                await admin.xadd(f"{prefix}:events:a", {"0": '2s{"of":"the future"}', "other": b"\xff\x00"})
            newer = '1s{"root_id":"a","seq":1,"kind":"agent_start","data":"{}","run_id":"a","added":"later"}'
            await admin.xadd(f"{prefix}:events:a", {"0": '1s{"seq":"no number"}', "1": newer})
            foreign = newer.replace('"root_id":"a"', '"root_id":"b"')
            await admin.xadd(f"{prefix}:events:a", {"0": foreign, "1": newer})
            assert await receive(tail, 2) == [a_stored_event("a", 1)] * 2
        await admin.hset(f"{prefix}:text:a", mapping={"1:b1:0": "2e{}"})
        assert await bus.snapshots("a") == []
    lines = [record for record in caplog.records if record.message == "redis.unknown_message"]
    assert len(lines) == 3  # one for each sort
    assert {getattr(line, "kind") for line in lines} == {"2s", "\ufffd\x00", "1s"}  # noqa: B009 - an extra of the log


async def test_what_was_published_last_is_sent_when_a_bus_is_closed(prefix: str) -> None:
    async with open_redis_bus(REDIS_URL, prefix=prefix) as other, other.tail("a") as tail:
        async with open_redis_bus(REDIS_URL, prefix=prefix) as bus:
            bus.publish(a_stored_event("a", 1))
        assert await receive(tail, 1) == [a_stored_event("a", 1)]


async def test_what_redis_keeps_of_a_run_is_bounded_and_expires(prefix: str) -> None:
    async with open_redis_bus(REDIS_URL, prefix=prefix) as bus, bus.tail("a") as tail:
        block = GrowingBlock(bus, "a", "b1")
        for seq in range(1, 1_000):
            bus.publish(a_stored_event("a", seq))
            block.grow("more ")
            await receive(tail, 2)
        async with Redis.from_url(REDIS_URL) as admin:
            assert await admin.xlen(f"{prefix}:events:a") < 500
            assert await admin.hlen(f"{prefix}:text:a") <= 64
            assert all([await admin.ttl(key) > 0 async for key in admin.scan_iter(f"{prefix}:*", count=10_000)])
        assert await texts_in_flight(bus, "a") == {"b1": block.text}


async def test_a_server_that_does_not_answer_or_refuses_the_password_is_told_with_what_to_do(tmp_path: Path) -> None:
    require("redis")
    async with redis_server(tmp_path, "--requirepass", "right") as server:
        for password in ("", ":wrong@"):
            with pytest.raises(SetupError, match="refuses the user or password in REDIS_URL") as refused:
                await opened(server.url.replace("//", f"//{password}"))
            assert "wrong" not in str(refused.value)
        await opened(server.url.replace("//", "//:right@"))
    with pytest.raises(SetupError, match=f"does not answer at 127.0.0.1:{server.port}/0"):
        await opened(server.url)


async def opened(url: str) -> RedisBus:
    async with open_redis_bus(url) as bus:
        return bus


@pytest.mark.parametrize("url", ["http://127.0.0.1", "127.0.0.1:6379", "redis://127.0.0.1:port/0"])
async def test_an_address_that_is_none_of_redis_is_refused(url: str) -> None:
    with pytest.raises(SetupError, match="REDIS_URL must be redis://"):
        await opened(url)


async def test_a_replica_is_refused(server: RedisServer, tmp_path: Path) -> None:
    async with redis_server(tmp_path, "--replicaof", "127.0.0.1", str(server.port)) as replica:
        with pytest.raises(SetupError, match="is a replica, which takes no writes"):
            await opened(replica.url)


@pytest.mark.parametrize(
    ("version", "refused"), [("4.0.14", True), ("5.0.0", False), ("7.0.15", False), ("10.1", False)]
)
def test_a_redis_that_is_too_old_for_streams_is_refused(version: str, refused: bool) -> None:
    health = RedisHealth("here", version, "noeviction", "master")
    assert (health.refusal is not None) is refused
    assert health.refusal is None or "Sprout needs 5.0 or newer" in health.refusal


@pytest.mark.parametrize(
    ("policy", "evicts"),
    [("allkeys-lru", True), ("allkeys-random", True), ("volatile-lru", False), ("noeviction", False)],
)
async def test_a_redis_that_throws_keys_away_is_warned_of(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, policy: str, evicts: bool
) -> None:
    require("redis")
    caplog.set_level(logging.WARNING)
    async with redis_server(tmp_path, "--maxmemory-policy", policy) as server:
        await opened(server.url)
        async with connect(server.url) as client:
            health = await check_health(server.url, client)
    assert health.evicts is evicts
    assert ("redis.advice" in caplog.text) is evicts
