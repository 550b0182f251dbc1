"""Redis reader: one connection that reads the streams of all subscribed channels of the process."""

import asyncio
from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING

from sprout.engines.redis_outage import Outage
from sprout.engines.redis_server import EXPECTED, TIMEOUT_S, Command, execute

if TYPE_CHECKING:
    from redis.asyncio import Redis

BLOCK_MS = 2_000
PACE_S = 20e-6  # of rest for each stream between two reads, whose cost grows with the streams
START = "0-0"


class RedisReader:
    """Position in the stream of every subscribed channel.

    Args:
        client: for short commands.
        blocking_client: for the reads, with one connection.
        prefix: of the keys of the streams.
        own_channel: always read; a message on it ends a blocking read, so that the next one has new channels.
        channels: those with subscribers now.
        deliver: called with the encoded messages of a channel.
        on_gap: called after an outage, in which messages may have been lost.
    """

    def __init__(
        self,
        client: "Redis",
        blocking_client: "Redis",
        prefix: str,
        *,
        own_channel: str,
        channels: Callable[[], set[str]],
        deliver: Callable[[str, Iterable[str]], None],
        on_gap: Callable[[], None],
    ) -> None:
        self._client = client
        self._blocking_client = blocking_client
        self._prefix = prefix
        self._own_channel = own_channel
        self._channels = channels
        self._deliver = deliver
        self._on_gap = on_gap
        self._positions: dict[str, str] = {}
        self._outage = Outage("reader")
        self._connected = False

    @property
    def connected(self) -> bool:
        """Whether the last read succeeded."""
        return self._connected

    async def subscribe(self, channel: str) -> bool:
        """Read a channel from now on; whether it is new. During an outage it is read once that is over."""
        if not self._connected or channel in self._positions:
            return False
        try:
            position = (await self._last_ids([channel]))[channel]
        except EXPECTED:
            self._connected = False  # as in an outage: the next read finds all positions anew
            return False
        self._positions.setdefault(channel, position)
        return True

    async def connect(self) -> None:
        """Find the end of every stream; subscribers learn that messages may have been lost. Raises RedisError."""
        self._positions.clear()
        while missing := (self._channels() | {self._own_channel}) - self._positions.keys():
            self._positions.update(await self._last_ids(missing))
        self._connected = True
        self._outage.end()
        self._on_gap()

    async def run(self) -> None:
        """Read until cancelled."""
        while True:
            try:
                if not self._connected:
                    await self.connect()
                while self._connected:
                    await self._read()
            except Exception as error:  # noqa: BLE001 - logged there; streams have the log
                self._connected = False
                await self._outage.wait(error)

    async def _read(self) -> None:
        for gone in self._positions.keys() - self._channels() - {self._own_channel}:
            del self._positions[gone]
        streams = {self._prefix + channel: position for channel, position in self._positions.items()}
        command: Command = ("XREAD", "BLOCK", BLOCK_MS, "STREAMS", *streams.keys(), *streams.values())
        (reply,) = await execute(self._blocking_client, [command], timeout_s=BLOCK_MS / 1_000 + TIMEOUT_S)
        for key, entries in reply or ():
            channel = key.removeprefix(self._prefix)
            if channel in self._positions:
                self._positions[channel] = entries[-1][0]
            self._deliver(channel, (encoded for _, entry in entries for encoded in entry.values()))
        await asyncio.sleep(PACE_S * len(streams))

    async def _last_ids(self, channels: Collection[str]) -> dict[str, str]:
        """The id of the last entry of each channel's stream. Raises RedisError."""
        names = list(channels)
        found = await execute(self._client, [("XREVRANGE", self._prefix + one, "+", "-", "COUNT", 1) for one in names])
        return {channel: entries[0][0] if entries else START for channel, entries in zip(names, found, strict=True)}
