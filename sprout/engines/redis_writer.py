"""Redis writer: published messages in batches, one round trip each. What cannot be written is dropped."""

import asyncio
import logging
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sprout.engines.redis_blocks import RedisBlocks
from sprout.engines.redis_outage import Outage
from sprout.engines.redis_server import EXPECTED, Command, execute

if TYPE_CHECKING:
    from redis.asyncio import Redis

log = logging.getLogger(__name__)

BATCH_S = 0.01
BATCH_MAX = 500
MAX_WAITING = 5_000
STREAM_LENGTH = 256  # entries: what a reader may be behind, with a wide margin
STREAM_EXPIRES_S = 60
FLUSH_TIMEOUT_S = 1.0


class RedisWriter:
    """Queue of encoded messages: the first after a silence is sent at once, later ones every `BATCH_S`.

    It is bounded: while Redis is slow the oldest are dropped, while it fails all of them. Readers see the gap.

    Args:
        prefix: of the keys of the streams, one per channel.
    """

    def __init__(self, client: "Redis", prefix: str, blocks: RedisBlocks) -> None:
        self._client = client
        self._prefix = prefix
        self._blocks = blocks
        self._waiting: deque[tuple[str, str]] = deque(maxlen=MAX_WAITING)
        self._woken = asyncio.Event()
        self._outage = Outage("writer")

    def add(self, channel: str, encoded: str) -> None:
        self._waiting.append((channel, encoded))
        self._woken.set()

    def wake(self) -> None:
        """Write changes of blocks that no message goes with."""
        self._woken.set()

    async def run(self) -> None:
        """Write until cancelled."""
        while True:
            try:
                await self._write_forever()
            except Exception as error:  # noqa: BLE001 - logged there; no run fails with its bus
                await self._outage.wait(error)
                self._waiting.clear()  # what is late may be void
                self._blocks.rewrite()
                self._woken.set()

    async def flush(self) -> None:
        """Write what waits, within a bounded time."""
        try:
            async with asyncio.timeout(FLUSH_TIMEOUT_S):
                await self._write_waiting()
        except EXPECTED as error:
            log.warning("redis.not_flushed", extra={"reason": repr(error)})

    async def _write_forever(self) -> None:
        loop, next_s = asyncio.get_running_loop(), 0.0
        while True:
            await self._woken.wait()
            await asyncio.sleep(next_s - loop.time())
            next_s = loop.time() + BATCH_S
            self._woken.clear()
            await self._write_waiting()

    async def _write_waiting(self) -> None:
        while self._waiting or self._blocks.has_pending:
            await self._write_batch()
            self._outage.end()

    async def _write_batch(self) -> None:
        batch = [self._waiting.popleft() for _ in range(min(len(self._waiting), BATCH_MAX))]
        fields = self._blocks.take_pending()
        try:
            # First the text, so that who learns of an event finds the text before it.
            _ = await execute(self._client, [*self._blocks.commands(fields), *self._commands(batch)])
        except BaseException:
            self._blocks.restore(fields)
            self._waiting.extendleft(reversed(batch))
            raise

    def _commands(self, batch: list[tuple[str, str]]) -> Iterator[Command]:
        """One entry per channel, whose fields are numbered."""
        entries: dict[str, list[str]] = {}
        for channel, encoded in batch:
            entries.setdefault(channel, []).append(encoded)
        for channel, messages in entries.items():
            key = self._prefix + channel
            numbered = [part for at, encoded in enumerate(messages) for part in (str(at), encoded)]
            yield "XADD", key, "MAXLEN", "~", STREAM_LENGTH, "*", *numbered
            yield "EXPIRE", key, STREAM_EXPIRES_S
