"""Lives of a server: each begins with what the last one has stored, and ends when it is killed."""

import asyncio
import json
import os
import signal
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from harness.clients.raw_http import wait_accepting
from harness.free_port import free_port
from harness.prefork.python import prefork_python

ROOT = Path(__file__).parents[2]
START_S = 90.0
END_S = 60.0


class NotServing(Exception):
    """A server ended, or was not up in time; the message is the end of its log."""


@dataclass(frozen=True, slots=True)
class ServerProcess:
    """One process of a server.

    Args:
        started_s, accepted_s: `time.time` of its start and of its first connection.
    """

    pid: int
    started_s: float
    accepted_s: float
    exit_task: asyncio.Task[int]

    def send_signal(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    async def wait_ended(self, within_s: float = END_S) -> int:
        """Its exit code, negative for the signal that killed it. Raises TimeoutError."""
        async with asyncio.timeout(within_s):
            return await asyncio.shield(self.exit_task)

    async def kill(self) -> None:
        """As by kill -9, which it may have been already."""
        if not self.exit_task.done():
            os.kill(self.pid, signal.SIGKILL)
        await self.wait_ended()


# Of all learners of a proof the server takes one, who is faster than any: these limits are not what is looked at.
DISABLED_LIMITS = ("SPROUT_LIMITS__REQUESTS_PER_S", "SPROUT_LIMITS__RUNS_PER_MIN", "SPROUT_LIMITS__RUNS_AT_ONCE")


@dataclass(slots=True)
class ServerSite:
    """A server's port, data, settings and log, which stay the same across restarts.

    Args:
        fork_server: where its processes come from; None for `command`, as a person starts it.
        clock: file of the played clock that forked processes live by; None for the machine's.
    """

    data: Path
    model_url: str
    fork_server: Process | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    clock: Path | None = None
    command: tuple[str, ...] = (sys.executable, "-m", "sprout", "serve")
    port: int = field(default_factory=free_port)
    processes: list[ServerProcess] = field(default_factory=list)

    @property
    def log(self) -> Path:
        return self.data / "server.log"

    @property
    def database(self) -> str:
        return self.settings.get("DATABASE_URL") or f"sqlite:///{self.data / 'sprout.sqlite3'}"

    async def start(self, *, crash_at: str | None = None, asks: bool = False) -> ServerProcess:
        """A new process. Raises NotServing."""
        environment = self._environment() | ({"SPROUT_CRASH_AT": crash_at} if crash_at else {})
        born_s = time.time()
        pid, ending = await (self._fork(environment, asks) if self.fork_server else self._spawn(environment))
        accepted = asyncio.create_task(wait_accepting(self.port))
        done, _ = await asyncio.wait({accepted, ending}, timeout=START_S, return_when=asyncio.FIRST_COMPLETED)
        accepted.cancel()
        if not done:
            os.kill(pid, signal.SIGKILL)
            raise NotServing(self.log_tail())
        if ending in done and not crash_at:
            raise NotServing(self.log_tail())
        self.processes.append(ServerProcess(pid, born_s, time.time(), ending))
        return self.processes[-1]

    async def kill_all(self) -> None:
        """Leave no life behind."""
        for life in self.processes:
            await life.kill()

    def log_tail(self) -> str:
        return self.log.read_text(errors="replace")[-2_000:] if self.log.exists() else "there is no log"

    def errors(self) -> list[str]:
        """The lines of its log that tell of an error."""
        lines = self.log.read_text(errors="replace").splitlines() if self.log.exists() else []
        return [line for line in lines if '"level": "error"' in line or '"level": "critical"' in line]

    def _environment(self) -> dict[str, str]:
        return {
            "PATH": os.defpath,
            "PYTHONPATH": str(ROOT),
            "PYTHONUTF8": "1",
            "HOME": str(self.data),
            "ANTHROPIC_BASE_URL": self.model_url,
            "ANTHROPIC_API_KEY": "faults",
            "SPROUT_MODEL": "sprout-offline",
            "SPROUT_DATA_DIR": str(self.data),
            "SPROUT_PORT": str(self.port),
            "SPROUT_LOG_FORMAT": "json",
            **dict.fromkeys(DISABLED_LIMITS, ""),
            **self.settings,
        }

    async def _fork(self, environment: dict[str, str], asks: bool) -> tuple[int, asyncio.Task[int]]:
        assert self.fork_server is not None
        assert self.fork_server.stdin is not None
        order = {
            "command": self.command[-1],
            "environment": environment,
            "log": str(self.log),
            "asks": asks,
            "clock": self.clock and str(self.clock),
        }
        self.fork_server.stdin.write(json.dumps(order).encode() + b"\n")
        pid = await _read_number(self.fork_server)
        return pid, asyncio.create_task(_read_number(self.fork_server))

    async def _spawn(self, environment: dict[str, str]) -> tuple[int, asyncio.Task[int]]:
        with self.log.open("ab") as log:
            process = await asyncio.create_subprocess_exec(
                *self.command, cwd=self.data, env=environment, stdout=log, stderr=log
            )
        return process.pid, asyncio.create_task(process.wait())


@asynccontextmanager
async def start_fork_server() -> AsyncIterator[Process]:
    """A process that bears one server at a time; the one that is left dies with it."""
    process = await asyncio.create_subprocess_exec(
        *(prefork_python(), "-m", "harness.prefork.server_forker"), cwd=ROOT, stdin=PIPE, stdout=PIPE
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(START_S):
            if await process.stdout.readline() != b"ready\n":
                raise NotServing("the fork server did not come up")
        yield process
    finally:
        assert process.stdin is not None
        process.stdin.close()
        async with asyncio.timeout(END_S):
            await process.wait()


async def _read_number(process: Process) -> int:
    assert process.stdout is not None
    if not (line := await process.stdout.readline()):
        raise NotServing("the fork server is gone")
    return int(line)
