"""B2: many runs at once, each with a reader: what a delta costs, and how long it is on its way."""

import asyncio
import json
import re
import statistics
import tempfile
import time
from array import array
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import httpx2

from bench.load.run_reader import new_topic
from bench.servers.processes import floor_server, sprout_server, stamped_model
from harness.load.processes import MeasuredServer, raise_open_file_limit
from sprout.learning.paths.repository import DEFAULT_USER_ID

AT_ONCE = (1, 50, 200, 500)
A_SECOND = 30.0
SECONDS = 40.0
WARM_UP_S = 25.0  # of each run, before its deltas are timed: what beginning so many at once costs is over then
PATIENCE_S = 180.0

_STAMP = re.compile(rb"@(\d+)@")
_TEXT = re.compile(rb"event: (?:\w+_delta|block_snapshot)\n")  # a snapshot repeats what was said before it
_DONE = b"event: run_done\n"


@dataclass(frozen=True, slots=True)
class ConcurrentRuns:
    """Results of a load of concurrent runs.

    Args:
        cpu_us: server CPU per delta, from the first request to the last byte.
        wait_ms: from the provider's send to the reader's receipt, p50 and p99.
        mb_a_stream: resident memory per run, at its height.
        errors: runs that did not end as they should, or not with all that was said.
    """

    cpu_us: float
    wait_ms: tuple[float, float]
    mb_a_stream: float
    errors: int


async def measure_crowds(counts: Sequence[int] = AT_ONCE) -> dict[int, tuple[ConcurrentRuns, ConcurrentRuns]]:
    """For each number of runs, what it did to Sprout and to the floor."""
    raise_open_file_limit()
    return {count: (await _on_sprout(count), await _on_floor(count)) for count in counts}


async def _on_sprout(count: int) -> ConcurrentRuns:
    async with (
        _model() as base_url,
        _folder() as data,
        sprout_server(base_url, data, note_taking=True) as server,
    ):
        async with httpx2.AsyncClient(base_url=server.url, timeout=None) as client:
            topics = [await new_topic(client, f"Topic {number}") for number in range(count + 1)]
        body = json.dumps({"userId": DEFAULT_USER_ID, "small": False}).encode()
        requests = [_request(f"/api/agents/topics/{topic}/run", body) for topic in topics]
        return await _measure(server, requests)


async def _on_floor(count: int) -> ConcurrentRuns:
    async with _model() as base_url, floor_server(base_url) as server:
        return await _measure(server, [_request("/run", b"{}")] * (count + 1))


async def _measure(server: MeasuredServer, requests: Sequence[bytes]) -> ConcurrentRuns:
    """Send them all but the first, which warms the server; read to the end."""
    await _read(server, requests[:1])
    used_s, before = server.cpu_s(), server.memory_bytes()
    reading = asyncio.create_task(_read(server, requests[1:]))
    height = before
    while not reading.done():
        height = max(height, server.memory_bytes())
        await asyncio.wait({reading}, timeout=0.5)
    readers = reading.result()
    deltas = int(SECONDS * A_SECOND)
    waits_ms = sorted(wait for reader in readers for wait in reader.waits_ms)
    hundredths = statistics.quantiles(waits_ms, n=100)
    return ConcurrentRuns(
        cpu_us=(server.cpu_s() - used_s) / (len(readers) * deltas) * 1e6,
        wait_ms=(hundredths[49], hundredths[98]),
        mb_a_stream=(height - before) / len(readers) / 1024 / 1024,
        errors=sum(not reader.completed or reader.deltas != deltas for reader in readers),
    )


@dataclass
class RunReader(asyncio.Protocol):
    """One run as its reader has it: how many deltas came, what they waited, and whether it ended well."""

    request: bytes
    deltas: int = 0
    completed: bool = False
    waits_ms: "array[float]" = field(default_factory=lambda: array("d"))
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    _rest: bytes = b""
    _counts_from_ns: int = 0
    _last_ns: int = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.start_timing(time.monotonic_ns())
        transport.write(self.request)

    def data_received(self, data: bytes) -> None:
        self.consume(data, time.monotonic_ns())

    def start_timing(self, now_ns: int) -> None:
        """Deltas that are sent from `WARM_UP_S` after this moment are timed."""
        self._counts_from_ns = now_ns + int(WARM_UP_S * 1e9)

    def consume(self, data: bytes, now_ns: int) -> None:
        """Parse received bytes, split at any point."""
        whole, _, self._rest = (self._rest + data).rpartition(b"\n\n")
        for event in whole.split(b"\n\n"):
            if _TEXT.search(event):
                new_ns = [at for at in map(int, _STAMP.findall(event)) if at > self._last_ns]
                if new_ns:
                    self._last_ns = new_ns[-1]
                self.deltas += len(new_ns)
                self.waits_ms.extend((now_ns - at) / 1e6 for at in new_ns if at > self._counts_from_ns)
            elif _DONE in event:
                self.completed = b'"status"' not in event or b'"completed"' in event

    def connection_lost(self, _: Exception | None) -> None:
        self.ended.set()


async def _read(server: MeasuredServer, requests: Sequence[bytes]) -> list[RunReader]:
    loop, address = asyncio.get_running_loop(), urlsplit(server.url)
    readers: list[RunReader] = []
    for request in requests:
        reader = RunReader(request)
        await loop.create_connection(partial(_return_reader, reader), str(address.hostname), int(address.port or 80))
        readers.append(reader)
    async with asyncio.timeout(PATIENCE_S):
        await asyncio.gather(*(reader.ended.wait() for reader in readers))
    return readers


def _return_reader(reader: RunReader) -> RunReader:
    return reader


def _request(path: str, body: bytes) -> bytes:
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n"
    return head.encode() + b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


@asynccontextmanager
async def _model() -> AsyncIterator[str]:
    async with stamped_model(int(SECONDS * A_SECOND), A_SECOND) as base_url:
        yield base_url


@asynccontextmanager
async def _folder() -> AsyncIterator[Path]:
    with await asyncio.to_thread(tempfile.TemporaryDirectory, prefix="sprout-bench-") as name:
        yield Path(name)
