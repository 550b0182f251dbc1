"""Topology of several processes on one PostgreSQL and Redis: web processes, and workers that carry their runs."""

import asyncio
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from harness.database.postgres import pooled_postgres
from harness.prefork.python import prefork_python
from harness.servers.balancer import running_balancer
from harness.servers.deployment import Deployment, open_deployment
from harness.servers.redis import redis_server
from harness.servers.server_process import ServerSite
from harness.services import REDIS
from sprout.offline.api.messages_api import OfflineModel
from sprout.offline.pace import Pace


@dataclass(frozen=True, slots=True)
class Topology:
    """A web process with its clients, and the places of workers, of which none has started."""

    web: Deployment
    workers: tuple[ServerSite, ...]

    async def start_workers(self) -> None:
        await asyncio.gather(*(worker.start() for worker in self.workers))


@asynccontextmanager
async def open_topology(
    pace: Pace,
    *,
    workers: int = 2,
    settings: Mapping[str, str] | None = None,
    model: OfflineModel | None = None,
) -> AsyncIterator[Topology]:
    """A database that is up to date, a web process that serves, and places for workers; all are killed at the end.

    Args:
        pace: of the model.
    """
    async with AsyncExitStack() as stack:
        database = await asyncio.to_thread(stack.enter_context, pooled_postgres())
        shared = {"REDIS_URL": REDIS, **(settings or {})}
        web = await stack.enter_async_context(
            open_deployment(pace, settings=shared, database=database, warm=False, model=model)
        )
        web.server.command = _command("serve")
        places = tuple(place_beside(web.server, f"worker-{n}", "worker") for n in range(workers))
        for place in places:
            stack.push_async_callback(place.kill_all)
        await web.server.start()
        yield Topology(web, places)


@asynccontextmanager
async def serve_topology(
    folder: Path, database: str, model_url: str, settings: Mapping[str, str]
) -> AsyncIterator[str]:
    """The address of a balancer before two web processes, whose runs a worker carries; all have a Redis of their own.

    Args:
        folder: of the documents; a log of each process is in a folder below.
        settings: environment variables.
    """
    async with AsyncExitStack() as stack:
        redis = await stack.enter_async_context(redis_server(folder))
        shared = {
            "DATABASE_URL": database,
            "REDIS_URL": redis.url,
            "SPROUT_DATA_DIR": str(folder),
            "SPROUT_TRUSTED_PROXIES": "127.0.0.1",
            **settings,
        }
        places: list[ServerSite] = []
        for name, command in (("web-0", "serve"), ("web-1", "serve"), ("worker", "worker")):
            (folder / name).mkdir()
            places.append(ServerSite(folder / name, model_url, settings=shared, command=_command(command)))
            stack.push_async_callback(places[-1].kill_all)
        await asyncio.gather(*(place.start() for place in places))
        port = await stack.enter_async_context(running_balancer(folder / "nginx", places[:2]))
        yield f"http://127.0.0.1:{port}"


def place_beside(web: ServerSite, name: str, command: str, fork_server: Process | None = None) -> ServerSite:
    """A further process's place: with a log of its own, and the files of documents of the first web process."""
    folder = web.data / name
    folder.mkdir()
    return ServerSite(
        folder,
        web.model_url,
        fork_server,
        {**web.settings, "SPROUT_DATA_DIR": str(web.data)},
        command=_command(command),
    )


def _command(name: str) -> tuple[str, ...]:
    return (prefork_python(), "-P", "-m", "sprout", name)
