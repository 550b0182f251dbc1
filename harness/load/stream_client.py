"""Clients of the streams server: readers that count events and time some of them, and its commands."""

import asyncio
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import httpx2
import psutil

from harness.load.processes import MeasuredServer

SETTLE_S = 60.0

_STAMPED_EVENT = re.compile(rb"id: (\d+00)\nevent: guardrail\n")  # one in a hundred, as the server notes them


@dataclass
class CountingReader(asyncio.Protocol):
    """One stream: whether it began, how many events came, and when some of them did."""

    path: str
    started: bool = False
    events: int = 0
    received_ns: dict[int, int] = field(default_factory=dict)
    transport: asyncio.Transport | None = None
    _rest: bytes = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.write(f"GET {self.path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())

    def data_received(self, data: bytes) -> None:
        now_ns = time.monotonic_ns()
        self.started = True
        whole, _, self._rest = (self._rest + data).rpartition(b"\n\n")
        self.events += whole.count(b"event: ")
        self.received_ns.update((int(seq), now_ns) for seq in _STAMPED_EVENT.findall(whole))

    def disconnect(self) -> None:
        if self.transport is not None:
            self.transport.abort()


async def open_readers(server: MeasuredServer, paths: Sequence[str], *, events: int) -> list[CountingReader]:
    """A reader for each path, as soon as each has received so many events, or at least the first bytes."""
    loop, address = asyncio.get_running_loop(), urlsplit(server.url)
    readers = [CountingReader(path) for path in paths]
    for some in batched(readers, 100):
        for reader in some:
            await loop.create_connection(
                partial(_return_reader, reader), str(address.hostname), int(address.port or 80)
            )
        await wait_until(partial(_all_received, some, events))
    await asyncio.sleep(2)  # for what opening them has started
    return readers


def _return_reader(reader: CountingReader) -> CountingReader:
    return reader


def _all_received(readers: Sequence[CountingReader], events: int) -> bool:
    return all(reader.started and reader.events >= events for reader in readers)


def batched(readers: Sequence[CountingReader], count: int) -> Iterator[Sequence[CountingReader]]:
    """The readers in portions."""
    return (readers[start : start + count] for start in range(0, len(readers), count))


def delivery_delays_ms(published_ns: Mapping[str, Sequence[int]], readers: Sequence[CountingReader]) -> Iterator[float]:
    """Milliseconds from an event's publication to its receipt. Raises KeyError for one that was not received.

    Args:
        published_ns: by run the number of an event and when it was published, in turns.
    """
    by_path = {reader.path: reader.received_ns for reader in readers}
    for run_id, published in published_ns.items():
        received = by_path[f"/api/runs/{run_id}/events"]
        for seq, at_ns in zip(published[::2], published[1::2], strict=True):
            yield (received[seq] - at_ns) / 1e6


async def wait_settled(client: httpx2.AsyncClient, tasks: int) -> int:
    """The number of tasks left over: 0 as soon as none is, else as many as there are after `SETTLE_S`."""
    end_s = time.monotonic() + SETTLE_S
    while (left := await count_tasks(client) - tasks) > 0 and time.monotonic() < end_s:
        await asyncio.sleep(0.2)
    return max(0, left)


async def wait_until(true: Callable[[], bool]) -> None:
    """Return once the condition holds. Raises TimeoutError after `SETTLE_S`."""
    async with asyncio.timeout(SETTLE_S):
        while not true():
            await asyncio.sleep(0.05)


async def post_command(client: httpx2.AsyncClient, path: str) -> Any:
    """The server's answer to a command."""
    answer = await client.post(path)
    answer.raise_for_status()
    return answer.json()


async def count_tasks(client: httpx2.AsyncClient) -> int:
    """The number of tasks in the server."""
    return int((await client.get("/bench/tasks")).json())


def count_sockets(server: MeasuredServer) -> int:
    """The number of TCP sockets that the server has open (files are SQLite's own)."""
    return len(psutil.Process(server.pid).net_connections("tcp"))


def open_client(server: MeasuredServer) -> httpx2.AsyncClient:
    """A client without a timeout."""
    return httpx2.AsyncClient(base_url=server.url, timeout=None)
