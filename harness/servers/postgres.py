"""PostgreSQL servers of a proof's own, which can be stopped in the middle of their work."""

import asyncio
import os
import shutil
import tempfile
from asyncio.subprocess import DEVNULL
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from harness.free_port import free_port

USER = "postgres"  # PostgreSQL does not run as root
OPTIONS = "-c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=200"


class PostgresServer:
    """A server with an empty database, in a folder of its own.

    Args:
        options: of its command line, such as `-c max_connections=20`.
    """

    def __init__(self, programs: Path, data: Path, *options: str) -> None:
        self._programs, self._data, self._options = programs, data, options
        self.port = free_port()
        self.is_running = False

    @property
    def url(self) -> str:
        return f"postgresql://{USER}@127.0.0.1:{self.port}/postgres"

    async def create(self) -> None:
        """Make its files."""
        await self._run("initdb", "-D", str(self._data), "-U", USER, "-A", "trust", "-N")

    async def start(self, *, as_replica: bool = False) -> None:
        """It answers when this returns; after a crash it has recovered by then.

        Args:
            as_replica: whether it takes no writes, as one that follows another server, until it is promoted.
        """
        if as_replica:
            (self._data / "standby.signal").touch()
        options = f"{OPTIONS} {' '.join(self._options)} -p {self.port} -k {self._data}"
        await self._run("pg_ctl", "start", "-w", "-D", str(self._data), "-o", options, "-l", str(self._data / "log"))
        self.is_running = True

    async def crash(self) -> None:
        """End it at once, as a crash does: it recovers from its log at the next start."""
        self.is_running = False
        await self._run("pg_ctl", "stop", "-m", "immediate", "-D", str(self._data))

    async def _run(self, program: str, *arguments: str) -> None:
        command = [str(self._programs / program), *arguments]
        if os.geteuid() == 0:
            command = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", *command]
        process = await asyncio.create_subprocess_exec(*command, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL, cwd="/")
        if await process.wait():
            raise RuntimeError(f"{program} has failed: {process.returncode}")


def postgres_programs() -> Path | None:
    """The folder of the newest installed server's programs; None where there is none."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    on_path = shutil.which("initdb")
    return found[-1].parent if found else Path(on_path).parent if on_path else None


@asynccontextmanager
async def postgres_server(*options: str) -> AsyncIterator[PostgresServer]:
    """A running server, gone afterwards."""
    programs = postgres_programs()
    assert programs is not None, "there are no PostgreSQL programs here"
    with tempfile.TemporaryDirectory(prefix="sprout-postgres-") as folder:
        if os.geteuid() == 0:
            shutil.chown(folder, USER, USER)
        server = PostgresServer(programs, Path(folder) / "data", *options)
        await server.create()
        await server.start()
        try:
            yield server
        finally:
            await server.crash()
