"""The EventBus of many processes: Redis Streams for the live tail, hashes for the blocks in flight."""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING

from sprout.engines.fan_out import MAX_WAITING, FanOut
from sprout.engines.redis_blocks import RedisBlocks
from sprout.engines.redis_messages import UnknownMessage, decode, encode
from sprout.engines.redis_reader import RedisReader
from sprout.engines.redis_server import EXPECTED, check_health, connect, translate_errors
from sprout.engines.redis_writer import RedisWriter
from sprout.ids import new_id
from sprout.runs.cancellation import end_tasks
from sprout.runs.run_store import StoredEvent
from sprout.runs.streaming.bus import BusMessage, EphemeralEvent, Tail

if TYPE_CHECKING:
    from redis.asyncio import Redis

log = logging.getLogger(__name__)

PREFIX = "sprout"
WAKE_KIND = "wake"
MAX_TAGS = 100


@asynccontextmanager
async def open_redis_bus(
    url: str, *, prefix: str = PREFIX, max_waiting: int = MAX_WAITING
) -> AsyncIterator["RedisBus"]:
    """A bus on this server, whose last messages are sent on exit.

    Raises SetupError, with what to do; ServiceNotReady: the server does not answer yet.

    Args:
        prefix: of all keys.
        max_waiting: how many messages a reader may be behind.
    """
    client = connect(url)
    reading = connect(url, connections=1, retries=0)
    blocks = RedisBlocks(prefix)
    writing = connect(url, connections=1, on_connect=blocks.rewrite)  # a Redis that was away may have come back empty
    async with client, reading, writing:
        health = await check_health(url, client)
        if health.advice is not None:
            log.warning("redis.advice", extra={"reason": health.advice})
        bus = RedisBus(client, reading, RedisWriter(writing, f"{prefix}:events:", blocks), blocks, prefix, max_waiting)
        with translate_errors(url):
            await bus.connect()
        async with bus.running():
            yield bus


class RedisBus:
    """A writer for what this process publishes, and a reader for the channels of its subscribers."""

    def __init__(
        self,
        client: "Redis",
        reading: "Redis",
        writer: RedisWriter,
        blocks: RedisBlocks,
        prefix: str,
        max_waiting: int,
    ) -> None:
        self._client = client
        self._blocks, self._writer = blocks, writer
        self._own_channel = f"process:{new_id()}"
        self._readers = FanOut(max_waiting=max_waiting, subscribe=self._subscribe)
        self._reader = RedisReader(
            client,
            reading,
            f"{prefix}:events:",
            own_channel=self._own_channel,
            channels=lambda: self._readers.channels,
            deliver=self._deliver,
            on_gap=self._readers.overflow,
        )
        self._unknown_tags: set[str] = set()

    def publish(self, message: BusMessage) -> None:
        encoded = encode(message)
        self._blocks.apply(message, encoded)
        self._writer.add(message.root_id, encoded)

    async def snapshots(self, root_id: str) -> Sequence[EphemeralEvent]:
        if not self._reader.connected:
            return ()
        try:
            return await self._blocks.snapshots(self._client, root_id)
        except EXPECTED as error:
            log.warning("redis.no_snapshots", extra={"root": root_id, "reason": repr(error)})
            return ()

    def drop_blocks(self, root_id: str, run_id: str) -> None:
        self._blocks.drop_run(root_id, run_id)
        self._writer.wake()

    def recent(self, root_id: str, cursor: int) -> Sequence[StoredEvent]:
        """None: another process may have published newer ones."""
        return ()

    def tail(self, channel: str) -> AbstractAsyncContextManager[Tail]:
        return self._readers.tail(channel)

    def close(self) -> None:
        self._readers.close()

    async def connect(self) -> None:
        """Find the end of every stream. Raises RedisError, OSError: the server is gone again."""
        await self._reader.connect()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Write and read within this block."""
        tasks = [asyncio.create_task(self._writer.run()), asyncio.create_task(self._reader.run())]
        try:
            yield
        finally:
            await end_tasks(tasks)
            await self._writer.flush()

    async def _subscribe(self, channel: str) -> None:
        if await self._reader.subscribe(channel):
            self.publish(EphemeralEvent(self._own_channel, WAKE_KIND, ""))

    def _deliver(self, channel: str, encoded: Iterable[str]) -> None:
        messages: list[BusMessage] = []
        for one in encoded:
            try:
                message = decode(one)
                if message.root_id != channel:
                    raise UnknownMessage(one)
                messages.append(message)
            except UnknownMessage as unknown:
                self._report_unknown(unknown)
        self._readers.deliver(channel, messages)

    def _report_unknown(self, unknown: UnknownMessage) -> None:
        """Log the first message of each unknown tag: a newer version may send many."""
        if unknown.tag not in self._unknown_tags and len(self._unknown_tags) < MAX_TAGS:
            self._unknown_tags.add(unknown.tag)
            log.warning("redis.unknown_message", extra={"kind": unknown.tag})
