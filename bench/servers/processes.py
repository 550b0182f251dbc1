"""Processes of the benchmarks: models on one core, Sprout and the floors on the other."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from harness.free_port import free_port
from harness.load.processes import (
    OTHER_CORE,
    SERVER_CORE,
    START_S,
    WITHOUT_LIMITS,
    MeasuredServer,
    run_process,
    wait_ready,
)


@asynccontextmanager
async def model_server(work: str, *, first_token_s: float = 0.0, tokens_per_s: float = 0.0) -> AsyncIterator[str]:
    """The base URL of an offline model server that does this work at this pace."""
    async with _model_process(["bench.servers.model_server", work, str(first_token_s), str(tokens_per_s)]) as base_url:
        yield base_url


@asynccontextmanager
async def stamped_model(deltas: int, a_second: float) -> AsyncIterator[str]:
    """The base URL of a provider that says when it sent each delta (`bench/servers/stamped_model.py`)."""
    async with _model_process(["bench.servers.stamped_model", str(deltas), str(a_second)]) as base_url:
        yield base_url


@asynccontextmanager
async def _model_process(module: list[str]) -> AsyncIterator[str]:
    async with run_process([sys.executable, "-m", *module], OTHER_CORE, {}) as process:
        assert process.stdout is not None
        async with asyncio.timeout(START_S):
            line = await process.stdout.readline()
        if not line:
            raise RuntimeError("the model server did not start")
        yield line.decode().strip()


@asynccontextmanager
async def floor_server(base_url: str) -> AsyncIterator[MeasuredServer]:
    """The floor, ready to be asked."""
    port = free_port()
    async with run_process(
        [sys.executable, "-m", "bench.baselines.minimal_server", base_url, str(port)], SERVER_CORE, {}
    ) as process:
        yield await wait_ready(process, port, "/run")


@asynccontextmanager
async def fake_page_server() -> AsyncIterator[MeasuredServer]:
    """The stand-in that gives a browser as much as it is asked for (`bench/servers/page_server.py`)."""
    port = free_port()
    async with run_process([sys.executable, "-m", "bench.servers.page_server", str(port)], SERVER_CORE, {}) as process:
        yield await wait_ready(process, port, "/api/status")


@asynccontextmanager
async def page_floor_server(page: Path) -> AsyncIterator[MeasuredServer]:
    """The floor of reading a page (`bench/baselines/static_server.py`)."""
    port = free_port()
    async with run_process(
        [sys.executable, "-m", "bench.baselines.static_server", str(page), str(port)], SERVER_CORE, {}
    ) as process:
        yield await wait_ready(process, port, "/page")


@asynccontextmanager
async def sprout_server(base_url: str, data: Path, *, note_taking: bool) -> AsyncIterator[MeasuredServer]:
    """Sprout with an empty database in `data`: as a user starts it, or with the agent that takes notes."""
    port = free_port()
    module = ["-m", "bench.servers.note_taking_server"] if note_taking else ["-m", "sprout", "serve"]
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
    async with run_process([sys.executable, *module], SERVER_CORE, settings) as process:
        yield await wait_ready(process, port, "/api/health")
