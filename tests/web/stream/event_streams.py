"""Event streams over real HTTP: read to some point, cut there, and taken up again."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import lru_cache

import psutil

from harness.servers.web import Web
from sprout.events import Event, Guardrail, MessageBlock
from sprout.runs.run_store import StoredEvent
from sprout.runs.state import Run

ENOUGH_S = 30.0
POLL_S = 0.005


@dataclass(frozen=True, slots=True)
class Frame:
    """One event as it came: `raw` is its data, byte for byte."""

    id: str | None
    event: str
    raw: str

    @property
    def data(self) -> dict[str, object]:
        parsed: dict[str, object] = json.loads(self.raw)
        return parsed

    @property
    def root_id(self) -> object:
        return self.data["rootId"]


def frames(received: bytes) -> list[Frame]:
    """The events that are whole in these bytes, read as the simplest client does."""
    *blocks, _ = received.decode(errors="ignore").split("\n\n")
    return [frame for block in blocks if (frame := _parse(block))]


@lru_cache(maxsize=128)
def _parse(block: str) -> Frame | None:
    """The event of a block. Remembered, since what is cut at every byte is read as often as it has bytes."""
    fields = dict(line.split(": ", 1) for line in block.split("\n"))
    return Frame(fields.get("id"), fields["event"], fields["data"]) if "data" in fields else None


def with_root_id(event: StoredEvent) -> str:
    """The data of a stored event as the learner's stream has it."""
    return f'{{"rootId":"{event.root_id}",{event.data[1:]}'


def some_events(count: int) -> list[Event]:
    """Events of different kinds and lengths."""
    return [
        MessageBlock(block_id=f"b{number}", text="🌱" * number)
        if number % 3
        else Guardrail(level=number, tool=None, noticed="two\nlines")
        for number in range(count)
    ]


class OpenStream:
    """A stream that is open: what has come of it so far, and more when it is asked for."""

    def __init__(self, chunks: AsyncIterator[bytes]) -> None:
        self._chunks = chunks
        self._events: list[Frame] = []
        self._unread = b""
        self._received: list[bytes] = []

    @property
    def received(self) -> bytes:
        return b"".join(self._received)

    async def until(self, events: int) -> list[Frame]:
        """All events so far, at least so many."""
        async with asyncio.timeout(ENOUGH_S):
            while len(self._events) < events:
                self._take(await anext(self._chunks))
        return self._events

    async def rest(self) -> list[Frame]:
        """All events, to the end of the stream."""
        async with asyncio.timeout(ENOUGH_S):
            async for chunk in self._chunks:
                self._take(chunk)
        return self._events

    def _take(self, chunk: bytes) -> None:
        self._received.append(chunk)
        whole, end, self._unread = (self._unread + chunk).rpartition(b"\n\n")
        self._events += frames(whole + end)


@asynccontextmanager
async def open_stream(web: Web, address: str, last_id: str | None = None) -> AsyncIterator[OpenStream]:
    """Open a stream, and leave it at the end of the block."""
    headers = None if last_id is None else [(b"Last-Event-ID", last_id.encode())]
    request = web.client.build_request("GET", address, headers=headers)
    answer = await web.client.send(request, stream=True)
    try:
        assert answer.status_code == 200, answer.status_code
        yield OpenStream(answer.aiter_raw())
    finally:
        await answer.aclose()


async def read_stream(web: Web, address: str, events: int, last_id: str | None = None) -> list[Frame]:
    """The first events of a stream that goes on."""
    async with open_stream(web, address, last_id) as stream:
        return await stream.until(events)


async def stored_events(web: Web, run: Run) -> list[StoredEvent]:
    return await web.store.events(run.root_id, limit=10_000)


@asynccontextmanager
async def raw_stream(
    web: Web, path: str, *, headers: str = "", receive_buffer: int | None = None
) -> AsyncIterator[socket.socket]:
    """A socket that has asked for a stream and reads nothing by itself."""
    loop = asyncio.get_running_loop()
    with socket.socket() as client:
        if receive_buffer is not None:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        client.setblocking(False)
        await loop.sock_connect(client, (web.served.host, web.served.port))
        await loop.sock_sendall(client, f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n".encode())
        yield client


async def until_streams(web: Web, count: int) -> None:
    """Wait until so many streams are open."""
    async with asyncio.timeout(ENOUGH_S):
        while open_streams(web) != count:
            await asyncio.sleep(POLL_S)


def open_streams(web: Web) -> int:
    """As the server's own figures have it."""
    return web.streams.count


def open_sockets() -> int:
    return len(psutil.Process().net_connections("tcp"))
