"""A reader whose network loses everything from one moment on, without a word to the server.

Usage, in a network that nobody else is in: unshare --net python -m tests.web.vanished DEAD_READER_MS MOST_S
Prints as JSON after how many seconds its stream was freed, null where it was not, and the connections that are left.
"""

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Route

from sprout.runs.bus import News
from sprout.serving import listening_at
from sprout.web.sse import EventStream, frame
from tests.serving import serving
from tests.web.running import LIMITS

PING_S = 0.2


async def vanished(dead_reader_ms: int, most_s: float) -> tuple[float | None, int]:
    """Seconds from the loss to the end of the stream, None for more than `most_s`, and the connections then."""
    _loopback("up")
    freed = asyncio.Event()

    @contextlib.contextmanager
    def counted() -> Iterator[None]:
        try:
            yield
        finally:
            freed.set()

    async def nothing() -> AsyncIterator[list[News]]:
        await asyncio.Event().wait()
        yield []

    async def stream(request: Request) -> EventStream:
        limits = replace(LIMITS, ping_s=PING_S)
        return EventStream(nothing(), frame, limits=limits, counted=counted(), headers={}, named={})

    app = Starlette(routes=[Route("/", stream)])
    with listening_at("127.0.0.1", 0, dead_reader_ms=dead_reader_ms) as listening:
        async with serving(app, listening_on=listening) as served:
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
    """Where it is down, what is sent is taken and never arrives."""
    subprocess.run(["ip", "link", "set", "lo", state], check=True)


if __name__ == "__main__":
    assert Path("/proc/self/ns/net").readlink() != Path(f"/proc/{os.getppid()}/ns/net").readlink(), (
        "others would be cut off"
    )
    sys.stdout.write(json.dumps(asyncio.run(vanished(int(sys.argv[1]), float(sys.argv[2])))))
