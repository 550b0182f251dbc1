"""Slow clients of one address: hundreds of unfinished heads, bodies without end, and what others notice."""

import asyncio
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import psutil

from faults.core.loop_faults import ProofFigure
from harness.servers.server_process import ServerProcess, ServerSite
from sprout.web.http.lingering_close import LINGER_BYTES

HALF_OPEN_CONNECTIONS = 200
HEADER_TIMEOUT_S = 5.0
ASKED = 200
BODY_BYTES = 100 * 1024 * 1024
CHUNK = b"10000\r\n" + b"a" * 0x10000 + b"\r\n"
POST = b"POST /api/branches HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
MOST_GROWTH_MIB = 16.0
MIB = 1024 * 1024
MOST_SENT_BYTES = 2 * LINGER_BYTES  # of them some wait in the buffers of both ends


async def guards() -> list[ProofFigure]:
    """Two hundred connections that bring half a head, and bodies of 100 MB, with and without an end."""
    with await asyncio.to_thread(tempfile.TemporaryDirectory, prefix="sprout-faults-") as folder:
        settings = {"SPROUT_LIMITS__HEADER_TIMEOUT_S": str(HEADER_TIMEOUT_S)}
        place = ServerSite(Path(folder), "http://127.0.0.1:9", settings=settings)
        async with (
            _running_server(place) as life,
            httpx2.AsyncClient(base_url=f"http://127.0.0.1:{place.port}") as client,
        ):
            return [*await _half_heads(place, client), *await _endless_bodies(place, life)]


@asynccontextmanager
async def _running_server(place: ServerSite) -> AsyncIterator[ServerProcess]:
    try:
        yield await place.start()
    finally:
        await place.kill_all()


async def _half_heads(place: ServerSite, client: httpx2.AsyncClient) -> list[ProofFigure]:
    """Row N17."""
    before_ms = await _p99_ms(client)
    began_s = time.monotonic()
    halves = await asyncio.gather(*(_open_half_head(place.port) for _ in range(HALF_OPEN_CONNECTIONS)))
    with_them_ms = await _p99_ms(client)
    ends_s = await asyncio.gather(*(_time_to_close_s(reader, began_s) for reader, _ in halves))
    for _, writer in halves:
        writer.close()
    closed = sum(end_s is not None for end_s in ends_s)
    last_s = max((end_s for end_s in ends_s if end_s is not None), default=0.0)
    return [
        ProofFigure(
            "guards",
            "connections with half a head, closed",
            f"{HALF_OPEN_CONNECTIONS}, {closed}",
            closed == HALF_OPEN_CONNECTIONS,
        ),
        ProofFigure("guards", f"seconds until the last was closed, of {HEADER_TIMEOUT_S:g}", f"{last_s:.1f}"),
        ProofFigure("guards", "p99 of the others without and with them, ms", f"{before_ms:.1f}, {with_them_ms:.1f}"),
    ]


async def _open_half_head(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET / HTTP/1.1\r\nHost: local")
    return reader, writer


async def _time_to_close_s(reader: asyncio.StreamReader, began_s: float) -> float | None:
    """After how long the server closed; None where it has not after four times as long as it may take."""
    try:
        async with asyncio.timeout(4 * HEADER_TIMEOUT_S):
            await reader.read()
    except TimeoutError:
        return None
    except ConnectionResetError:
        pass  # closed, too
    return time.monotonic() - began_s


async def _p99_ms(client: httpx2.AsyncClient) -> float:
    waits_ms = []
    for _ in range(ASKED):
        began_s = time.perf_counter()
        (await client.get("/api/branches/summary")).raise_for_status()
        waits_ms.append((time.perf_counter() - began_s) * 1_000)
    return statistics.quantiles(waits_ms, n=100)[98]


async def _endless_bodies(place: ServerSite, life: ServerProcess) -> list[ProofFigure]:
    """Row B2. Who still sends when the answer comes may find the connection closed instead of it."""
    server = psutil.Process(life.pid)
    bodies: dict[str, tuple[bytes, bytes]] = {
        "100 MB of a known length": (b"Content-Length: %d\r\n\r\n" % BODY_BYTES, b"a" * 0x10000),
        "chunks without end": (b"Transfer-Encoding: chunked\r\n\r\n", CHUNK),
        "a length that is too small": (b"Content-Length: 10\r\n\r\n", b"a" * 0x10000),
    }
    await _send_body(place.port, *bodies["chunks without end"])  # what is loaded by the first is no growth
    figures = []
    for body_kind, (head, piece) in bodies.items():
        before, peak = server.memory_info().rss, 0

        def look() -> None:
            nonlocal peak
            peak = max(peak, server.memory_info().rss)

        status, sent = await _send_body(place.port, head, piece, look=look)
        grown = max(0, peak - before) / MIB
        figures.append(
            ProofFigure(
                "guards",
                f"{body_kind}: answer, MiB that were taken, MiB that the server grew",
                f"{status}, {sent / MIB:.1f}, {grown:.1f}",
                status in ("413", "400", "closed") and grown <= MOST_GROWTH_MIB and sent <= MOST_SENT_BYTES,
            )
        )
    return figures


async def _send_body(port: int, head: bytes, piece: bytes, look: Callable[[], None] = lambda: None) -> tuple[str, int]:
    """The status that comes, and how many bytes the server had taken or the network held when it would have no more."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(POST + head)
    answer = asyncio.create_task(reader.read(64))
    sent = 0
    try:
        while sent < BODY_BYTES and not writer.is_closing():
            writer.write(piece)
            if not await _drain(writer.drain()):
                break
            sent += len(piece)
            look()
    except ConnectionError:
        pass  # it was closed in the middle: that is what is measured
    try:
        async with asyncio.timeout(60):
            line = (await answer).decode(errors="replace")
    except ConnectionError:
        line = ""
    finally:
        writer.close()
    return (line.split() or ["", "closed"])[1], sent


async def _drain(draining: Awaitable[None]) -> bool:
    try:
        async with asyncio.timeout(10):
            await draining
    except TimeoutError:
        return False  # it takes nothing more
    return True


PROOFS: dict[str, Callable[[], Awaitable[list[ProofFigure]]]] = {"guards": guards}
