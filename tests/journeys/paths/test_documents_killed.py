"""A server killed between reading a document and keeping what it says: read again, or given up, and never in a loop."""

import asyncio
from pathlib import Path
from typing import Any

from harness.journeys.sprout_server import SproutServer
from tests.journeys.support.processes import server_at, start_process
from tests.project.commands import start_sprout

USER = "00000000-0000-0000-0000-000000000000"
NOTES = b"# Light\n\nLight is fast and travels straight.\n\n## Shadow\n\nA shadow is where light does not come.\n"
KILLED = -9
DIES_WITHIN_S = 90


async def _made(grown: SproutServer, path: str, body: dict[str, Any]) -> str:
    answer = await grown.client.post(f"/api{path}", json={"userId": USER, **body})
    assert answer.is_success, answer.text
    return str(answer.json()["id"])


async def _topic(grown: SproutServer) -> str:
    branch = await _made(grown, "/branches", {"title": "Light"})
    return await _made(grown, "/nodes", {"type": "root", "title": "Light", "branchId": branch})


async def _sent(grown: SproutServer, root: str) -> None:
    files = {"files": ("notes.md", NOTES, "text/markdown")}
    assert (await grown.client.post(f"/api/nodes/{root}/documents", files=files)).status_code == 201


async def _read(grown: SproutServer, root: str) -> dict[str, Any]:
    while True:
        (document,) = (await grown.client.get(f"/api/nodes/{root}/documents")).json()
        if document["extractionStatus"] != "pending":
            return dict(document)


async def test_P1_killed_after_reading_a_document_the_next_server_reads_it_and_a_run_at_once_waits_for_it(
    tmp_path: Path,
) -> None:
    async with start_process(tmp_path, port="0", SPROUT_CRASH_AT="document_parsed") as (server, url):
        async with server_at(url) as grown:
            root = await _topic(grown)
            await _sent(grown, root)
        async with asyncio.timeout(DIES_WITHIN_S):
            assert await server.wait() == KILLED
    async with start_process(tmp_path, port="0") as (_, url), server_at(url) as grown:
        order = f"/api/agents/topics/{root}/run"
        async with asyncio.timeout(DIES_WITHIN_S):
            response = (await grown.client.post(order, json={"userId": USER, "small": False})).text
            document = await _read(grown, root)
        assert '"status":"completed"' in response
        assert (document["extractionStatus"], document["passages"]) == ("completed", 2)
        assert '"extract_all_concept_contexts"' in response, "the agent had the notes when it began"
        assert (await grown.client.get(f"/api/nodes?parentId={root}")).json()


async def test_P1_a_document_that_kills_every_server_is_given_up_and_the_server_stands(tmp_path: Path) -> None:
    async with start_process(tmp_path, port="0", SPROUT_CRASH_AT="document_parsed") as (server, url):
        async with server_at(url) as grown:
            root = await _topic(grown)
            await _sent(grown, root)
        async with asyncio.timeout(DIES_WITHIN_S):
            assert await server.wait() == KILLED
    for _ in range(2):
        settings = {"SPROUT_LOG_LEVEL": "error", "SPROUT_CRASH_AT": "document_parsed"}
        dying = await start_sprout("serve", "--port", "0", folder=tmp_path, **settings)
        async with asyncio.timeout(DIES_WITHIN_S):
            await dying.communicate()
        assert dying.returncode == KILLED
    async with start_process(tmp_path, port="0", SPROUT_CRASH_AT="document_parsed") as (server, url):
        async with server_at(url) as grown:
            async with asyncio.timeout(DIES_WITHIN_S):
                document = await _read(grown, root)
            assert document["extractionStatus"] == "failed"
            assert "broken off 3 times" in document["extractionError"]
            order = f"/api/agents/topics/{root}/run"
            refused = (await grown.client.post(order, json={"userId": USER, "small": True})).text
            assert "None of your notes could be read" in refused
            assert (await grown.client.get(f"/api/nodes?parentId={root}")).json() == []
            assert server.returncode is None
