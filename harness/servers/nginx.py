"""nginx as a process, with a settings file."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from harness.clients.raw_http import wait_accepting
from harness.services import NGINX, require

WITHIN_S = 30.0


@asynccontextmanager
async def running_nginx(settings: Path, port: int, folder: Path) -> AsyncIterator[str]:
    """The address of an nginx that listens on this port and writes to this folder alone."""
    require("nginx")
    assert NGINX is not None
    nginx = await asyncio.create_subprocess_exec(NGINX, "-p", folder, "-c", settings)
    try:
        async with asyncio.timeout(WITHIN_S):
            await wait_accepting(port)
        yield f"http://127.0.0.1:{port}"
    finally:
        nginx.terminate()
        await nginx.wait()
