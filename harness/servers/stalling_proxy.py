"""TCP proxy that can cut its connections, or fall silent: it still accepts and reads them, and passes nothing on."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from harness.clients.raw_http import HOST

CHUNK_BYTES = 65_536


class StallingProxy:
    """The proxy before one address; `port` is its own."""

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._silent = asyncio.Event()
        self.connections: set[asyncio.Task[None]] = set()
        self.port = 0

    def cut(self) -> None:
        """Close all connections that there are; new ones are served."""
        for connection in tuple(self.connections):
            connection.cancel()

    def fall_silent(self) -> None:
        """Pass nothing on from now, in either direction."""
        self._silent.set()

    async def connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection until either side closes it."""
        if self._silent.is_set():
            await _read_to_end(reader)
            writer.close()
            return
        to_reader, to_writer = await asyncio.open_connection(*self._target)
        try:
            await asyncio.gather(self._pass_on(reader, to_writer), self._pass_on(to_reader, writer))
        finally:
            writer.close()
            to_writer.close()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while part := await reader.read(CHUNK_BYTES):
                if not self._silent.is_set():
                    writer.write(part)
                    await writer.drain()
            if not self._silent.is_set():
                writer.write_eof()


async def _read_to_end(reader: asyncio.StreamReader) -> None:
    with suppress(ConnectionError):
        while await reader.read(CHUNK_BYTES):
            pass


@asynccontextmanager
async def stalling_proxy(host: str, port: int) -> AsyncIterator[StallingProxy]:
    """A proxy before this address."""
    proxy = StallingProxy(host, port)

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        proxy.connections.add(task)
        task.add_done_callback(proxy.connections.discard)
        with suppress(asyncio.CancelledError):  # it is asked for at the end, and a stream's callback would print it
            await proxy.connect(reader, writer)

    server = await asyncio.start_server(accept, HOST, 0)
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        server.close()
        open_ones = tuple(proxy.connections)
        proxy.cut()
        await asyncio.gather(*open_ones, return_exceptions=True)
