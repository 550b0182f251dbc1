"""Server processes of a measurement, each on one core, and the CPU and memory that they use."""

import asyncio
import os
import resource
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
import psutil

from harness.free_port import free_port

SERVER_CORE = 0
OTHER_CORE = 1
CORES = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
START_S = 60.0
STOP_S = 10.0
FILES = 8_192


@dataclass(frozen=True, slots=True)
class MeasuredServer:
    """A server under measurement."""

    url: str
    pid: int

    def cpu_s(self) -> float:
        """Seconds of CPU that the process has used so far, its threads included."""
        used = psutil.Process(self.pid).cpu_times()
        return float(used.user + used.system)

    def memory_bytes(self) -> int:
        """Resident memory now."""
        return int(psutil.Process(self.pid).memory_info().rss)


# One client is here as busy as a thousand learners: what holds for one of them would be all that is measured.
WITHOUT_LIMITS = {
    f"SPROUT_LIMITS__{name}": ""
    for name in ("REQUESTS_PER_S", "RUNS_PER_MIN", "RUNS_AT_ONCE", "UPLOADS_PER_DAY", "PATHS", "NODES_PER_PATH")
}


@asynccontextmanager
async def streams_server(data: Path, services: Mapping[str, str] | None = None) -> AsyncIterator[MeasuredServer]:
    """Sprout with an empty database in `data` and runs that publish on command (`harness/load/streams_server.py`).

    Args:
        services: the settings of a PostgreSQL and a Redis, where it is one of several processes.
    """
    port = free_port()
    settings = {
        "ANTHROPIC_BASE_URL": "http://127.0.0.1:9",
        "ANTHROPIC_API_KEY": "bench",
        "SPROUT_DATA_DIR": str(data),
        "SPROUT_LOG_LEVEL": "error",
        "SPROUT_PORT": str(port),
        **WITHOUT_LIMITS,
        **(services or {}),
    }
    async with run_process([sys.executable, "-m", "harness.load.streams_server"], SERVER_CORE, settings) as process:
        yield await wait_ready(process, port, "/api/health")


@asynccontextmanager
async def run_process(command: list[str], core: int, settings: Mapping[str, str]) -> AsyncIterator[Process]:
    process = await asyncio.create_subprocess_exec(
        *command, stdin=DEVNULL, stdout=PIPE, env=_environment() | dict(settings)
    )
    try:
        pin(process.pid, core)
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
            try:
                await asyncio.wait_for(process.wait(), STOP_S)
            except TimeoutError:
                process.kill()
                await process.wait()


def _environment() -> dict[str, str]:
    """This process's environment without what would configure Sprout."""
    ours = ("SPROUT_", "ANTHROPIC_", "DATABASE_URL", "REDIS_URL")
    return {name: value for name, value in _inherited().items() if not name.startswith(ours)}


def _inherited() -> dict[str, str]:
    return dict(psutil.Process().environ())


def pin(pid: int, core: int) -> None:
    """Keep a process on one of the cores that this one had at first, where these are two and the system can."""
    if len(CORES) > 1:
        for thread in psutil.Process(pid).threads():
            os.sched_setaffinity(thread.id, {CORES[core]})


async def wait_ready(process: Process, port: int, path: str) -> MeasuredServer:
    url = f"http://127.0.0.1:{port}"
    async with asyncio.timeout(START_S), httpx2.AsyncClient(base_url=url) as client:
        while True:
            if process.returncode is not None:
                raise RuntimeError(f"the server ended with exit code {process.returncode}")
            try:
                await client.head(path)
            except httpx2.TransportError:
                await asyncio.sleep(0.05)
                continue
            return MeasuredServer(url, process.pid)


def raise_open_file_limit() -> None:
    """Let this process and those it starts have as many connections open as a measurement needs."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(FILES, hard)), hard))
