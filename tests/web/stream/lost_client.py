"""A reader whose network loses everything from one moment on, without a word to the server.

Usage, in a network that nobody else is in: unshare --net python -m tests.web.stream.lost_client DEAD_READER_MS MOST_S
Prints as JSON after how many seconds its stream was freed, null where it was not, and the connections that are left.
"""

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Route

from harness.servers.in_process import serve_app
from harness.servers.web import WEB_LIMITS
from sprout.runs.streaming.bus import BusMessage
from sprout.serving import listening_socket
from sprout.web.stream.sse import EventStream, frame

PING_S = 0.2


async def seconds_until_freed(dead_reader_ms: int, most_s: float) -> tuple[float | None, int]:
    """Seconds from the loss to the end of the stream, None for more than `most_s`, and the connections then."""
    _loopback("up")
    freed = asyncio.Event()

    @contextlib.asynccontextmanager
    async def counted() -> AsyncIterator[None]:
        try:
            yield
        finally:
            freed.set()

    async def nothing() -> AsyncIterator[list[BusMessage]]:
        await asyncio.Event().wait()
        yield []

    async def stream(request: Request) -> EventStream:
        limits = replace(WEB_LIMITS, ping_s=PING_S)
        return EventStream(nothing(), frame, limits=limits, tracking=counted(), headers={}, log_fields={})

    app = Starlette(routes=[Route("/", stream)])
    with listening_socket("127.0.0.1", 0, dead_reader_ms=dead_reader_ms) as listening:
        async with serve_app(app, listening_on=listening) as served:
            reader, writer = await asyncio.open_connection(served.host, served.port)
            writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            await reader.readuntil(b": ping")
            assert not freed.is_set()
            began_s = time.monotonic()
            _loopback("down")
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(most_s):
                    await freed.wait()
            took_s = time.monotonic() - began_s if freed.is_set() else None
            left = len(served.server.server_state.connections)
            writer.transport.abort()
            served.server.force_exit = True
        return took_s, left


def _loopback(state: str) -> None:
    """Switch the loopback: packets sent while it is down are taken and never arrive."""
    subprocess.run(["ip", "link", "set", "lo", state], check=True)


if __name__ == "__main__":
    assert Path("/proc/self/ns/net").readlink() != Path(f"/proc/{os.getppid()}/ns/net").readlink(), (
        "others would be cut off"
    )
    sys.stdout.write(json.dumps(asyncio.run(seconds_until_freed(int(sys.argv[1]), float(sys.argv[2])))))
