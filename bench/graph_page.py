"""Reading everything that a path's page draws, with 300 nodes and progress on each, over HTTP."""

import gzip
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from bench.page_floor import PATH
from bench.processes import Server, page_floor_server, sprout_server
from sprout.learning.paths.library import DEFAULT_USER_ID

CONCEPTS, PARTS = 10, 29
NODES = 1 + CONCEPTS * (1 + PARTS)
REQUESTS = 500
WARMING = 20
NO_MODEL = "http://127.0.0.1:9"
DESC = "What it is, what it is not, and the one example that is worth to be kept in mind. "


@dataclass(frozen=True, slots=True)
class Reading:
    """What a request took and what the server worked for it."""

    waits_ms: tuple[float, ...]
    cpu_ms: float

    @property
    def p50_ms(self) -> float:
        return statistics.median(self.waits_ms)

    @property
    def p99_ms(self) -> float:
        return sorted(self.waits_ms)[int(0.99 * len(self.waits_ms))]


async def readings() -> tuple[Reading, Reading]:
    """Sprout's and the floor's, asked in turns by one client that takes the answer compressed, as a browser does."""
    with tempfile.TemporaryDirectory(prefix="sprout-bench-") as folder:
        async with sprout_server(NO_MODEL, Path(folder), note_taking=False) as sprout:
            async with httpx2.AsyncClient(base_url=sprout.url) as client:
                address = f"/api/branches/{await _planted(client)}/graph"
                answer = await client.get(address)
            page = Path(folder) / "page.json.gz"
            page.write_bytes(gzip.compress(answer.content, 6))
            async with page_floor_server(page) as floor:
                return await _in_turns((sprout, address), (floor, PATH))


async def _planted(client: httpx2.AsyncClient) -> str:
    """The id of a branch with 300 nodes, all of which the learner has come to."""
    answer = await client.post("/api/graphs", json=_path())
    answer.raise_for_status()
    branch = str(answer.json()["branch"]["id"])
    nodes = (await client.get("/api/nodes", params={"branchId": branch})).json()
    for node in nodes:
        entered = {"userId": DEFAULT_USER_ID, "nodeId": node["id"]}
        (await client.post("/api/progress", json=entered)).raise_for_status()
    return branch


async def _in_turns(*sides: tuple[Server, str]) -> tuple[Reading, Reading]:
    waits: list[list[float]] = [[] for _ in sides]
    cpu_s = [0.0 for _ in sides]
    for at, (server, address) in enumerate(sides):
        async with httpx2.AsyncClient(base_url=server.url) as client:
            for _ in range(WARMING):
                (await client.get(address)).raise_for_status()
            before = server.cpu_s()
            for _ in range(REQUESTS):
                waits[at].append(await _waited_ms(client, address))
            cpu_s[at] = server.cpu_s() - before
    first, second = (Reading(tuple(of), used / REQUESTS * 1_000) for of, used in zip(waits, cpu_s, strict=True))
    return first, second


async def _waited_ms(client: httpx2.AsyncClient, address: str) -> float:
    """Until the last byte is there; unpacking and reading it is the client's own time."""
    began = time.perf_counter()
    async with client.stream("GET", address) as answer:
        answer.raise_for_status()
        async for _ in answer.aiter_raw():
            pass
    return (time.perf_counter() - began) * 1_000


def _path() -> dict[str, Any]:
    return {
        "sprout_path": 1,
        "title": "Large",
        "topic": {"title": "Large"},
        "concepts": [
            {
                "title": f"Concept {number}",
                "desc": DESC * 2,
                "subconcepts": [{"title": f"Part {number}.{part}", "desc": DESC * 2} for part in range(PARTS)],
                "edges": [
                    {"from": f"Part {number}.{part}", "to": f"Part {number}.{part + 1}"} for part in range(PARTS - 1)
                ],
            }
            for number in range(CONCEPTS)
        ],
        "edges": [{"from": f"Concept {number}", "to": f"Concept {number + 1}"} for number in range(CONCEPTS - 1)],
    }
