"""The processes of a measurement: the server on one core, the model on the other, and what the server used."""

import asyncio
import os
import resource
import socket
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
import psutil

SERVER_CORE = 0
OTHER_CORE = 1
START_S = 60.0
STOP_S = 10.0
FILES = 8_192


@dataclass(frozen=True, slots=True)
class Server:
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


@asynccontextmanager
async def model_server(work: str, *, first_token_s: float = 0.0, tokens_per_s: float = 0.0) -> AsyncIterator[str]:
    """The base URL of an offline model server that does this work at this pace."""
    async with _model(["bench.model_server", work, str(first_token_s), str(tokens_per_s)]) as base_url:
        yield base_url


@asynccontextmanager
async def stamped_model(deltas: int, a_second: float) -> AsyncIterator[str]:
    """The base URL of a provider that says when it sent each delta (`bench/stamped_model.py`)."""
    async with _model(["bench.stamped_model", str(deltas), str(a_second)]) as base_url:
        yield base_url


@asynccontextmanager
async def _model(module: list[str]) -> AsyncIterator[str]:
    async with _process([sys.executable, "-m", *module], OTHER_CORE, {}) as process:
        assert process.stdout is not None
        async with asyncio.timeout(START_S):
            line = await process.stdout.readline()
        if not line:
            raise RuntimeError("the model server did not start")
        yield line.decode().strip()


@asynccontextmanager
async def floor_server(base_url: str) -> AsyncIterator[Server]:
    """The floor, ready to be asked."""
    port = free_port()
    async with _process([sys.executable, "-m", "bench.floor", base_url, str(port)], SERVER_CORE, {}) as process:
        yield await _ready(process, port, "/run")


@asynccontextmanager
async def page_play_server() -> AsyncIterator[Server]:
    """The stand-in that gives a browser as much as it is asked for (`bench/page_server.py`)."""
    port = free_port()
    async with _process([sys.executable, "-m", "bench.page_server", str(port)], SERVER_CORE, {}) as process:
        yield await _ready(process, port, "/api/status")


@asynccontextmanager
async def page_floor_server(page: Path) -> AsyncIterator[Server]:
    """The floor of reading a page (`bench/page_floor.py`)."""
    port = free_port()
    async with _process([sys.executable, "-m", "bench.page_floor", str(page), str(port)], SERVER_CORE, {}) as process:
        yield await _ready(process, port, "/page")


# One client is here as busy as a thousand learners: what holds for one of them would be all that is measured.
WITHOUT_LIMITS = {
    f"SPROUT_LIMITS__{name}": ""
    for name in ("REQUESTS_PER_S", "RUNS_PER_MIN", "RUNS_AT_ONCE", "UPLOADS_PER_DAY", "PATHS", "NODES_PER_PATH")
}


@asynccontextmanager
async def sprout_server(base_url: str, data: Path, *, note_taking: bool) -> AsyncIterator[Server]:
    """Sprout with an empty database in `data`: as a user starts it, or with the agent that takes notes."""
    port = free_port()
    module = ["-m", "bench.sprout_server"] if note_taking else ["-m", "sprout", "serve"]
    settings = {
        "ANTHROPIC_BASE_URL": base_url,
        "ANTHROPIC_API_KEY": "bench",
        "SPROUT_DATA_DIR": str(data),
        "SPROUT_MODEL": "sprout-offline",
        "SPROUT_LOG_LEVEL": "error",
        "SPROUT_PORT": str(port),
        "SPROUT_RUNS__MODEL_CALLS": "1000",
        **WITHOUT_LIMITS,
        "SPROUT_VERIFY_KEYS": "false",  # the floor makes the calls that make the path, and no others
    }
    async with _process([sys.executable, *module], SERVER_CORE, settings) as process:
        yield await _ready(process, port, "/api/health")


@asynccontextmanager
async def streams_server(data: Path) -> AsyncIterator[Server]:
    """Sprout with an empty database in `data` and runs that a measurement lets speak (`bench/streams_server.py`)."""
    port = free_port()
    settings = {
        "ANTHROPIC_BASE_URL": "http://127.0.0.1:9",
        "ANTHROPIC_API_KEY": "bench",
        "SPROUT_DATA_DIR": str(data),
        "SPROUT_LOG_LEVEL": "error",
        "SPROUT_PORT": str(port),
        **WITHOUT_LIMITS,
    }
    async with _process([sys.executable, "-m", "bench.streams_server"], SERVER_CORE, settings) as process:
        yield await _ready(process, port, "/api/health")


@asynccontextmanager
async def _process(command: list[str], core: int, settings: Mapping[str, str]) -> AsyncIterator[Process]:
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
    ours = ("SPROUT_", "ANTHROPIC_", "DATABASE_URL")
    return {name: value for name, value in _inherited().items() if not name.startswith(ours)}


def _inherited() -> dict[str, str]:
    return dict(psutil.Process().environ())


def pin(pid: int, core: int) -> None:
    """Keep a process on one core, where the machine has two and the system can."""
    if hasattr(os, "sched_setaffinity") and len(os.sched_getaffinity(0)) > 1:
        os.sched_setaffinity(pid, {sorted(os.sched_getaffinity(0))[core]})


async def _ready(process: Process, port: int, path: str) -> Server:
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
            return Server(url, process.pid)


def raise_the_limit_of_files() -> None:
    """Let this process and those it starts have as many connections open as a measurement needs."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(FILES, hard)), hard))


def free_port() -> int:
    """A port of the loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
