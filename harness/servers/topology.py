"""Topology of several processes on one PostgreSQL and Redis: web processes, and workers that carry their runs."""

import asyncio
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from harness.database.postgres import create_postgres
from harness.prefork.python import prefork_python
from harness.servers.deployment import Deployment, open_deployment
from harness.servers.server_process import ServerSite
from harness.services import REDIS
from sprout.engines.procrastinate_schema import upgrade_queue
from sprout.offline.api.messages_api import OfflineModel
from sprout.offline.pace import Pace
from sprout.store.engine.migrate import upgrade
from sprout.store.engine.urls import libpq_url


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
        database = stack.enter_context(create_postgres())
        await asyncio.to_thread(migrate, database)
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


def migrate(database: str) -> None:
    """Bring the database and its job queue up to date."""
    upgrade(database)
    upgrade_queue(libpq_url(database))


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
