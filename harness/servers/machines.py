"""Many machines on one: nginx before web processes, workers, and a PostgreSQL and a Redis that can be lost."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from harness.database.postgres import migrate
from harness.servers.balancer import running_balancer
from harness.servers.deployment import Deployment, open_deployment
from harness.servers.postgres import PostgresServer, postgres_server
from harness.servers.redis import RedisServer, redis_server
from harness.servers.server_process import ServerSite, start_fork_server
from harness.servers.topology import place_beside
from sprout.offline.api.messages_api import OfflineModel
from sprout.offline.pace import Pace


@dataclass(frozen=True, slots=True)
class Machines:
    """Places of processes, none of which has started, and the clients before the balancer."""

    clients: Deployment
    webs: tuple[ServerSite, ...]
    workers: tuple[ServerSite, ...]
    postgres: PostgresServer
    redis: RedisServer

    @property
    def processes(self) -> tuple[ServerSite, ...]:
        return (*self.webs, *self.workers)

    async def start(self) -> None:
        await asyncio.gather(*(place.start() for place in self.processes))


@asynccontextmanager
async def open_machines(
    pace: Pace,
    *,
    webs: int = 2,
    workers: int = 2,
    settings: Mapping[str, str] | None = None,
    model: OfflineModel | None = None,
) -> AsyncIterator[Machines]:
    """A database that is up to date, the balancer, and places for web processes and workers; all end with the block.

    Args:
        pace: of the model.
        model: the model, where it is not the one of small paths.
    """
    async with AsyncExitStack() as stack:
        postgres = await stack.enter_async_context(postgres_server())
        shared = {**(settings or {}), "SPROUT_TRUSTED_PROXIES": "127.0.0.1"}
        clients = await stack.enter_async_context(
            open_deployment(pace, settings=shared, database=postgres.url, warm=False, model=model)
        )
        redis = await stack.enter_async_context(redis_server(clients.server.data))
        await asyncio.to_thread(migrate, postgres.url)
        clients.server.settings = {**clients.server.settings, "REDIS_URL": redis.url}
        places: dict[str, list[ServerSite]] = {"serve": [], "worker": []}
        for command in ["serve"] * webs + ["worker"] * workers:
            fork_server = await stack.enter_async_context(start_fork_server())
            name = f"{command}-{len(places[command])}"
            places[command].append(place_beside(clients.server, name, command, fork_server))
            stack.push_async_callback(places[command][-1].kill_all)
        folder = clients.server.data / "nginx"
        clients.server.port = await stack.enter_async_context(running_balancer(folder, places["serve"]))
        yield Machines(clients, tuple(places["serve"]), tuple(places["worker"]), postgres, redis)
