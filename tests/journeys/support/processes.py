"""`sprout serve` in a process of its own, to be killed in the middle of things."""

import asyncio
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2

from harness.journeys.sprout_server import ModelFaults, SproutServer
from tests.project.commands import START_S, read_address, start_sprout

CONNECTION_ERRORS = (
    "ERR_CONNECTION_REFUSED",
    "ERR_INCOMPLETE_CHUNKED_ENCODING",
    "ERR_CONNECTION_RESET",
    "ERR_EMPTY_RESPONSE",
    "ERR_SOCKET_NOT_CONNECTED",
)
OFFLINE_ERRORS = ("ERR_INTERNET_DISCONNECTED", "ERR_NETWORK_CHANGED")


@asynccontextmanager
async def start_process(
    folder: Path, *, port: str, tokens_per_s: int = 700, **more: str
) -> AsyncIterator[tuple[Process, str]]:
    """A server on the built-in model, with the address that it printed."""
    settings = {"SPROUT_OFFLINE_TOKENS_PER_S": str(tokens_per_s), "SPROUT_LOG_LEVEL": "error", **more}
    running = await start_sprout("serve", "--port", port, folder=folder, **settings)
    try:
        async with asyncio.timeout(START_S):
            url = await read_address(running)
        yield running, url
    finally:
        if running.returncode is None:
            running.kill()
        await running.communicate()


@asynccontextmanager
async def server_at(url: str) -> AsyncIterator[SproutServer]:
    """API client of a running server."""
    async with httpx2.AsyncClient(base_url=url, timeout=30, transport=httpx2.AsyncHTTPTransport(retries=8)) as web:
        yield SproutServer(url, ModelFaults(), web)
