"""`sprout serve` in a process of its own, to be killed in the middle of things."""

import asyncio
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2

from tests.house.commands import START_S, address, started
from tests.journeys.garden import Garden, Weather

LOST = ("ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE")
OFFLINE = ("ERR_INTERNET_DISCONNECTED", "ERR_NETWORK_CHANGED")


@asynccontextmanager
async def process(
    folder: Path, *, port: str, tokens_per_s: int = 700, **more: str
) -> AsyncIterator[tuple[Process, str]]:
    """A server on the built-in model, with the address that it printed."""
    settings = {"SPROUT_OFFLINE_TOKENS_PER_S": str(tokens_per_s), "SPROUT_LOG_LEVEL": "error", **more}
    running = await started("serve", "--port", port, folder=folder, **settings)
    try:
        async with asyncio.timeout(START_S):
            url = await address(running)
        yield running, url
    finally:
        if running.returncode is None:
            running.kill()
        await running.communicate()


@asynccontextmanager
async def garden_at(url: str) -> AsyncIterator[Garden]:
    """What the API of a running server says."""
    async with httpx2.AsyncClient(base_url=url, timeout=30, transport=httpx2.AsyncHTTPTransport(retries=8)) as web:
        yield Garden(url, Weather(), web)
