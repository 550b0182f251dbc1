"""Limits of a learner that all processes share (scale.md)."""

import asyncio

import pytest
from redis.asyncio import Redis

from sprout.engines.redis_limits import RedisBuckets, RedisStreamCounter
from sprout.engines.redis_server import connect
from sprout.web.http.open_streams import OpenStreams, StreamClient, TooManyStreams
from sprout.web.http.rate_limits import LocalBuckets

NOWHERE = "redis://127.0.0.1:1"


async def test_a_burst_is_let_through_once_for_all_processes_and_refills_at_its_rate(redis: Redis, prefix: str) -> None:
    here, there = (RedisBuckets(redis, LocalBuckets().take, prefix=prefix) for _ in range(2))
    waits = await asyncio.gather(*(at.take("runs:ann", 0.001, 5) for at in (here, there) * 4))
    assert sorted(waits)[:5] == [0] * 5
    assert all(999 < wait <= 1_000 for wait in sorted(waits)[5:])
    assert await there.take("runs:bob", 0.001, 5) == 0
    await redis.hincrbyfloat(f"{prefix}:runs:ann", "at", -500)
    assert 499 < await here.take("runs:ann", 0.001, 5) <= 500
    await redis.hincrbyfloat(f"{prefix}:runs:ann", "at", -1_000_000)
    assert [await here.take("runs:ann", 0.001, 5) for _ in range(5)] == [0] * 5, "no more than a burst is saved up"
    assert await here.take("runs:ann", 0.001, 5) > 0


async def test_a_bucket_that_is_full_again_is_forgotten(redis: Redis, prefix: str) -> None:
    await RedisBuckets(redis, LocalBuckets().take, prefix=prefix).take("runs:ann", 2, 10)
    assert 5 <= await redis.ttl(f"{prefix}:runs:ann") <= 6


async def test_while_redis_is_away_a_process_goes_by_its_own_buckets() -> None:
    async with connect(NOWHERE) as nowhere:
        buckets = RedisBuckets(nowhere, LocalBuckets().take)
        assert [await buckets.take("runs:ann", 0.001, 2) > 0 for _ in range(3)] == [False, False, True]


async def test_the_streams_of_a_learner_are_counted_in_all_processes(redis: Redis, prefix: str) -> None:
    here, there = (OpenStreams(learners=RedisStreamCounter(redis, prefix=prefix)) for _ in range(2))
    ann = StreamClient("ann", "10.0.0.1", per_learner=2, per_address=9)
    async with here.track(ann):
        async with there.track(ann):
            for streams in (here, there):
                with pytest.raises(TooManyStreams):
                    await streams.check_room(ann)
            await here.check_room(StreamClient("bob", "10.0.0.1", per_learner=2, per_address=9))
            assert (here.count, there.count) == (1, 1)
        await here.check_room(ann)
    assert await redis.exists(f"{prefix}:ann") == 0


async def test_streams_of_a_process_that_is_gone_count_no_longer(redis: Redis, prefix: str) -> None:
    time_s, _ = await redis.time()
    await redis.zadd(f"{prefix}:ann", {"of the dead": time_s - 1, "of the living": time_s + 50})
    counter = RedisStreamCounter(redis, prefix=prefix)
    async with counter.running():
        assert await counter.count("ann") == 1


async def test_while_redis_is_away_the_streams_of_the_process_are_counted() -> None:
    async with connect(NOWHERE) as nowhere:
        counter = RedisStreamCounter(nowhere)
        async with counter.track("ann"), counter.track("ann"):
            assert (await counter.count("ann"), await counter.count("bob")) == (2, 0)
        assert await counter.count("ann") == 0
