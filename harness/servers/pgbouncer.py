"""PgBouncer before the tests' PostgreSQL, in the mode that a test asks for."""

import asyncio
import os
import shutil
import tempfile
from asyncio.subprocess import DEVNULL
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from sqlalchemy import make_url

from harness.clients.raw_http import wait_accepting
from harness.free_port import free_port
from harness.servers.postgres import USER
from harness.services import PGBOUNCER

SETTINGS = """
[databases]
* = host={host} port={port} user={user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {own_port}
unix_socket_dir =
auth_type = any
pool_mode = {mode}
"""
START_S = 20.0


@asynccontextmanager
async def running_pgbouncer(database_url: str, mode: str) -> AsyncIterator[str]:
    """The URL of the same database by way of a pooler of its own.

    Args:
        mode: `session`, `transaction` or `statement`.
    """
    assert PGBOUNCER is not None, "there is no PgBouncer here"
    url, own_port = make_url(database_url), free_port()
    with tempfile.TemporaryDirectory(prefix="sprout-pgbouncer-") as folder:
        file = Path(folder) / "pgbouncer.ini"
        file.write_text(
            SETTINGS.format(host=url.host, port=url.port or 5432, user=url.username, own_port=own_port, mode=mode)
        )
        command = [PGBOUNCER, "--quiet", str(file)]
        if os.geteuid() == 0:  # it does not run as root
            shutil.chown(folder, USER, USER)
            command = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", *command]
        process = await asyncio.create_subprocess_exec(*command, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL, cwd="/")
        try:
            async with asyncio.timeout(START_S):
                await wait_accepting(own_port)
            yield url.set(host="127.0.0.1", port=own_port).render_as_string(hide_password=False)
        finally:
            process.kill()
            await process.wait()
