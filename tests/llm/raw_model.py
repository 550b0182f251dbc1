"""A model server without manners: what it streams is bytes that a test has chosen."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from sprout.llm.claude import Claude, claude_client
from sprout.loop.policy import LoopPolicy

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"


@dataclass
class RawModel:
    """Streams `pieces()` to whoever asks, and counts what they took."""

    pieces: Callable[[], Iterable[bytes]] = tuple
    asked: int = 0
    sent_bytes: int = 0
    going: set[asyncio.Task[None]] = field(default_factory=set)

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task: asyncio.Task[None] | None = asyncio.current_task()
        assert task is not None
        self.going.add(task)
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            length = int(head.split(b"content-length:")[1].split(b"\r\n")[0])
            await reader.readexactly(length)
            self.asked += 1
            writer.write(HEAD)
            for piece in self.pieces():
                writer.write(piece)
                self.sent_bytes += len(piece)
                await writer.drain()
        except (ConnectionError, asyncio.CancelledError):
            pass  # whoever asked has heard enough, or the test is over
        finally:
            writer.close()
            self.going.discard(task)


@asynccontextmanager
async def raw_model(served: RawModel, *, idle_s: float = 10.0) -> AsyncIterator[Claude]:
    """Our model on that server, over real HTTP."""
    server = await asyncio.start_server(served.answer, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        async with claude_client(api_key="any", base_url=url, idle_s=idle_s) as client:
            yield Claude(client, thinking_tokens=LoopPolicy().thinking_tokens)
    finally:
        server.close()
        left = list(served.going)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
