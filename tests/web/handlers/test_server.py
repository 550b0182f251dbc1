"""Liveness and readiness of the process, for the proxy before it (faults.md P8)."""

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from harness.builders import RecordingDispatcher
from harness.clients.raw_http import ConnectionCut, send_request
from harness.database.empty_sqlite import create_empty_database
from harness.servers.deployment import open_deployment
from harness.servers.in_process import serve_app
from sprout.app import Sprout, open_app, web_dependencies
from sprout.config import load_settings
from sprout.offline.pace import Pace
from sprout.store.engine.database import Database
from sprout.store.engine.migrate import migrations
from sprout.store.engine.read_pool import AsyncReadPool
from sprout.store.runs.repository import SqlRunStore
from sprout.web.routes import web_app

SLOW = Pace(0.25, 60.0)
WITHIN_S = 90.0
(FIRST_SCHEMA,) = ScriptDirectory.from_config(migrations()).get_bases()


@pytest.fixture
async def sprout(tmp_path: Path) -> AsyncIterator[Sprout]:
    create_empty_database(tmp_path)
    async with open_app(load_settings(data_dir=tmp_path, api_key=None, base_url=None, database_url="")) as opened:
        yield opened


@asynccontextmanager
async def client_of(sprout: Sprout) -> AsyncIterator[httpx2.AsyncClient]:
    async with (
        serve_app(web_app(web_dependencies(sprout))) as served,
        httpx2.AsyncClient(base_url=served.url, verify=False) as client,
    ):
        yield client


async def refusal(client: httpx2.AsyncClient) -> str:
    """Reason in `/readyz` while `/healthz` reports no problem."""
    assert (await client.get("/healthz")).status_code == 200
    answer = await client.get("/readyz")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert answer.headers["cache-control"] == "no-store"
    assert list(answer.json()) == ["error", "code"]
    return str(answer.json()["error"])


async def test_a_server_that_has_all_it_needs_is_alive_and_ready(sprout: Sprout) -> None:
    async with client_of(sprout) as client:
        for address in ("/healthz", "/readyz"):
            answer = await client.get(address)
            assert (answer.status_code, answer.json()["status"]) == (200, "ok")
            assert answer.headers["cache-control"] == "no-store"
            assert (await client.post(address)).status_code == 405


async def test_without_its_database_a_server_is_alive_and_not_ready(sprout: Sprout, tmp_path: Path) -> None:
    nowhere = create_async_engine(f"sqlite+aiosqlite:///{tmp_path / 'no folder' / 'no file'}")
    away = Database(sprout.database.writer, AsyncReadPool(nowhere, nowhere), nowhere)
    async with client_of(replace(sprout, database=away)) as client:
        assert await refusal(client) == "The database does not respond. Check the database and the server's log."


async def test_X7_metrics_say_how_many_runs_wait_and_are_there_without_a_database_too(
    sprout: Sprout, tmp_path: Path
) -> None:
    nowhere = create_async_engine(f"sqlite+aiosqlite:///{tmp_path / 'no folder' / 'no file'}")
    away = Database(sprout.database.writer, AsyncReadPool(nowhere, nowhere), nowhere)
    runs = SqlRunStore(away, print, RecordingDispatcher())
    async with client_of(sprout) as client:
        assert "\nsprout_waiting_runs 0.0\n" in (await client.get("/metrics")).text
    async with client_of(replace(sprout, stores=replace(sprout.stores, runs=runs))) as client:
        answer = await client.get("/metrics")
    assert "sprout_open_streams 0.0" in answer.text
    assert "sprout_waiting_runs" not in answer.text


@pytest.mark.parametrize(
    "change", [f"update alembic_version set version_num = '{FIRST_SCHEMA}'", "drop table alembic_version"]
)
async def test_without_the_schema_that_it_needs_a_server_is_not_ready(sprout: Sprout, change: str) -> None:
    await sprout.database.write_tx(lambda write: write.connection.execute(text(change)))
    async with client_of(sprout) as client:
        assert "Run `sprout migrate`" in await refusal(client)


async def test_X6_a_server_stays_ready_when_a_newer_program_has_migrated_its_database(sprout: Sprout) -> None:
    newer = text("update alembic_version set version_num = 'newer'")
    await sprout.database.write_tx(lambda write: write.connection.execute(newer))
    async with client_of(sprout) as client:
        assert (await client.get("/readyz")).status_code == 200


async def test_without_the_built_in_model_a_server_is_not_ready(sprout: Sprout) -> None:
    async with client_of(replace(sprout, model_url="http://127.0.0.1:1")) as client:
        assert await refusal(client) == "The built-in model does not respond. Restart Sprout."
    async with client_of(replace(sprout, model_url=None)) as client:
        assert (await client.get("/readyz")).status_code == 200, "another model is asked when it is needed"


async def test_P8_a_server_that_is_about_to_stop_is_not_ready(sprout: Sprout) -> None:
    async with client_of(sprout) as client:
        sprout.runs.begin_shutdown()
        assert await refusal(client) == "Sprout is restarting. Try again in a few seconds."


async def test_P8_after_SIGTERM_under_open_streams_no_server_says_that_it_is_ready() -> None:
    async with open_deployment(SLOW, warm=False) as stage, stage.time_limit(WITHIN_S), asyncio.TaskGroup() as people:
        life = await stage.server.start()
        assert (await send_request(stage.server.port, "GET", "/readyz")).status == 200
        reader = stage.add_reader(await stage.start_run())
        following = people.create_task(reader.read_to_end())
        await reader.wait_for_events(2)
        life.send_signal(signal.SIGTERM)
        await reader.wait_until(lambda reader: reader.reconnects > 0)
        try:
            assert (await send_request(stage.server.port, "GET", "/readyz")).status == 503
        except ConnectionCut:
            pass  # it listens no more
        assert await life.wait_ended() == 0
        following.cancel()


@pytest.mark.parametrize(
    ("trusted", "statuses"), [("", [200, 429, 429, 429]), ("127.0.0.1,10.0.0.0/8", [200, 200, 429, 429])]
)
async def test_Z11_only_a_trusted_proxy_says_from_which_address_a_request_comes(
    trusted: str, statuses: list[int]
) -> None:
    settings = {
        "SPROUT_TRUSTED_PROXIES": trusted,
        "SPROUT_LIMITS__REQUESTS_PER_S": "0.001",
        "SPROUT_LIMITS__REQUESTS_BURST": "1",
    }
    # The last is what somebody at the first address sends, with words before it, through two proxies.
    chains = ["192.0.2.1", "192.0.2.2", "192.0.2.1", "198.51.100.9, 192.0.2.1, 10.1.1.1"]
    async with open_deployment(SLOW, settings=settings, warm=False) as stage, stage.time_limit(WITHIN_S):
        await stage.server.start()
        async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{stage.server.port}") as client:
            answers = [await client.get("/api/health", headers={"X-Forwarded-For": chain}) for chain in chains]
    assert [answer.status_code for answer in answers] == statuses
