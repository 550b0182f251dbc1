"""B7: a thousand silent streams and two hundred that speak: what an event waits, and what a stream costs.

`python -m bench B7` takes two minutes, `python -m bench.streams SECONDS` as long as it is told.
"""

import asyncio
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import psutil

from bench.figure import Figure
from bench.processes import Server, raise_the_limit_of_files, streams_server
from bench.results import write
from bench.streams_server import EVENTS_A_SECOND

IDLE = 1_000
ACTIVE = 200
SECONDS = 120.0
WARM_UP_SHARE = 0.25  # of the time, before memory is expected to be flat
SETTLE_S = 60.0
P99_MS = 50.0
STREAM_KB = 64.0
GROWTH_MB_AN_HOUR = 60.0  # three bytes for each of the events that are said in an hour

_SAID = re.compile(rb"id: (\d+00)\nevent: guardrail\n")  # one in a hundred, as the server notes them


@dataclass(frozen=True, slots=True)
class Measured:
    """What came out. A wait is the time from an event's commit to its receipt, in ms, measured on one in a hundred."""

    seconds: float
    events_stored: int
    events_heard: int
    wait_ms: tuple[float, ...]  # p50, p99, max
    append_ms: tuple[float, ...]  # p50, p99
    kb_a_stream: float
    kb_a_learners_stream: float
    growth_mb_an_hour: float
    cpu_share: float
    seconds_spoken: float
    tasks_left: int
    sockets_left: int


async def streams_under_load(seconds: float = SECONDS) -> Measured:
    """Open the streams, let the runs speak, close the streams, and look what is left."""
    raise_the_limit_of_files()
    kb_a_learners_stream = await _learners_streams()
    with await asyncio.to_thread(tempfile.TemporaryDirectory, prefix="sprout-bench-") as folder:
        async with streams_server(Path(folder)) as server, client_of(server) as client:
            ids = await asked(client, f"/bench/runs?count={IDLE + ACTIVE}")
            addresses = [f"/api/runs/{run_id}/events" for run_id in ids]
            await _opened_and_closed(server, client, addresses[:50])
            await asked(client, "/bench/load?runs=10&seconds=2")
            tasks, sockets = await tasks_of(client), sockets_of(server)
            before = server.memory_bytes()
            readers = await opened(server, addresses, events=1)
            kb_a_stream = (server.memory_bytes() - before) / 1024 / len(readers)
            cpu_s, began_s = server.cpu_s(), time.monotonic()
            told_before = sum(reader.events for reader in readers)
            load, memory = await _spoken(server, client, seconds)
            spoken_s = time.monotonic() - began_s
            cpu_share = (server.cpu_s() - cpu_s) / spoken_s
            await until(lambda: sum(reader.events for reader in readers) - told_before >= load["events"])
            for reader in readers:
                reader.leave()
            tasks_left = await settled(client, tasks)
            waits = sorted(waits_ms(load["told_ns"], readers))
            return Measured(
                seconds=seconds,
                events_stored=int(load["events"]),
                events_heard=sum(reader.events for reader in readers) - told_before,
                wait_ms=(*_quantiles(waits), waits[-1]),
                append_ms=(load["append_p50_ms"], load["append_p99_ms"]),
                kb_a_stream=kb_a_stream,
                kb_a_learners_stream=kb_a_learners_stream,
                growth_mb_an_hour=growth_mb_an_hour(memory),
                cpu_share=cpu_share,
                seconds_spoken=spoken_s,
                tasks_left=tasks_left,
                sockets_left=sockets_of(server) - sockets,
            )


@dataclass
class Reader(asyncio.Protocol):
    """One stream as a client reads it: whether it began, how many events came, and when some of them did."""

    path: str
    begun: bool = False
    events: int = 0
    heard_ns: dict[int, int] = field(default_factory=dict)
    transport: asyncio.Transport | None = None
    _rest: bytes = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.write(f"GET {self.path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())

    def data_received(self, data: bytes) -> None:
        now_ns = time.monotonic_ns()
        self.begun = True
        whole, _, self._rest = (self._rest + data).rpartition(b"\n\n")
        self.events += whole.count(b"event: ")
        self.heard_ns.update((int(seq), now_ns) for seq in _SAID.findall(whole))

    def leave(self) -> None:
        if self.transport is not None:
            self.transport.abort()


async def _learners_streams() -> float:
    """Kilobytes of a stream of all of a learner's runs, of which there are none; in a process of its own."""
    with await asyncio.to_thread(tempfile.TemporaryDirectory, prefix="sprout-bench-") as folder:
        async with streams_server(Path(folder)) as server, client_of(server) as client:
            await _opened_and_closed(server, client, ["/api/events"] * 50)
            before = server.memory_bytes()
            readers = await opened(server, ["/api/events"] * IDLE, events=0)
            await tasks_of(client)
            grown = server.memory_bytes() - before
            for reader in readers:
                reader.leave()
            return grown / 1024 / len(readers)


async def opened(server: Server, paths: Sequence[str], *, events: int) -> list[Reader]:
    """A reader for each path, once it has had so many events, or at least the first bytes."""
    loop, address = asyncio.get_running_loop(), urlsplit(server.url)
    readers = [Reader(path) for path in paths]
    for some in batched(readers, 100):
        for reader in some:
            await loop.create_connection(partial(_itself, reader), str(address.hostname), int(address.port or 80))
        await until(partial(_all_heard, some, events))
    await asyncio.sleep(2)  # what opening them has started is over then
    return readers


def _itself(reader: Reader) -> Reader:
    return reader


def _all_heard(readers: Sequence[Reader], events: int) -> bool:
    return all(reader.begun and reader.events >= events for reader in readers)


def batched(readers: Sequence[Reader], count: int) -> Iterator[Sequence[Reader]]:
    """The readers in portions."""
    return (readers[start : start + count] for start in range(0, len(readers), count))


async def _opened_and_closed(server: Server, client: httpx2.AsyncClient, paths: Sequence[str]) -> None:
    """Once, so that what is made at the first time is not counted."""
    tasks = await tasks_of(client)
    for reader in await opened(server, paths, events=0):
        reader.leave()
    await settled(client, tasks + 1)  # the first stream starts a watcher that stays


async def _spoken(server: Server, client: httpx2.AsyncClient, seconds: float) -> tuple[dict[str, Any], list[float]]:
    """Let the active runs speak; what came of it, and the memory each second, in MB."""
    speaking = asyncio.create_task(asked(client, f"/bench/load?runs={ACTIVE}&seconds={seconds}"))
    memory: list[float] = []
    while not speaking.done():
        memory.append(server.memory_bytes() / 1024 / 1024)
        await asyncio.wait({speaking}, timeout=1)
    return speaking.result(), memory


def growth_mb_an_hour(memory_mb: Sequence[float]) -> float:
    """The slope of memory that was looked at each second, after the warm-up; 0 where there is too little to say."""
    flat = memory_mb[int(len(memory_mb) * WARM_UP_SHARE) :]
    if len(flat) < 10:
        return 0.0
    return statistics.linear_regression(range(len(flat)), flat).slope * 3600


def waits_ms(told_ns: Mapping[str, Sequence[int]], readers: Sequence[Reader]) -> Iterator[float]:
    """How long events waited, from when they were told to their receipt. Raises KeyError where one was not received.

    Args:
        told_ns: by run the number of an event and when it was told, in turns.
    """
    by_path = {reader.path: reader.heard_ns for reader in readers}
    for run_id, told in told_ns.items():
        heard = by_path[f"/api/runs/{run_id}/events"]
        for seq, at_ns in zip(told[::2], told[1::2], strict=True):
            yield (heard[seq] - at_ns) / 1e6


def _quantiles(waits_ms: Sequence[float]) -> tuple[float, float]:
    hundredths = statistics.quantiles(waits_ms, n=100)
    return hundredths[49], hundredths[98]


async def settled(client: httpx2.AsyncClient, tasks: int) -> int:
    """How many tasks are left over, as soon as none is, at the latest after `SETTLE_S`."""
    end_s = time.monotonic() + SETTLE_S
    while (left := await tasks_of(client) - tasks) > 0 and time.monotonic() < end_s:  # noqa: ASYNC110
        await asyncio.sleep(0.2)
    return max(0, left)


async def until(true: Callable[[], bool]) -> None:
    """Return once it holds. Raises TimeoutError after `SETTLE_S`."""
    async with asyncio.timeout(SETTLE_S):
        while not true():  # noqa: ASYNC110 - what is heard is looked at now and then
            await asyncio.sleep(0.05)


async def b7() -> list[Figure]:
    """A thousand silent streams and two hundred that speak, each event stored first; the goals are absolute."""
    return figures_of(await streams_under_load())


def figures_of(measured: Measured) -> list[Figure]:
    """What came out, against its goals."""
    p50_ms, p99_ms, max_ms = measured.wait_ms
    return [
        Figure("B7 commit → client, p50", "ms", p50_ms, P99_MS, 1.0),
        Figure("B7 commit → client, p99", "ms", p99_ms, P99_MS, 1.0),
        Figure("B7 commit → client, max", "ms", max_ms, P99_MS, 4.0),
        Figure("B7 time for what was to be said", "s", measured.seconds_spoken, measured.seconds, 1.1),
        Figure("B7 events lost or doubled", "", abs(measured.events_stored - measured.events_heard), 1.0, 0.0),
        Figure("B7 append, p99", "ms", measured.append_ms[1], P99_MS, 1.0),
        Figure("B7 memory of a run's stream", "KB", measured.kb_a_stream, STREAM_KB, 1.0),
        Figure("B7 memory of a learner's stream", "KB", measured.kb_a_learners_stream, STREAM_KB, 1.0),
        Figure("B7 growth of memory", "MB/h", max(0.0, measured.growth_mb_an_hour), GROWTH_MB_AN_HOUR, 1.0),
        Figure("B7 tasks left over", "", measured.tasks_left, 1.0, 0.0),
        Figure("B7 sockets left over", "", measured.sockets_left, 1.0, 0.0),
    ]


async def asked(client: httpx2.AsyncClient, path: str) -> Any:
    """What the server answers to a request of the measurement."""
    answer = await client.post(path)
    answer.raise_for_status()
    return answer.json()


async def tasks_of(client: httpx2.AsyncClient) -> int:
    """How many tasks the server has."""
    return int((await client.get("/bench/tasks")).json())


def sockets_of(server: Server) -> int:
    """How many sockets the server has open; SQLite keeps files open for itself."""
    return len(psutil.Process(server.pid).net_connections("tcp"))


def client_of(server: Server) -> httpx2.AsyncClient:
    """A client that waits as long as it takes."""
    return httpx2.AsyncClient(base_url=server.url, timeout=None)


def main(seconds: float) -> None:
    """Measure, print it, and keep the figures."""
    measured = asyncio.run(streams_under_load(seconds))
    wanted = ACTIVE * EVENTS_A_SECOND * seconds
    print(f"{measured}\nheard {measured.events_heard / wanted:.1%} of what {ACTIVE} runs say in {seconds:.0f} s")
    print(f"Written to {write('B7', figures_of(measured))}")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS)
