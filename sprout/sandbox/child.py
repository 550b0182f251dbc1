"""Child process in the sandbox: started, given its input, read within limits, and killed."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sprout.errors import SproutError

CHUNK_BYTES = 256 * 1024
PACKAGE_ROOT = str(Path(__file__).resolve().parents[2])
# Without the server's environment, which may hold keys. Windows starts no program without SYSTEMROOT.
_ENVIRONMENT = {"SYSTEMROOT": "C:\\Windows"} if sys.platform == "win32" else {"LC_ALL": "C.UTF-8"}
_BOOTSTRAP = "import sys; sys.path.insert(0, sys.argv[1]); from {module} import main; main(*sys.argv[2:])"


class OutputTooLong(SproutError):
    """A child process wrote more than it may."""


@dataclass(frozen=True, slots=True)
class ChildOutput:
    """What a child process has left.

    Args:
        status: its exit status; below 0 the signal that ended it.
        output, report: all that it wrote to its standard output and its standard error.
    """

    status: int
    output: bytes
    report: bytes


def bootstrap(module: str) -> str:
    """The code of a child process that calls the module's `main` with the rest of its arguments."""
    return _BOOTSTRAP.format(module=module)


async def run_child(
    module: str, arguments: list[str], content: bytes, *, wall_s: float, max_bytes: int, max_report_bytes: int = 0
) -> ChildOutput:
    """Run a module's `main` in a child process that gets the content on its standard input, and this process' id as
    its last argument. Cancelling it kills the process.

    Python runs isolated: neither its environment variables, the user's site-packages nor the working folder decide
    what is imported. Raises OSError (no resources for another process), TimeoutError, OutputTooLong.

    Args:
        max_report_bytes: of its standard error, which goes nowhere if this is 0.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-I", "-B", "-c", bootstrap(module), PACKAGE_ROOT, *arguments, str(os.getpid()),
        stdin=PIPE, stdout=PIPE, stderr=PIPE if max_report_bytes else DEVNULL,
        cwd=PACKAGE_ROOT, env=_ENVIRONMENT, start_new_session=True,
    )  # fmt: skip
    try:
        async with asyncio.timeout(wall_s):
            _, output, report = await asyncio.gather(
                _send(process, content),
                _receive(process, process.stdout, max_bytes),
                _receive(process, process.stderr, max_report_bytes),
            )
            status = await process.wait()
    finally:
        await _reap(process)
    if len(output) > max_bytes or len(report) > max_report_bytes:
        raise OutputTooLong(f"more than {max_bytes} bytes, or {max_report_bytes} of the report")
    return ChildOutput(status, output, report)


async def _send(process: Process, content: bytes) -> None:
    """Write the input; a broken pipe is ignored, since the output or the exit status tells the cause."""
    assert process.stdin is not None
    with suppress(BrokenPipeError, ConnectionResetError):
        for start in range(0, len(content), CHUNK_BYTES):
            process.stdin.write(content[start : start + CHUNK_BYTES])
            await process.stdin.drain()
    process.stdin.close()


async def _receive(process: Process, stream: asyncio.StreamReader | None, max_bytes: int) -> bytes:
    """All that the process writes; beyond `max_bytes` it is killed."""
    parts: list[bytes] = []
    length = 0
    while stream is not None and (part := await stream.read(CHUNK_BYTES)):
        if length <= max_bytes:
            parts.append(part)
            length += len(part)
        if length > max_bytes:
            _kill(process)
    return b"".join(parts)


def _kill(process: Process) -> None:
    """Kill the process group, unless the process has ended."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            if sys.platform == "win32":
                process.kill()
            else:
                os.killpg(process.pid, signal.SIGKILL)


async def _reap(process: Process) -> None:
    _kill(process)
    assert process.stdin is not None
    process.stdin.close()
    for stream in (process.stdout, process.stderr):
        while stream is not None and await stream.read(CHUNK_BYTES):  # a full pipe keeps its transport open
            pass
    await process.wait()
