"""The form of many processes: web processes and workers with a PostgreSQL and a Redis of their own."""

import asyncio
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

from harness.database.postgres import migrate
from harness.free_port import free_port
from harness.load.processes import OTHER_CORE, SERVER_CORE, WITHOUT_LIMITS, MeasuredServer, run_process, wait_ready
from harness.servers.postgres import postgres_server
from harness.servers.redis import redis_server

NOTE_TAKER = "bench.servers.note_taking_server:make_note_taker"
MANY = "100000"


@dataclass(frozen=True, slots=True)
class ScaledServers:
    """The processes of Sprout, web processes first."""

    webs: tuple[MeasuredServer, ...]
    workers: tuple[MeasuredServer, ...]

    def cpu_s(self) -> float:
        """Seconds of CPU of all of them; PostgreSQL and Redis are not counted."""
        return sum(one.cpu_s() for one in (*self.webs, *self.workers))

    def memory_bytes(self) -> int:
        return sum(one.memory_bytes() for one in (*self.webs, *self.workers))


@asynccontextmanager
async def open_services(folder: Path) -> AsyncIterator[dict[str, str]]:
    """The settings that name an empty database, which is up to date, and a Redis."""
    async with postgres_server() as postgres, redis_server(folder) as redis:
        await asyncio.to_thread(migrate, postgres.url)
        yield {"DATABASE_URL": postgres.url, "REDIS_URL": redis.url}


@asynccontextmanager
async def open_scaled(
    base_url: str, folder: Path, services: Mapping[str, str], *, webs: int, workers: int
) -> AsyncIterator[ScaledServers]:
    """Processes on these services, with the agent that takes notes; they take turns on the two cores.

    Args:
        base_url: of the model.
    """
    settings = {
        "ANTHROPIC_BASE_URL": base_url,
        "ANTHROPIC_API_KEY": "bench",
        "SPROUT_DATA_DIR": str(folder),
        "SPROUT_MODEL": "sprout-offline",
        "SPROUT_LOG_LEVEL": "error",
        "SPROUT_RUNS__MODEL_CALLS": "1000",
        "SPROUT_WORKER_RUNS": "200",
        "SPROUT_VERIFY_KEYS": "false",
        "SPROUT_EXTRA_AGENTS": NOTE_TAKER,
        "SPROUT_LIMITS__STREAMS_PER_LEARNER": MANY,
        "SPROUT_LIMITS__STREAMS_PER_ADDRESS": MANY,
        **WITHOUT_LIMITS,
        **services,
    }
    async with AsyncExitStack() as stack:
        cores = cycle((SERVER_CORE, OTHER_CORE))

        async def start(command: str) -> MeasuredServer:
            port, core = free_port(), next(cores)
            program = [sys.executable, "-m", "sprout", command]
            process = await stack.enter_async_context(run_process(program, core, settings | {"SPROUT_PORT": str(port)}))
            return await wait_ready(process, port, "/healthz")

        started_workers = [await start("worker") for _ in range(workers)]
        started_webs = [await start("serve") for _ in range(webs)]
        yield ScaledServers(tuple(started_webs), tuple(started_workers))
