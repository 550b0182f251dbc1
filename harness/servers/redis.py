"""Redis for tests: keys of a test's own on the shared server, and servers of its own that can be stopped and killed."""

import asyncio
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from redis.asyncio import Redis

from harness.free_port import free_port
from harness.services import REDIS
from sprout.ids import new_id

REDIS_URL = f"{REDIS}/4"
START_S = 20.0


@asynccontextmanager
async def redis_prefix() -> AsyncIterator[str]:
    """A prefix for keys on the shared server, whose keys are deleted afterwards."""
    prefix = f"test-{new_id()}"
    try:
        yield prefix
    finally:
        async with Redis.from_url(REDIS_URL) as client:
            if keys := [key async for key in client.scan_iter(f"*{prefix}*", count=10_000)]:
                await client.delete(*keys)


class RedisServer:
    """A server of its own, which keeps nothing on the disk.

    Args:
        options: of its command line, such as `--maxmemory 2mb`.
    """

    def __init__(self, folder: Path, *options: str) -> None:
        self._folder = folder
        self._options = options
        self._process: Process | None = None
        self.port = free_port()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    async def start(self) -> None:
        """Start it, empty; it answers when this returns."""
        command = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        of_cluster = (
            "--cluster-port",
            str(free_port()),
        )  # else ten thousand above: of those that the system gives away
        self._process = await asyncio.create_subprocess_exec(
            *command, *of_cluster, "--dir", str(self._folder), *self._options, stdout=PIPE
        )
        assert self._process.stdout is not None
        async with asyncio.timeout(START_S):
            while b"Ready to accept connections" not in (line := await self._process.stdout.readline()):
                assert line, "redis-server has ended"

    async def kill(self) -> None:
        """End it at once."""
        if self._process is not None:
            self._process.kill()
            await self._process.wait()
            self._process = None


@asynccontextmanager
async def redis_server(folder: Path, *options: str) -> AsyncIterator[RedisServer]:
    """A running server, killed afterwards."""
    server = RedisServer(folder, *options)
    await server.start()
    try:
        yield server
    finally:
        await server.kill()
