"""Whether the process is alive, and whether it can take requests: for whoever stands before it (faults.md P8)."""

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from faults.harness.scene import scene
from faults.harness.wire import Cut, asked
from sprout.app import Sprout, open_app, web_parts
from sprout.config import load_settings
from sprout.offline.pace import Pace
from sprout.store.database import Database
from sprout.store.looks import LooksOnLoop
from sprout.web.routes import web_app
from tests.serving import serving

SLOW = Pace(0.25, 60.0)
WITHIN_S = 90.0


@pytest.fixture
async def sprout(tmp_path: Path) -> AsyncIterator[Sprout]:
    async with open_app(load_settings(data_dir=tmp_path, api_key=None, base_url=None, database_url="")) as opened:
        yield opened


@asynccontextmanager
async def client_of(sprout: Sprout) -> AsyncIterator[httpx2.AsyncClient]:
    async with serving(web_app(web_parts(sprout))) as served, httpx2.AsyncClient(base_url=served.url) as client:
        yield client


async def refusal(client: httpx2.AsyncClient) -> str:
    """What is missing, as `/readyz` says it, while `/healthz` has nothing to complain of."""
    assert (await client.get("/healthz")).status_code == 200
    answer = await client.get("/readyz")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert answer.headers["cache-control"] == "no-store"
    assert list(answer.json()) == ["error"]
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
    away = Database(sprout.database.writer, LooksOnLoop(nowhere), nowhere)
    async with client_of(replace(sprout, database=away)) as client:
        assert await refusal(client) == "The database does not answer. Look at the server's log and at the database."


@pytest.mark.parametrize("change", ["update alembic_version set version_num = 'another'", "drop table alembic_version"])
async def test_with_a_schema_of_another_program_a_server_is_not_ready(sprout: Sprout, change: str) -> None:
    await sprout.database.write(lambda write: write.connection.execute(text(change)))
    async with client_of(sprout) as client:
        assert "Run `sprout migrate`" in await refusal(client)


async def test_without_the_built_in_model_a_server_is_not_ready(sprout: Sprout) -> None:
    async with client_of(replace(sprout, model_url="http://127.0.0.1:1")) as client:
        assert await refusal(client) == "The built-in model does not answer. Restart Sprout."
    async with client_of(replace(sprout, model_url=None)) as client:
        assert (await client.get("/readyz")).status_code == 200, "another model is asked when it is needed"


async def test_P8_a_server_that_is_about_to_stop_is_not_ready(sprout: Sprout) -> None:
    async with client_of(sprout) as client:
        sprout.runs.say_goodbye()
        assert await refusal(client) == "Sprout is about to stop. Try again in a few seconds."


async def test_P8_after_SIGTERM_under_open_streams_no_server_says_that_it_is_ready() -> None:
    async with scene(SLOW, warm=False) as stage, stage.within(WITHIN_S), asyncio.TaskGroup() as people:
        life = await stage.place.born()
        assert (await asked(stage.place.port, "GET", "/readyz")).status == 200
        reader = stage.reader(await stage.ordered())
        following = people.create_task(reader.to_the_end())
        await reader.grown(2)
        life.signal(signal.SIGTERM)
        await reader.until(lambda told: told.goodbyes > 0)
        try:
            assert (await asked(stage.place.port, "GET", "/readyz")).status == 503
        except Cut:
            pass  # it listens no more
        assert await life.ended() == 0
        following.cancel()
