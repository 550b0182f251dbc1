"""Many machines on one: nginx before web processes, workers, and a PostgreSQL and a Redis that can be lost."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from harness.load.processes import free_port
from harness.servers.deployment import Deployment, open_deployment
from harness.servers.nginx import running_nginx
from harness.servers.postgres import PostgresServer, postgres_server
from harness.servers.redis import RedisServer, redis_server
from harness.servers.server_process import ServerSite, start_fork_server
from harness.servers.topology import migrate, place_beside
from sprout.offline.api.messages_api import OfflineModel
from sprout.offline.pace import Pace

BALANCER = Path(__file__).parents[2] / "deploy" / "nginx" / "nginx.conf"


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
        clients.server.port = await stack.enter_async_context(_balancer(folder, places["serve"]))
        yield Machines(clients, tuple(places["serve"]), tuple(places["worker"]), postgres, redis)


@asynccontextmanager
async def _balancer(folder: Path, webs: Sequence[ServerSite]) -> AsyncIterator[int]:
    """The port of the balancer that Sprout is delivered with, before these web processes."""
    port = free_port()
    _write_settings(folder, port, webs)
    async with running_nginx(folder / "nginx.conf", port, folder):
        yield port


def _write_settings(folder: Path, port: int, webs: Sequence[ServerSite]) -> None:
    folder.mkdir()
    shutil.copy(BALANCER, folder)
    servers = "".join(
        f"server 127.0.0.1:{web.port} {kind}; "
        for kind in ("max_fails=1 fail_timeout=2s", "max_fails=0 backup")
        for web in webs
    )
    upstream = f"upstream sprout {{ least_conn; {servers} keepalive 64; keepalive_timeout 4s; }}"
    (folder / "upstream.conf").write_text(upstream)
    (folder / "listen.conf").write_text(f"listen 127.0.0.1:{port};")
