"""Running `sprout` as a user does: in a process and a folder of its own.

Without a program named it is one that has imported everything already; the wheel's tests start it as it is installed.
"""

import asyncio
import re
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from harness.prefork.python import prefork_python

ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")
START_S = 60
STOP_S = 30
BIN_FOLDER = str(Path(sys.executable).parent)


@dataclass(frozen=True, slots=True)
class CommandResult:
    """A command that has ended."""

    code: int
    out: str
    err: str


async def run_sprout(*arguments: str, folder: Path, **settings: str) -> CommandResult:
    """Run one command to its end."""
    process = await start_sprout(*arguments, folder=folder, **settings)
    async with asyncio.timeout(START_S):
        out, err = await process.communicate()
    return CommandResult(process.returncode or 0, out.decode(), err.decode())


async def start_sprout(*arguments: str, folder: Path, program: str | None = None, **settings: str) -> Process:
    """A command that has begun; nothing of this process's own settings reaches it."""
    environment = {"PATH": BIN_FOLDER, "HOME": str(folder), "COLUMNS": "120", "PYTHONUTF8": "1", **settings}
    command = [prefork_python(), "-P", "-m", "sprout"] if program is None else [program]
    return await asyncio.create_subprocess_exec(
        *command, *arguments, cwd=folder, env=environment, stdout=PIPE, stderr=PIPE
    )


async def kill(process: Process) -> None:
    """As by kill -9; come back when nothing of it is left that would have a file or a port."""
    process.kill()
    await process.communicate()


@asynccontextmanager
async def serve_sprout(
    *arguments: str, folder: Path, program: str | None = None, **settings: str
) -> AsyncIterator[tuple[Process, str]]:
    """A command that serves, with the address that it printed; asked to stop at the end."""
    process = await start_sprout(*arguments, folder=folder, program=program, **settings)
    try:
        async with asyncio.timeout(START_S):
            yield process, await read_address(process)
    finally:
        if process.returncode is None:
            process.terminate()
        async with asyncio.timeout(STOP_S):
            await process.communicate()


async def read_address(process: Process) -> str:
    """The first address that the process prints."""
    assert process.stdout is not None
    while line := (await process.stdout.readline()).decode():
        if found := ADDRESS.search(line):
            return found[0]
    assert process.stderr is not None
    raise AssertionError(f"no address was printed: {(await process.stderr.read()).decode()}")
