"""Two servers on one PostgreSQL and one Redis: each serves the streams of the other's runs (scale.md X4, X5)."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2

from harness.servers.redis import RedisServer, redis_server
from harness.services import require
from sprout.learning.paths.repository import DEFAULT_USER_ID
from tests.project.commands import serve_sprout

ENOUGH_S = 120.0
SLOW = {"SPROUT_OFFLINE_TOKENS_PER_S": "150"}
USER = {"userId": DEFAULT_USER_ID}


async def create_topic(client: httpx2.AsyncClient) -> str:
    """The root of a path to a course that the offline model has."""
    title = (await client.get("/api/status")).json()["suggestions"][0]["title"]
    branch = (await client.post("/api/branches", json={**USER, "title": title})).json()["id"]
    node = {**USER, "type": "root", "title": title, "branchId": branch}
    return str((await client.post("/api/nodes", json=node)).json()["id"])


async def events(url: str, run_id: str) -> AsyncIterator[tuple[str, str, dict[str, Any]]]:
    """Id, kind and data of each event of a run's stream, to its end."""
    async with httpx2.AsyncClient(base_url=url, timeout=ENOUGH_S) as client:
        async with client.stream("GET", f"/api/runs/{run_id}/events") as answer:
            seq = kind = ""
            async for line in answer.aiter_lines():
                name, _, value = line.partition(": ")
                if name == "id":
                    seq = value
                elif name == "event":
                    kind = value
                elif name == "data":
                    yield seq, kind, json.loads(value)
                    seq = ""


async def read(url: str, run_id: str) -> list[tuple[str, str, dict[str, Any]]]:
    async with asyncio.timeout(ENOUGH_S):
        return [event async for event in events(url, run_id)]


async def start_run(url: str) -> str:
    async with httpx2.AsyncClient(base_url=url, timeout=ENOUGH_S) as client:
        path = f"/api/agents/topics/{await create_topic(client)}/run?wait=false"
        return str((await client.post(path, json={**USER, "small": True})).json()["id"])


def stored(received: list[tuple[str, str, dict[str, Any]]]) -> list[tuple[str, str, dict[str, Any]]]:
    return [event for event in received if event[0]]


async def test_X4_each_server_streams_a_run_of_the_other_live_and_whole(postgres_url: str, tmp_path: Path) -> None:
    require("redis")
    async with redis_server(tmp_path) as redis:
        settings = {"DATABASE_URL": postgres_url, "REDIS_URL": redis.url, **SLOW}
        for name in ("one", "other"):
            (tmp_path / name).mkdir()
        async with (
            serve_sprout("serve", "--port", "0", folder=tmp_path / "one", **settings) as (_, one),
            serve_sprout("serve", "--port", "0", folder=tmp_path / "other", **settings) as (_, other),
        ):
            run_id = await start_run(one)
            here, there = await asyncio.gather(read(one, run_id), read(other, run_id))
    assert stored(here) == stored(there)
    assert there[-1][1] == "run_done"
    assert there[-1][2]["status"] == "completed"
    assert [kind for _, kind, _ in there if kind.endswith("_delta")]
    assert texts_before_blocks(there) == texts_before_blocks(here)


def texts_before_blocks(received: list[tuple[str, str, dict[str, Any]]]) -> dict[str, bool]:
    """For each whole block whether the text that was shown of it before is how it begins."""
    shown: dict[str, str] = {}
    right: dict[str, bool] = {}
    for _, kind, data in received:
        block = data.get("blockId")
        if block is None:
            continue
        if kind.endswith("_delta"):
            shown[block] = shown.get(block, "") + data["text"]
        elif kind == "block_snapshot":
            shown[block] = data["text"]
        elif "text" in data:
            right[block] = data["text"].startswith(shown.get(block, ""))
    assert all(right.values())
    return right


async def test_X5_redis_is_lost_in_the_middle_of_a_run_and_no_reader_sees_it(postgres_url: str, tmp_path: Path) -> None:
    require("redis")
    async with redis_server(tmp_path) as redis:
        settings = {"DATABASE_URL": postgres_url, "REDIS_URL": redis.url, **SLOW}
        for name in ("one", "other"):
            (tmp_path / name).mkdir()
        async with (
            serve_sprout("serve", "--port", "0", folder=tmp_path / "one", **settings) as (_, one),
            serve_sprout("serve", "--port", "0", folder=tmp_path / "other", **settings) as (_, other),
        ):
            run_id = await start_run(one)
            reading = asyncio.gather(read(one, run_id), read(other, run_id))
            await asyncio.wait_for(restart_after_text(redis, other, run_id), ENOUGH_S)
            here, there = await reading
    assert stored(here) == stored(there)
    assert there[-1][2]["status"] == "completed"
    assert texts_before_blocks(there) == texts_before_blocks(here)


async def restart_after_text(redis: RedisServer, url: str, run_id: str) -> None:
    """Kill Redis once text is on its way, and start it again, empty, once the log has gone on."""
    deltas, killed_at = 0, None
    async for seq, kind, _ in events(url, run_id):
        deltas += kind.endswith("_delta")
        if deltas == 5 and killed_at is None:
            await redis.kill()
            killed_at = seq or "0"
        elif killed_at is not None and seq:
            await redis.start()
            return
    raise AssertionError("the run had ended before Redis was lost")
