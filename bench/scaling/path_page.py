"""Reading everything that a path's page draws, with progress on each node, over HTTP."""

import gzip
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from bench.baselines.static_server import PATH
from bench.servers.processes import page_floor_server, sprout_server
from harness.load.processes import MeasuredServer
from sprout.learning.paths.repository import DEFAULT_USER_ID

Shape = tuple[int, int]  # concepts, and parts of each

LARGE: Shape = (10, 29)
GROWING: dict[int, Shape] = {
    10: (3, 2),
    100: (9, 10),
    1_000: (37, 26),
}  # by their number of nodes, the topic's included
REQUESTS = 500
GROWTH_REQUESTS = 100
WARM_UP_REQUESTS = 20
NO_MODEL = "http://127.0.0.1:9"
DESC = "What it is, what it is not, and the one example that is worth to be kept in mind. "


@dataclass(frozen=True, slots=True)
class PageReading:
    """Duration of a request and the server's CPU time for it."""

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
                    address = f"/api/branches/{await create_path(client, shape)}/graph"
                cpu_ms[nodes] = (await _read(server, address, GROWTH_REQUESTS)).cpu_ms
    return cpu_ms


async def read_page() -> tuple[PageReading, PageReading]:
    """Sprout's and the floor's, asked in turns by one client that takes the answer compressed, as a browser does."""
    with tempfile.TemporaryDirectory(prefix="sprout-bench-") as folder:
        async with sprout_server(NO_MODEL, Path(folder), note_taking=False) as sprout:
            async with httpx2.AsyncClient(base_url=sprout.url) as client:
                address = f"/api/branches/{await create_path(client, LARGE)}/graph"
                answer = await client.get(address)
            page = Path(folder) / "page.json.gz"
            page.write_bytes(gzip.compress(answer.content, 6))
            async with page_floor_server(page) as floor:
                return await _alternate((sprout, address), (floor, PATH))


async def create_path(client: httpx2.AsyncClient, shape: Shape) -> str:
    """The id of a branch of this shape, all of whose nodes the learner has come to."""
    answer = await client.post("/api/graphs", json=_path_file(*shape))
    answer.raise_for_status()
    branch = str(answer.json()["branch"]["id"])
    nodes = (await client.get("/api/nodes", params={"branchId": branch})).json()
    for node in nodes:
        entered = {"userId": DEFAULT_USER_ID, "nodeId": node["id"]}
        (await client.post("/api/progress", json=entered)).raise_for_status()
    return branch


async def _alternate(
    one: tuple[MeasuredServer, str], other: tuple[MeasuredServer, str]
) -> tuple[PageReading, PageReading]:
    return await _read(*one, REQUESTS), await _read(*other, REQUESTS)


async def _read(server: MeasuredServer, address: str, requests: int) -> PageReading:
    async with httpx2.AsyncClient(base_url=server.url) as client:
        for _ in range(WARM_UP_REQUESTS):
            (await client.get(address)).raise_for_status()
        before = server.cpu_s()
        waits_ms = [await _timed_read_ms(client, address) for _ in range(requests)]
    return PageReading(tuple(waits_ms), (server.cpu_s() - before) / requests * 1_000)


async def _timed_read_ms(client: httpx2.AsyncClient, address: str) -> float:
    """Until the last byte is there; unpacking and reading it is the client's own time."""
    began = time.perf_counter()
    async with client.stream("GET", address) as answer:
        answer.raise_for_status()
        async for _ in answer.aiter_raw():
            pass
    return (time.perf_counter() - began) * 1_000


def _path_file(concepts: int, parts: int) -> dict[str, Any]:
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
