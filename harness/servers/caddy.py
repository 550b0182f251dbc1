"""Caddy as a process, with a Caddyfile."""

import asyncio
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from harness.clients.raw_http import wait_accepting
from harness.services import CADDY, require

WITHIN_S = 30.0


@asynccontextmanager
async def running_caddy(settings: Path, port: int, folder: Path, variables: Mapping[str, str]) -> AsyncIterator[None]:
    """A Caddy that listens on this port and writes to this folder alone, until the block is left."""
    require("caddy")
    assert CADDY is not None
    environment = {"PATH": os.defpath, "HOME": str(folder), "XDG_DATA_HOME": str(folder), **variables}
    with (folder / "caddy.log").open("wb") as log:
        caddy = await asyncio.create_subprocess_exec(
            CADDY, "run", "--config", settings, "--adapter", "caddyfile", env=environment, stderr=log
        )
    try:
        async with asyncio.timeout(WITHIN_S):
            await wait_accepting(port)
        yield
    finally:
        caddy.terminate()
        await caddy.wait()
