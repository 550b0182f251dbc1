"""A way to a server on which every byte that it sends is written down."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from harness.clients.raw_http import HOST

PIECE_BYTES = 65_536
# Nothing may be packed on the way: the header keeps its length under a name that no server knows.
PACKED, UNPACKED = b"\r\naccept-encoding:", b"\r\nx-ccept-encoding:"


@dataclass(slots=True)
class TrafficRecorder:
    """Bytes that a server has sent on each connection since the last call."""

    port: int
    written: int = 0
    _received: dict[int, bytearray] = field(default_factory=dict)
    _open: set[int] = field(default_factory=set)

    def take(self) -> list[bytes]:
        """Return the bytes received on each connection since the last call; the end of an open one is carried over."""
        pieces = [bytes(heard) for heard in self._received.values() if heard]
        for number in list(self._received):
            if number in self._open:
                del self._received[number][:-64]
            else:
                del self._received[number]
        return pieces

    def add_connection(self) -> int:
        number = max(self._received, default=0) + 1
        self._received[number] = bytearray()
        self._open.add(number)
        return number

    def record(self, number: int, piece: bytes) -> None:
        self._received[number] += piece
        self.written += len(piece)

    def close_connection(self, number: int) -> None:
        self._open.discard(number)


@asynccontextmanager
async def recording_proxy(port: int) -> AsyncIterator[TrafficRecorder]:
    """A port that leads to this one, and what came back through it."""
    recorder = TrafficRecorder(0)

    going: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task: asyncio.Task[None] | None = asyncio.current_task()
        assert task is not None
        going.add(task)
        number = recorder.add_connection()
        try:
            from_server, to_server = await asyncio.open_connection(HOST, port)
            try:
                async with asyncio.TaskGroup() as tasks:
                    tasks.create_task(_forward_requests(reader, to_server))
                    tasks.create_task(_forward_responses(from_server, writer, recorder, number))
            finally:
                to_server.close()
                with suppress(ConnectionError):
                    await to_server.wait_closed()
        except asyncio.CancelledError:
            writer.close()  # the recording is over
        finally:
            recorder.close_connection(number)
            going.discard(task)

    server = await asyncio.start_server(connected, HOST, 0)
    recorder.port = server.sockets[0].getsockname()[1]
    try:
        yield recorder
    finally:
        server.close()
        left = list(going)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)


async def _forward_requests(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while piece := await reader.read(PIECE_BYTES):
            at = piece.lower().find(PACKED)
            writer.write(piece if at < 0 else piece[:at] + UNPACKED + piece[at + len(PACKED) :])
            await writer.drain()
    writer.close()


async def _forward_responses(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, recorder: TrafficRecorder, number: int
) -> None:
    with suppress(ConnectionError):
        while piece := await reader.read(PIECE_BYTES):
            recorder.record(number, piece)
            writer.write(piece)
            await writer.drain()
    writer.close()
