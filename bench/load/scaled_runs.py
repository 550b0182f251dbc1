"""B10: the same runs on one process, and on web processes and workers: throughput, waits, what was lost or doubled."""

import asyncio
import json
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx2

from bench.load.run_reader import new_topic
from bench.servers.processes import model_server, sprout_server
from bench.servers.scaled import ScaledServers, open_scaled, open_services
from harness.load.processes import MeasuredServer
from sprout.learning.paths.repository import DEFAULT_USER_ID

RUNS, AT_ONCE = 100, 25
FORMS = ((1, 1), (2, 2))  # web processes, workers
TIMEOUT_S = 600.0


@dataclass(frozen=True, slots=True)
class RunLoad:
    """Results of a number of runs, so many at a time.

    Args:
        run_ms: time of all runs by their number: throughput, turned over.
        cpu_ms: of Sprout's processes, for a run.
        first_ms: from the request to its first event, p50 and p99.
        mb_a_run: resident memory of Sprout's processes at its height, for each run at a time.
        faults: runs that did not end as they should, or whose events had a gap or came twice.
    """

    run_ms: float
    cpu_ms: float
    first_ms: tuple[float, float]
    mb_a_run: float
    faults: int


async def measure_forms() -> dict[str, RunLoad]:
    """The load on one process, and on each form of many processes, by their names."""
    found: dict[str, RunLoad] = {}
    async with model_server("notes") as base_url:
        with tempfile.TemporaryDirectory(prefix="sprout-bench-") as folder:
            async with sprout_server(base_url, Path(folder), note_taking=True) as alone:
                found["one process"] = await _measure(ScaledServers((alone,), ()))
        for webs, workers in FORMS:
            with tempfile.TemporaryDirectory(prefix="sprout-bench-") as folder:
                place = Path(folder)
                async with (
                    open_services(place) as services,
                    open_scaled(base_url, place, services, webs=webs, workers=workers) as servers,
                ):
                    found[f"{webs} web + {workers} worker"] = await _measure(servers)
    return found


async def _measure(servers: ScaledServers) -> RunLoad:
    async with httpx2.AsyncClient(base_url=servers.webs[0].url, timeout=TIMEOUT_S) as client:
        topics = [await new_topic(client, f"Notes {number}") for number in range(RUNS + AT_ONCE)]
    await _run_all(servers.webs, topics[:AT_ONCE])  # warms every process
    cpu_s, height, began_s = servers.cpu_s(), servers.memory_bytes(), time.monotonic()
    before = height
    running = asyncio.create_task(_run_all(servers.webs, topics[AT_ONCE:]))
    while not running.done():
        height = max(height, servers.memory_bytes())
        await asyncio.wait({running}, timeout=0.5)
    took_s = time.monotonic() - began_s
    runs = running.result()
    hundredths = statistics.quantiles([first_ms for first_ms, _ in runs], n=100)
    return RunLoad(
        run_ms=took_s * 1_000 / RUNS,
        cpu_ms=(servers.cpu_s() - cpu_s) * 1_000 / RUNS,
        first_ms=(hundredths[49], hundredths[98]),
        mb_a_run=(height - before) / AT_ONCE / 1024 / 1024,
        faults=sum(not whole for _, whole in runs),
    )


async def _run_all(webs: Sequence[MeasuredServer], topics: Sequence[str]) -> list[tuple[float, bool]]:
    """Each run's time to its first event in ms, and whether it was whole; the web processes are asked in turns."""
    places = asyncio.Semaphore(AT_ONCE)
    clients = [httpx2.AsyncClient(base_url=web.url, timeout=TIMEOUT_S) for web in webs]

    async def run(number: int, topic_id: str) -> tuple[float, bool]:
        async with places:
            return await _read(clients[number % len(clients)], topic_id)

    try:
        return list(await asyncio.gather(*(run(number, topic_id) for number, topic_id in enumerate(topics))))
    finally:
        for client in clients:
            await client.aclose()


async def _read(client: httpx2.AsyncClient, topic_id: str) -> tuple[float, bool]:
    path, body = f"/api/agents/topics/{topic_id}/run", {"userId": DEFAULT_USER_ID, "small": False}
    began_s, first_ms, last, whole = time.perf_counter(), 0.0, 0, True
    data = ""
    async with client.stream("POST", path, json=body) as answer:
        answer.raise_for_status()
        async for line in answer.aiter_lines():
            if line.startswith("id: "):
                first_ms = first_ms or (time.perf_counter() - began_s) * 1_000
                whole = whole and int(line[4:]) == last + 1
                last = int(line[4:])
            elif line.startswith("data: "):
                data = line[6:]
    return first_ms, whole and json.loads(data).get("status") == "completed"
