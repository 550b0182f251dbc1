"""Limits of a learner that all processes share, in Redis: token buckets, and the number of open streams."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from sprout.engines.redis_server import EXPECTED, TIMEOUT_S
from sprout.ids import new_id
from sprout.runs.cancellation import end_tasks, raise_if_cancelled

if TYPE_CHECKING:
    from redis.asyncio import Redis

log = logging.getLogger(__name__)

EXPIRY_S = 60
RENEWAL_S = 20.0
# KEYS: bucket; ARGV: tokens per second, tokens that it holds. Replies with 0, or the microseconds until it has one.
_TAKE = """
local per_s, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = tonumber(time[1]) + tonumber(time[2]) / 1e6
local tokens, at = unpack(redis.call('HMGET', KEYS[1], 'tokens', 'at'))
tokens = math.min(burst, (tonumber(tokens) or burst) + (now - (tonumber(at) or now)) * per_s)
if tokens < 1 then return math.ceil((1 - tokens) / per_s * 1e6) end
redis.call('HSET', KEYS[1], 'tokens', tostring(tokens - 1), 'at', string.format('%.6f', now))
redis.call('EXPIRE', KEYS[1], math.ceil(burst / per_s) + 1)
return 0
"""
# KEYS: streams (zset: stream -> time when it is given up); ARGV: the number of seconds until then, streams to renew.
_RENEW = """
local now = tonumber(redis.call('TIME')[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
for at = 2, #ARGV do redis.call('ZADD', KEYS[1], now + tonumber(ARGV[1]), ARGV[at]) end
redis.call('EXPIRE', KEYS[1], ARGV[1])
return redis.call('ZCARD', KEYS[1])
"""


class RedisBuckets:
    """Token buckets. While Redis is away, those of the process are used instead.

    Args:
        meanwhile: takes a token of a bucket of the process, in the form of `take`.
        prefix: begins the names of the keys.
    """

    def __init__(
        self, redis: "Redis", meanwhile: Callable[[str, float, int], Awaitable[float]], *, prefix: str = "sprout:rate"
    ) -> None:
        self._script = redis.register_script(_TAKE)
        self._meanwhile = meanwhile
        self._prefix = prefix

    async def take(self, name: str, per_s: float, burst: int) -> float:
        """Take a token of this bucket, which gets `per_s` tokens and holds `burst`: 0, or seconds until it has one."""
        try:
            async with asyncio.timeout(TIMEOUT_S):
                wait_us = await self._script(keys=[f"{self._prefix}:{name}"], args=[per_s, burst])
        except EXPECTED as error:
            log.warning("rate_limit.alone", extra={"reason": str(error)})
            return await self._meanwhile(name, per_s, burst)
        return int(wait_us) / 1e6


class RedisStreamCounter:
    """Open streams by name. A process that is gone stops renewing its own, so that they do not count for long.

    While Redis is away, those of the process are counted.
    """

    def __init__(self, redis: "Redis", *, prefix: str = "sprout:streams") -> None:
        self._redis = redis
        self._script = redis.register_script(_RENEW)
        self._prefix = prefix
        self._open: dict[str, set[str]] = {}  # those of this process

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Renew the streams of this process while this is open."""
        renewing = asyncio.create_task(self._renew_all())
        try:
            yield
        finally:
            await end_tasks([renewing])

    async def count(self, name: str) -> int:
        """The number of open streams in all processes."""
        return await self._renew(name)

    @asynccontextmanager
    async def track(self, name: str) -> AsyncIterator[None]:
        """Count a stream as open inside the block."""
        stream = new_id()
        self._open.setdefault(name, set()).add(stream)
        try:
            await self._renew(name)
            yield
        finally:
            self._open[name].discard(stream)
            if not self._open[name]:
                del self._open[name]
            await asyncio.shield(self._remove(name, stream))

    async def _renew_all(self) -> None:
        while True:
            await asyncio.sleep(RENEWAL_S)
            for name in list(self._open):
                await self._renew(name)
                raise_if_cancelled()

    async def _renew(self, name: str) -> int:
        own = sorted(self._open.get(name, ()))
        try:
            async with asyncio.timeout(TIMEOUT_S):
                return int(await self._script(keys=[f"{self._prefix}:{name}"], args=[EXPIRY_S, *own]))
        except EXPECTED as error:
            log.warning("streams.counted_alone", extra={"reason": str(error)})
            return len(own)

    async def _remove(self, name: str, stream: str) -> None:
        try:
            async with asyncio.timeout(TIMEOUT_S):
                await self._redis.zrem(f"{self._prefix}:{name}", stream)
        except EXPECTED as error:
            log.warning("streams.counted_alone", extra={"reason": str(error)})
