"""B7: the delay of events and the cost of streams, with a thousand idle streams and two hundred busy ones.

`python -m bench B7` takes two minutes, `python -m bench.load.streams SECONDS` so many seconds.
"""

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from bench.figure import Figure
from bench.results import write_results
from harness.load.processes import MeasuredServer, raise_open_file_limit, streams_server
from harness.load.stream_client import (
    count_sockets,
    count_tasks,
    delivery_delays_ms,
    open_client,
    open_readers,
    post_command,
    wait_settled,
    wait_until,
)
from harness.load.streams_server import EVENTS_A_SECOND

IDLE = 1_000
ACTIVE = 200
SECONDS = 120.0
WARM_UP_SHARE = 0.25  # of the time, before memory is expected to be flat
P99_MS = 50.0
STREAM_KB = 64.0
GROWTH_MB_AN_HOUR = 60.0  # three bytes for each event of an hour


@dataclass(frozen=True, slots=True)
class StreamMeasurement:
    """Measured values. A wait is the time from an event's commit to its receipt, in ms, of one event in a hundred."""

    seconds: float
    events_stored: int
    events_received: int
    wait_ms: tuple[float, ...]  # p50, p99, max
    append_ms: tuple[float, ...]  # p50, p99
    kb_a_stream: float
    kb_a_learners_stream: float
    growth_mb_an_hour: float
    cpu_share: float
    load_s: float
    tasks_left: int
    sockets_left: int


async def measure_streams(seconds: float = SECONDS) -> StreamMeasurement:
    """Open the streams, let the runs publish, close the streams, and count what is left."""
    raise_open_file_limit()
    kb_a_learners_stream = await _learner_stream_kb()
    with await asyncio.to_thread(tempfile.TemporaryDirectory, prefix="sprout-bench-") as folder:
        async with streams_server(Path(folder)) as server, open_client(server) as client:
            ids = await post_command(client, f"/bench/runs?count={IDLE + ACTIVE}")
            addresses = [f"/api/runs/{run_id}/events" for run_id in ids]
            await _open_and_close(server, client, addresses[:50])
            await post_command(client, "/bench/load?runs=10&seconds=2")
            tasks, sockets = await count_tasks(client), count_sockets(server)
            before = server.memory_bytes()
            readers = await open_readers(server, addresses, events=1)
            kb_a_stream = (server.memory_bytes() - before) / 1024 / len(readers)
            cpu_s, began_s = server.cpu_s(), time.monotonic()
            received_before = sum(reader.events for reader in readers)
            load, memory = await _run_load(server, client, seconds)
            load_s = time.monotonic() - began_s
            cpu_share = (server.cpu_s() - cpu_s) / load_s
            await wait_until(lambda: sum(reader.events for reader in readers) - received_before >= load["events"])
            for reader in readers:
                reader.disconnect()
            tasks_left = await wait_settled(client, tasks)
            waits = sorted(delivery_delays_ms(load["published_ns"], readers))
            return StreamMeasurement(
                seconds=seconds,
                events_stored=int(load["events"]),
                events_received=sum(reader.events for reader in readers) - received_before,
                wait_ms=(*quantiles(waits), waits[-1]),
                append_ms=(load["append_p50_ms"], load["append_p99_ms"]),
                kb_a_stream=kb_a_stream,
                kb_a_learners_stream=kb_a_learners_stream,
                growth_mb_an_hour=growth_mb_an_hour(memory),
                cpu_share=cpu_share,
                load_s=load_s,
                tasks_left=tasks_left,
                sockets_left=count_sockets(server) - sockets,
            )


async def _learner_stream_kb() -> float:
    """Kilobytes of a stream of all runs of a learner who has none; in a process of its own."""
    with await asyncio.to_thread(tempfile.TemporaryDirectory, prefix="sprout-bench-") as folder:
        async with streams_server(Path(folder)) as server, open_client(server) as client:
            await _open_and_close(server, client, ["/api/events"] * 50)
            before = server.memory_bytes()
            readers = await open_readers(server, ["/api/events"] * IDLE, events=0)
            await count_tasks(client)
            grown = server.memory_bytes() - before
            for reader in readers:
                reader.disconnect()
            return grown / 1024 / len(readers)


async def _open_and_close(server: MeasuredServer, client: httpx2.AsyncClient, paths: Sequence[str]) -> None:
    """Open and close streams once, so that first-time costs are not counted."""
    tasks = await count_tasks(client)
    for reader in await open_readers(server, paths, events=0):
        reader.disconnect()
    await wait_settled(client, tasks + 1)  # the first stream starts a poller that stays


async def _run_load(
    server: MeasuredServer, client: httpx2.AsyncClient, seconds: float
) -> tuple[dict[str, Any], list[float]]:
    """Let the active runs publish: the server's answer, and its memory each second, in MB."""
    publishing = asyncio.create_task(post_command(client, f"/bench/load?runs={ACTIVE}&seconds={seconds}"))
    memory: list[float] = []
    while not publishing.done():
        memory.append(server.memory_bytes() / 1024 / 1024)
        await asyncio.wait({publishing}, timeout=1)
    return publishing.result(), memory


def growth_mb_an_hour(memory_mb: Sequence[float]) -> float:
    """The slope of memory sampled each second, after the warm-up; 0 for too few samples."""
    flat = memory_mb[int(len(memory_mb) * WARM_UP_SHARE) :]
    if len(flat) < 10:
        return 0.0
    return statistics.linear_regression(range(len(flat)), flat).slope * 3600


def quantiles(waits_ms: Sequence[float]) -> tuple[float, float]:
    """The median and the 99th percentile."""
    hundredths = statistics.quantiles(waits_ms, n=100)
    return hundredths[49], hundredths[98]


async def b7() -> list[Figure]:
    """A thousand idle streams and two hundred busy ones, each event stored first; the goals are absolute."""
    return figures_of(await measure_streams())


def figures_of(measured: StreamMeasurement) -> list[Figure]:
    """The measured values against their goals."""
    p50_ms, p99_ms, max_ms = measured.wait_ms
    return [
        Figure("B7 commit → client, p50", "ms", p50_ms, P99_MS, 1.0),
        Figure("B7 commit → client, p99", "ms", p99_ms, P99_MS, 1.0),
        Figure("B7 commit → client, max", "ms", max_ms, P99_MS, 4.0),
        Figure("B7 time for all events", "s", measured.load_s, measured.seconds, 1.1),
        Figure("B7 events lost or doubled", "", abs(measured.events_stored - measured.events_received), 1.0, 0.0),
        Figure("B7 append, p99", "ms", measured.append_ms[1], P99_MS, 1.0),
        Figure("B7 memory of a run's stream", "KB", measured.kb_a_stream, STREAM_KB, 1.0),
        Figure("B7 memory of a learner's stream", "KB", measured.kb_a_learners_stream, STREAM_KB, 1.0),
        Figure("B7 growth of memory", "MB/h", max(0.0, measured.growth_mb_an_hour), GROWTH_MB_AN_HOUR, 1.0),
        Figure("B7 tasks left over", "", measured.tasks_left, 1.0, 0.0),
        Figure("B7 sockets left over", "", measured.sockets_left, 1.0, 0.0),
    ]


def main(seconds: float) -> None:
    """Measure, print the result and store the figures."""
    measured = asyncio.run(measure_streams(seconds))
    wanted = ACTIVE * EVENTS_A_SECOND * seconds
    print(
        f"{measured}\nreceived {measured.events_received / wanted:.1%} of what {ACTIVE} runs publish in {seconds:.0f} s"
    )
    print(f"Written to {write_results('B7', figures_of(measured))}")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS)
