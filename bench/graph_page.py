"""Reading everything that a path's page draws, with progress on each node, over HTTP."""

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

Shape = tuple[int, int]  # concepts, and parts of each

LARGE: Shape = (10, 29)
GROWING: dict[int, Shape] = {
    10: (3, 2),
    100: (9, 10),
    1_000: (37, 26),
}  # by their number of nodes, the topic's included
REQUESTS = 500
GROWTH_REQUESTS = 100
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


async def growth_ms() -> dict[int, float]:
    """Milliseconds of server CPU for a read of paths of 10, 100 and 1,000 nodes."""
    cpu_ms = {}
    with tempfile.TemporaryDirectory(prefix="sprout-bench-") as folder:
        async with sprout_server(NO_MODEL, Path(folder), note_taking=False) as server:
            for nodes, shape in GROWING.items():
                async with httpx2.AsyncClient(base_url=server.url) as client:
                    address = f"/api/branches/{await _planted(client, shape)}/graph"
                cpu_ms[nodes] = (await _read(server, address, GROWTH_REQUESTS)).cpu_ms
    return cpu_ms


async def readings() -> tuple[Reading, Reading]:
    """Sprout's and the floor's, asked in turns by one client that takes the answer compressed, as a browser does."""
    with tempfile.TemporaryDirectory(prefix="sprout-bench-") as folder:
        async with sprout_server(NO_MODEL, Path(folder), note_taking=False) as sprout:
            async with httpx2.AsyncClient(base_url=sprout.url) as client:
                address = f"/api/branches/{await _planted(client, LARGE)}/graph"
                answer = await client.get(address)
            page = Path(folder) / "page.json.gz"
            page.write_bytes(gzip.compress(answer.content, 6))
            async with page_floor_server(page) as floor:
                return await _in_turns((sprout, address), (floor, PATH))


async def _planted(client: httpx2.AsyncClient, shape: Shape) -> str:
    """The id of a branch of this shape, all of whose nodes the learner has come to."""
    answer = await client.post("/api/graphs", json=_path(*shape))
    answer.raise_for_status()
    branch = str(answer.json()["branch"]["id"])
    nodes = (await client.get("/api/nodes", params={"branchId": branch})).json()
    for node in nodes:
        entered = {"userId": DEFAULT_USER_ID, "nodeId": node["id"]}
        (await client.post("/api/progress", json=entered)).raise_for_status()
    return branch


async def _in_turns(one: tuple[Server, str], other: tuple[Server, str]) -> tuple[Reading, Reading]:
    return await _read(*one, REQUESTS), await _read(*other, REQUESTS)


async def _read(server: Server, address: str, requests: int) -> Reading:
    async with httpx2.AsyncClient(base_url=server.url) as client:
        for _ in range(WARMING):
            (await client.get(address)).raise_for_status()
        before = server.cpu_s()
        waits_ms = [await _waited_ms(client, address) for _ in range(requests)]
    return Reading(tuple(waits_ms), (server.cpu_s() - before) / requests * 1_000)


async def _waited_ms(client: httpx2.AsyncClient, address: str) -> float:
    """Until the last byte is there; unpacking and reading it is the client's own time."""
    began = time.perf_counter()
    async with client.stream("GET", address) as answer:
        answer.raise_for_status()
        async for _ in answer.aiter_raw():
            pass
    return (time.perf_counter() - began) * 1_000


def _path(concepts: int, parts: int) -> dict[str, Any]:
    return {
        "sprout_path": 1,
        "title": "Large",
        "topic": {"title": "Large"},
        "concepts": [
            {
                "title": f"Concept {number}",
                "desc": DESC * 2,
                "subconcepts": [{"title": f"Part {number}.{part}", "desc": DESC * 2} for part in range(parts)],
                "edges": [
                    {"from": f"Part {number}.{part}", "to": f"Part {number}.{part + 1}"} for part in range(parts - 1)
                ],
            }
            for number in range(concepts)
        ],
        "edges": [{"from": f"Concept {number}", "to": f"Concept {number + 1}"} for number in range(concepts - 1)],
    }
