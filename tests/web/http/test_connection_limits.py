"""Connections that bring no request: how many there may be, and how long."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from harness.servers.in_process import RunningServer, serve_app
from sprout.web.http.connection_limits import HEAD_MAX_BYTES, ConnectionLimits, limited_protocol
from sprout.web.http.middleware import SECURITY_HEADERS

HEAD = b"GET / HTTP/1.1\r\nHost: localhost\r\n"
Ends = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class SlowApp:
    """An application that has answered once it is let go."""

    def __init__(self) -> None:
        self.released = asyncio.Event()

    async def answer(self, request: Request) -> Response:
        async def words() -> AsyncIterator[bytes]:
            yield b"begun "
            await self.released.wait()
            yield b"done"

        return StreamingResponse(words()) if request.url.path == "/slow" else Response("well")

    @property
    def app(self) -> Starlette:
        return Starlette(routes=[Route("/{path:path}", self.answer, methods=["GET", "POST"])])


@asynccontextmanager
async def behind(doors: ConnectionLimits, slow: SlowApp | None = None) -> AsyncIterator[RunningServer]:
    async with serve_app((slow or SlowApp()).app, http=limited_protocol(doors)) as served:
        yield served


async def connected(served: RunningServer, first: bytes = b"") -> Ends:
    ends = await asyncio.open_connection(served.host, served.port)
    ends[1].write(first)
    await ends[1].drain()
    return ends


async def whole(ends: Ends) -> tuple[int, dict[str, str], bytes]:
    """All that comes until the server closes: status, headers, body."""
    async with asyncio.timeout(30):
        received = await ends[0].read()
    ends[1].close()
    head, _, body = received.partition(b"\r\n\r\n")
    status, *lines = head.decode().split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    return int(status.split()[1]), headers, body


async def closed_by_server(ends: Ends) -> bool:
    """Return True if the server closes this connection; a client that still sends may find it reset, with no answer."""
    try:
        await whole(ends)
    except ConnectionResetError:
        ends[1].close()
    return True


def is_refusal(answer: tuple[int, dict[str, str], bytes], status: int) -> bool:
    received_status, headers, body = answer
    assert {name.lower() for name in SECURITY_HEADERS} <= headers.keys()
    assert headers["connection"] == "close"
    assert list(json.loads(body)) == ["error", "code"]
    return received_status == status


async def test_N17_a_client_that_sends_half_a_head_is_refused_and_disconnected_while_others_are_served() -> None:
    async with behind(ConnectionLimits(total=100, per_address=100, head_timeout_s=0.2)) as served:
        halves = [await connected(served, HEAD) for _ in range(50)]
        async with httpx2.AsyncClient(base_url=served.url, verify=False) as client:
            assert (await client.get("/")).text == "well"
        assert all([is_refusal(await whole(half), 408) for half in halves])


async def test_N17_a_byte_now_and_then_does_not_buy_time() -> None:
    async with behind(ConnectionLimits(total=10, per_address=10, head_timeout_s=0.2)) as served:
        reader, writer = await connected(served)
        gone = asyncio.create_task(closed_by_server((reader, writer)))
        for letter in HEAD * 3:
            if gone.done():
                break
            writer.write(bytes([letter]))
            await asyncio.wait({gone}, timeout=0.02)
        assert await gone


async def test_N17_a_client_that_sends_nothing_is_disconnected_without_a_word() -> None:
    async with behind(ConnectionLimits(total=10, per_address=10, head_timeout_s=0.1)) as served:
        reader, writer = await connected(served)
        async with asyncio.timeout(30):
            assert await reader.read() == b""
        writer.close()


async def test_N17_empty_lines_between_requests_are_a_head_that_never_comes() -> None:
    async with behind(ConnectionLimits(total=10, per_address=10, head_timeout_s=0.2)) as served:
        reader, writer = await connected(served, HEAD + b"\r\n")
        await reader.readuntil(b"well")
        gone = asyncio.create_task(closed_by_server((reader, writer)))
        while not gone.done():
            writer.write(b"\r\n")
            await asyncio.wait({gone}, timeout=0.02)
        assert await gone


@pytest.mark.parametrize(("most", "per_address", "status"), [(2, 10, 503), (10, 2, 429)])
async def test_N17_one_connection_too_many_is_told_when_to_come_back(most: int, per_address: int, status: int) -> None:
    async with behind(ConnectionLimits(total=most, per_address=per_address, head_timeout_s=30)) as served:
        first, second = await connected(served, HEAD), await connected(served, HEAD)
        answer = await whole(await connected(served))
        assert is_refusal(answer, status)
        assert int(answer[1]["retry-after"]) > 0
        first[1].write(b"Connection: close\r\n\r\n")
        assert (await whole(first))[0] == 200, "whoever was in is served"
        third = await connected(served, HEAD + b"Connection: close\r\n\r\n")
        assert (await whole(third))[0] == 200, "there is room again"
        second[1].close()


async def test_a_trusted_proxy_may_open_more_connections_than_an_address() -> None:
    limits = ConnectionLimits(total=10, per_address=1, head_timeout_s=30, proxies=["127.0.0.0/8"])
    async with behind(limits) as served:
        first, second = await connected(served, HEAD), await connected(served, HEAD + b"Connection: close\r\n\r\n")
        assert (await whole(second))[0] == 200
        first[1].close()


async def test_B4_a_head_that_is_too_long_is_told_so() -> None:
    async with behind(ConnectionLimits(total=10, per_address=10, head_timeout_s=30)) as served:
        ends = await connected(served, HEAD + b"X-Long: " + b"a" * HEAD_MAX_BYTES)
        assert is_refusal(await whole(ends), 431)


@pytest.mark.parametrize("part", [b"X-Long: ", b"GET /"])
async def test_B4_a_head_without_end_is_refused_before_it_is_kept(part: bytes) -> None:
    async with behind(ConnectionLimits(total=10, per_address=10, head_timeout_s=30)) as served:
        ends = await connected(served, part if part.startswith(b"GET") else HEAD + part)
        sent = 0
        gone = asyncio.create_task(closed_by_server(ends))
        while not gone.done() and sent < 64 * HEAD_MAX_BYTES:
            ends[1].write(b"a" * 8_192)
            sent += 8_192
            await asyncio.wait({gone}, timeout=0.01)
        assert await gone
        assert sent < 64 * HEAD_MAX_BYTES


async def test_a_request_behind_one_that_is_being_answered_does_not_cut_its_answer_short() -> None:
    slow = SlowApp()
    async with behind(ConnectionLimits(total=10, per_address=10, head_timeout_s=0.1), slow) as served:
        reader, writer = await connected(served, HEAD.replace(b"/ ", b"/slow ") + b"\r\n" + HEAD)
        await reader.readuntil(b"begun ")
        asyncio.get_running_loop().call_later(0.5, slow.released.set)
        _, body = (await reader.read()).split(b"4\r\n", 1)
        assert body.startswith(b"done")
        writer.close()


async def test_a_long_body_and_a_long_answer_are_not_a_long_head() -> None:
    slow = SlowApp()
    async with behind(ConnectionLimits(total=10, per_address=10, head_timeout_s=0.2), slow) as served:
        head = b"POST /slow HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 300000\r\n\r\n"
        ends = await connected(served, head + b"a" * 200_000)
        asyncio.get_running_loop().call_later(0.5, slow.released.set)
        status, _, body = await whole(ends)
        assert (status, b"done" in body) == (200, True)


async def test_what_is_no_http_is_refused_and_the_place_is_free_again() -> None:
    async with behind(ConnectionLimits(total=1, per_address=1, head_timeout_s=30)) as served:
        for _ in range(5):
            for request in (b"\x16\x03\x01 this is TLS\r\n\r\n", HEAD.replace(b"GET", b"BREW") + b"\r\n"):
                assert is_refusal(await whole(await connected(served, request)), 400)
