"""Readers that leave, stall or crawl, against a server in a process of its own: what they harm, and what they leave."""

import asyncio
import random
import socket
import statistics
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import httpx2

from faults.core.loop_faults import ProofFigure
from harness.load.processes import MeasuredServer, streams_server
from harness.load.stream_client import (
    CountingReader,
    count_sockets,
    count_tasks,
    delivery_delays_ms,
    open_client,
    open_readers,
    post_command,
    wait_settled,
)

DISCONNECTS = 1_000
AT_ONCE = 50
BAD_READERS = 50  # that take nothing, and as many that take a byte a second
GOOD_READERS = 10
MAX_FREE_S = 35.0
SECONDS = 50.0
SEED = 20_26
LONG = 4_000  # characters of an event, so that a reader who takes nothing is soon full


async def streams() -> list[ProofFigure]:
    """A thousand readers who leave anywhere, and a hundred who take nothing or a byte a second."""
    with await asyncio.to_thread(tempfile.TemporaryDirectory, prefix="sprout-faults-") as folder:
        async with streams_server(Path(folder)) as server, open_client(server) as client:
            ids = await post_command(client, "/bench/runs?count=50")
            return [*await _leaver_figures(server, client, ids), *await _stalled_reader_figures(server, client, ids)]


async def _leaver_figures(server: MeasuredServer, client: httpx2.AsyncClient, ids: Sequence[str]) -> list[ProofFigure]:
    """Streams of readers that left free their tasks and sockets."""
    chance = random.Random(SEED)
    paths = ["/api/events", *(f"/api/runs/{run_id}/events" for run_id in ids)]
    await _leave_repeatedly(server, chance, paths, AT_ONCE)
    tasks, sockets = await count_tasks(client), count_sockets(server)
    began_s = time.monotonic()
    await _leave_repeatedly(server, chance, paths, DISCONNECTS)
    left_s = time.monotonic()
    tasks_left = await wait_settled(client, tasks)
    freed_s = time.monotonic() - left_s
    sockets_left = count_sockets(server) - sockets
    return [
        ProofFigure(
            "streams", "readers that left anywhere, seconds it took", f"{DISCONNECTS:,}, {left_s - began_s:.1f}"
        ),
        ProofFigure("streams", "seconds until the last was freed", f"{freed_s:.1f}", freed_s <= MAX_FREE_S),
        ProofFigure(
            "streams", "tasks, sockets left", f"{tasks_left}, {sockets_left}", tasks_left + max(0, sockets_left) == 0
        ),
    ]


async def _leave_repeatedly(server: MeasuredServer, chance: random.Random, paths: Sequence[str], count: int) -> None:
    for _ in range(0, count, AT_ONCE):
        await asyncio.gather(*(_leave(server, chance, chance.choice(paths)) for _ in range(AT_ONCE)))


async def _leave(server: MeasuredServer, chance: random.Random, path: str) -> None:
    """Before the first byte, after the first, in the middle; with a good-bye or a reset."""
    loop, wanted = asyncio.get_running_loop(), chance.choice((0, 1, 300, 600))
    with _connect(server) as client:
        await loop.sock_sendall(client, _request(path))
        if wanted:
            await loop.sock_recv(client, wanted)
        if chance.random() < 0.5:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")


async def _stalled_reader_figures(
    server: MeasuredServer, client: httpx2.AsyncClient, ids: Sequence[str]
) -> list[ProofFigure]:
    """Readers that stall or crawl are cut off, and the others hardly wait longer."""
    loop = asyncio.get_running_loop()
    paths = [f"/api/runs/{run_id}/events" for run_id in ids[:GOOD_READERS]]
    alone = await open_readers(server, paths, events=1)
    before_ms = await _delays_ms(client, alone, 10, LONG)
    sockets = count_sockets(server)
    with ExitStack() as stack:
        bad = [stack.enter_context(_connect(server, receive_buffer=1)) for _ in range(2 * BAD_READERS)]
        for at, one in enumerate(bad):
            await loop.sock_sendall(one, _request(paths[at % GOOD_READERS]))
        crawling = [asyncio.create_task(_read_slowly(one)) for one in bad[:BAD_READERS]]
        loading = asyncio.create_task(_delays_ms(client, alone, SECONDS, LONG))
        freed_s = await _time_to_free_s(server, client, len(alone), sockets + 1)  # the load is a request too
        with_them_ms = await loading
        for crawler in crawling:
            crawler.cancel()
        await asyncio.gather(*crawling, return_exceptions=True)
    for reader in alone:
        reader.disconnect()
    p99_before, p99_with = (statistics.quantiles(waits, n=100)[98] for waits in (before_ms, with_them_ms))
    return [
        ProofFigure("streams", "readers that take nothing, that take a byte a second", f"{BAD_READERS}, {BAD_READERS}"),
        *(
            ProofFigure("streams", f"seconds until their {reader} were freed", f"{took_s:.1f}", took_s <= MAX_FREE_S)
            for reader, took_s in freed_s.items()
        ),
        ProofFigure("streams", "p99 of the others without and with them, ms", f"{p99_before:.1f}, {p99_with:.1f}"),
    ]


async def _delays_ms(
    client: httpx2.AsyncClient, readers: Sequence[CountingReader], seconds: float, characters: int
) -> list[float]:
    """Delays in ms before events of this length are read, measured while the runs publish."""
    path = f"/bench/load?runs={len(readers)}&seconds={seconds}&characters={characters}"
    published_ns = (await post_command(client, path))["published_ns"]
    await asyncio.sleep(1)  # the last of them are read then
    return list(delivery_delays_ms(published_ns, readers))


async def _time_to_free_s(
    server: MeasuredServer, client: httpx2.AsyncClient, streams: int, sockets: int
) -> dict[str, float]:
    """After how long there are no more streams, and no more sockets, than these; `SECONDS` where there still are."""
    async with asyncio.timeout(MAX_FREE_S):
        while await count_open_streams(client) < streams + 2 * BAD_READERS:  # noqa: ASYNC110 - it is in another process
            await asyncio.sleep(0.1)
    began_s = time.monotonic()
    freed_s: dict[str, float] = {}
    while len(freed_s) < 2 and (now_s := time.monotonic() - began_s) < SECONDS:
        if await count_open_streams(client) <= streams:
            freed_s.setdefault("streams", now_s)
        if count_sockets(server) <= sockets:
            freed_s.setdefault("sockets", now_s)
        await asyncio.sleep(0.5)
    return {reader: freed_s.get(reader, SECONDS) for reader in ("streams", "sockets")}


async def count_open_streams(client: httpx2.AsyncClient) -> int:
    """As the server's own figures have it."""
    figures = (await client.get("/metrics")).text
    return next(int(float(line.split()[1])) for line in figures.splitlines() if line.startswith("sprout_open_streams "))


async def _read_slowly(client: socket.socket) -> None:
    """Read a byte a second, to the end."""
    while await asyncio.get_running_loop().sock_recv(client, 1):  # noqa: ASYNC110 - it is slow on purpose
        await asyncio.sleep(1)


def _connect(server: MeasuredServer, *, receive_buffer: int | None = None) -> socket.socket:
    address = urlsplit(server.url)
    client = socket.socket()
    if receive_buffer is not None:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    client.connect((str(address.hostname), int(address.port or 80)))
    client.setblocking(False)
    return client


def _request(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
