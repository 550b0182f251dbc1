"""B7 on many processes: a thousand idle streams and two hundred busy ones, on two web processes.

`python -m bench B7-SCALED` takes two minutes, `python -m bench.load.scaled_streams SECONDS` so many seconds.
"""

import asyncio
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import httpx2

from bench.figure import Figure
from bench.load.streams import ACTIVE, GROWTH_MB_AN_HOUR, IDLE, P99_MS, SECONDS, STREAM_KB, growth_mb_an_hour, quantiles
from bench.results import write_results
from bench.servers.scaled import ScaledServers, open_scaled, open_services
from harness.load.processes import raise_open_file_limit, streams_server
from harness.load.stream_client import (
    CountingReader,
    delivery_delays_ms,
    open_client,
    open_readers,
    post_command,
    wait_until,
)

WEBS = 2
RATE = 3.0  # stored events a second of a busy run, as of a tool call a second; text is not stored as it grows
NO_MODEL = "http://127.0.0.1:9"


async def measure_scaled_streams(seconds: float = SECONDS) -> list[Figure]:
    """Open the streams on both web processes, let the runs publish in a third process, and close the streams."""
    raise_open_file_limit()
    with await asyncio.to_thread(tempfile.TemporaryDirectory, prefix="sprout-bench-") as folder:
        place = Path(folder)
        async with (
            open_services(place) as services,
            streams_server(place / "runs", services) as publisher,
            open_scaled(NO_MODEL, place, services, webs=WEBS, workers=0) as servers,
            open_client(publisher) as client,
        ):
            ids = await post_command(client, f"/bench/runs?count={IDLE + ACTIVE}")
            readers, kb_a_stream = await _open_streams(servers, [f"/api/runs/{run_id}/events" for run_id in ids])
            received_before = sum(reader.events for reader in readers)
            cpu_s, began_s = servers.cpu_s(), time.monotonic()
            load, memory = await _run_load(servers, client, seconds)
            load_s = time.monotonic() - began_s
            cpu_share = (servers.cpu_s() - cpu_s) / load_s
            await wait_until(lambda: sum(reader.events for reader in readers) - received_before >= load["events"])
            for reader in readers:
                reader.disconnect()
            received = sum(reader.events for reader in readers) - received_before
            waits = sorted(delivery_delays_ms(load["published_ns"], readers))
    p50_ms, p99_ms = quantiles(waits)
    return [
        Figure("B7 on 2 web processes: commit → client, p50", "ms", p50_ms, P99_MS, 1.0),
        Figure("B7 on 2 web processes: commit → client, p99", "ms", p99_ms, P99_MS, 1.0),
        Figure("B7 on 2 web processes: commit → client, max", "ms", waits[-1], P99_MS, 4.0),
        Figure("B7 on 2 web processes: time for all events", "s", load_s, seconds, 1.1),
        Figure("B7 on 2 web processes: events lost or doubled", "", abs(load["events"] - received), 1.0, 0.0),
        Figure("B7 on 2 web processes: append, p99", "ms", load["append_p99_ms"], P99_MS, 1.0),
        Figure("B7 on 2 web processes: memory of a run's stream", "KB", kb_a_stream, STREAM_KB, 1.0),
        Figure("B7 on 2 web processes: CPU of both", "cores", cpu_share, WEBS, 1.0),
        Figure(
            "B7 on 2 web processes: growth of memory",
            "MB/h",
            max(0.0, growth_mb_an_hour(memory)),
            WEBS * GROWTH_MB_AN_HOUR,
            1.0,
        ),
    ]


async def b7_scaled() -> list[Figure]:
    """A thousand idle streams and two hundred busy ones on two web processes, through PostgreSQL and Redis."""
    return await measure_scaled_streams()


async def _open_streams(servers: ScaledServers, paths: Sequence[str]) -> tuple[list[CountingReader], float]:
    """The readers, as many on each web process, and the kilobytes of a stream."""
    for web in servers.webs:  # once, so that first-time costs are not counted
        for reader in await open_readers(web, paths[:50], events=1):
            reader.disconnect()
    before = servers.memory_bytes()
    shares = [paths[at :: len(servers.webs)] for at in range(len(servers.webs))]
    opened = [await open_readers(web, share, events=1) for web, share in zip(servers.webs, shares, strict=True)]
    readers = [*chain.from_iterable(opened)]
    return readers, (servers.memory_bytes() - before) / 1024 / len(readers)


async def _run_load(
    servers: ScaledServers, client: httpx2.AsyncClient, seconds: float
) -> tuple[dict[str, Any], list[float]]:
    """Let the busy runs publish: what the publisher answers, and the memory of the web processes each second, in MB."""
    command = f"/bench/load?runs={ACTIVE}&seconds={seconds}&rate={RATE}"
    publishing = asyncio.create_task(post_command(client, command))
    memory: list[float] = []
    while not publishing.done():
        memory.append(servers.memory_bytes() / 1024 / 1024)
        await asyncio.wait({publishing}, timeout=1)
    return publishing.result(), memory


if __name__ == "__main__":
    measured = asyncio.run(measure_scaled_streams(float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS))
    print(*measured, sep="\n")
    print(f"Written to {write_results('B7-SCALED', measured)}")
