"""Processes that are started before what they need: each waits, says for what, and goes on (scale.md X5)."""

import asyncio
import json
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import pytest

from harness.clients.raw_http import ConnectionCut, RawResponse, send_request
from harness.prefork.python import prefork_python
from harness.servers.postgres import PostgresServer, postgres_programs, postgres_server
from harness.servers.redis import RedisServer, redis_server
from harness.servers.server_process import ServerProcess, ServerSite
from harness.services import require, require_part
from tests.project.commands import run_sprout

WITHIN_S = 60.0
POLL_S = 0.05
POSTGRESQL, MIGRATION, REDIS = "PostgreSQL", "`sprout migrate`", "Redis"
ROLES = ("serve", "worker")


@dataclass(slots=True)
class Services:
    """A PostgreSQL and a Redis of the tests' own, and the place of a web process and of a worker."""

    postgres: PostgresServer
    redis: RedisServer
    folder: Path
    processes: dict[str, tuple[ServerSite, ServerProcess]] = field(default_factory=dict)

    @property
    def settings(self) -> dict[str, str]:
        return {"DATABASE_URL": self.postgres.url, "REDIS_URL": self.redis.url}

    async def provide(self, service: str) -> None:
        if service == POSTGRESQL:
            await self.postgres.start()
        elif service == REDIS:
            await self.redis.start()
        else:
            migrated = await run_sprout("migrate", folder=self.folder, **self.settings)
            assert migrated.code == 0, migrated.err

    async def start(self, role: str) -> None:
        folder = self.folder / role
        folder.mkdir(exist_ok=True)
        command = (prefork_python(), "-P", "-m", "sprout", role)
        place = ServerSite(folder, "http://127.0.0.1:9", None, self.settings, command=command)
        self.processes[role] = (place, await place.start())

    async def readiness(self, role: str, status: int, words: str) -> None:
        """Wait until `/readyz` says so, alive at each look."""
        answer: RawResponse | None = None
        async with asyncio.timeout(WITHIN_S):
            while answer is None or answer.status != status or words not in str(answer.body):
                await asyncio.sleep(POLL_S)
                assert (await self.get(role, "/healthz")).status == 200
                answer = await self.get(role, "/readyz")

    async def get(self, role: str, path: str) -> RawResponse:
        """The answer, as a probe gets it that asks again where it is cut off: once, as the process goes on."""
        port = self.processes[role][0].port
        try:
            return await send_request(port, "GET", path)
        except ConnectionCut:
            return await send_request(port, "GET", path)

    def waited_for(self, role: str) -> list[str]:
        """The services that the log names, and whether it went on."""
        said = {"start.waits": "{kind}", "start.goes_on": "and went on"}
        lines = [json.loads(line) for line in self.processes[role][0].log.read_text().splitlines() if line[:1] == "{"]
        return [said[line["event"]].format(**line) for line in lines if line["event"] in said]


@pytest.fixture(scope="module")
async def own_postgres() -> AsyncIterator[PostgresServer]:
    require("postgres")
    require_part("postgres", None if postgres_programs() else "there are no programs of PostgreSQL here")
    async with postgres_server() as server:
        yield server


@pytest.fixture
async def services(own_postgres: PostgresServer, tmp_path: Path) -> AsyncIterator[Services]:
    """Nothing is there but an empty database."""
    require("redis")
    with psycopg.connect(own_postgres.url) as connection:
        connection.execute("drop schema public cascade")
        connection.execute("create schema public")
    async with redis_server(tmp_path) as redis:
        await redis.kill()
        opened = Services(own_postgres, redis, tmp_path)
        try:
            async with stopped(own_postgres):
                yield opened
        finally:
            for place, _ in opened.processes.values():
                await place.kill_all()


@asynccontextmanager
async def stopped(server: PostgresServer) -> AsyncIterator[None]:
    await server.crash()
    try:
        yield
    finally:
        if not server.is_running:
            await server.start()


@pytest.mark.parametrize(
    ("order", "waits"),
    [
        ((POSTGRESQL, MIGRATION, REDIS), (POSTGRESQL, MIGRATION, REDIS)),
        ((REDIS, POSTGRESQL, MIGRATION), (POSTGRESQL, POSTGRESQL, MIGRATION)),
    ],
    ids=["redis last", "migration last"],
)
async def test_X5_web_processes_and_workers_that_are_started_first_wait_for_each_service_and_come_up(
    services: Services, order: tuple[str, ...], waits: tuple[str, ...]
) -> None:
    await asyncio.gather(*map(services.start, ROLES))
    for service, missing in zip(order, waits, strict=True):
        for role in ROLES:
            await services.readiness(role, 503, missing)
        refused = await services.get("serve", "/api/status")
        assert (refused.status, refused.headers["retry-after"]) == (503, "5")
        await services.provide(service)
    for role in ROLES:
        await services.readiness(role, 200, "ok")
        assert services.waited_for(role) == [*dict.fromkeys(waits), "and went on"]
        assert services.processes[role][0].errors() == []


@pytest.mark.parametrize("there", [(), (POSTGRESQL,), (POSTGRESQL, MIGRATION)], ids=lambda there: f"{len(there)} there")
async def test_X5_a_process_that_is_asked_to_go_while_it_waits_ends_at_once_with_0(
    services: Services, there: tuple[str, ...]
) -> None:
    for service in there:
        await services.provide(service)
    await asyncio.gather(*map(services.start, ROLES))
    for role in ROLES:
        await services.readiness(role, 503, "")
        process = services.processes[role][1]
        process.send_signal(signal.SIGTERM)
        assert await process.wait_ended() == 0
        assert "Traceback" not in services.processes[role][0].log.read_text()
        assert len(services.waited_for(role)) == 1
