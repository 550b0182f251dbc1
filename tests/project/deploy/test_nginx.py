"""The balancer's settings before web processes that live, die and stream, with the real nginx."""

import asyncio
import shutil
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest

from harness.free_port import free_port
from harness.servers.nginx import running_nginx
from harness.servers.web import Web, a_static_folder, serving_web
from sprout.events import ReasoningBlock
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.serving import listening_socket
from tests.web.stream.test_proxy import read_until

SETTINGS = Path(__file__).parents[3] / "deploy" / "nginx"
WITHIN_S = 30.0


@pytest.fixture
async def web(tmp_path: Path) -> AsyncIterator[Web]:
    async with serving_web(tmp_path, a_static_folder(tmp_path)) as running:
        yield running


@asynccontextmanager
async def balancer(folder: Path, *ports: int, fail_timeout: str = "2s") -> AsyncIterator[httpx2.AsyncClient]:
    """A client of the balancer before the web processes on these ports."""
    port, place = free_port(), folder / "nginx"
    place.mkdir()
    shutil.copy(SETTINGS / "nginx.conf", place)
    servers = "".join(
        f"server 127.0.0.1:{number} {kind}; "
        for kind in (f"max_fails=1 fail_timeout={fail_timeout}", "max_fails=0 backup")
        for number in ports
    )
    (place / "upstream.conf").write_text(f"upstream sprout {{ {servers} keepalive 8; }}")
    (place / "listen.conf").write_text(f"listen 127.0.0.1:{port};")
    async with (
        running_nginx(place / "nginx.conf", port, place) as address,
        httpx2.AsyncClient(base_url=address, timeout=WITHIN_S) as client,
    ):
        yield client


@asynccontextmanager
async def dying_process() -> AsyncIterator[tuple[int, list[bytes]]]:
    """The port of a server that dies of each request once it has its head, and the request lines that it had."""
    had: list[bytes] = []

    async def die(reader: StreamReader, writer: StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        had.append(head.partition(b"\r\n")[0])
        writer.transport.abort()

    server = await asyncio.start_server(die, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1], had


async def test_X7_each_event_passes_the_balancer_while_nothing_comes_after_it(web: Web, tmp_path: Path) -> None:
    run = await web.a_run()
    async with balancer(tmp_path, web.served.port) as client:
        for path in (f"/api/runs/{run.id}/events", "/api/events"):
            async with asyncio.timeout(WITHIN_S), client.stream("GET", path) as answer:
                parts = answer.aiter_text()
                await read_until(parts, "event: run_started")
                for number in range(3):
                    event = ReasoningBlock(block_id=f"{path}{number}", text=f"thought {number} of {path}")
                    await web.append_events(run, event)
                    await read_until(parts, f"thought {number} of {path}")


async def test_X5_a_process_that_is_gone_costs_nobody_an_answer(web: Web, tmp_path: Path) -> None:
    async with balancer(tmp_path, free_port(), web.served.port) as client:
        answers = [await client.get("/api/health") for _ in range(4)]
        begun = [
            await client.post("/api/branches", json={"userId": DEFAULT_USER_ID, "title": f"Light {number}"})
            for number in range(4)
        ]
    assert {answer.status_code for answer in answers} == {200}
    assert {answer.status_code for answer in begun} == {201}


async def test_X5_a_process_that_is_back_is_asked_although_all_of_them_have_just_failed(tmp_path: Path) -> None:
    with listening_socket("127.0.0.1", 0) as bound:
        port = bound.getsockname()[1]
        async with balancer(tmp_path, free_port(), port, fail_timeout="600s") as client:
            gone = [await client.get("/api/health") for _ in range(2)]
            async with serving_web(tmp_path, a_static_folder(tmp_path), listening_on=bound):
                back = [await client.get("/api/health") for _ in range(4)]
    assert {answer.status_code for answer in gone} == {502}
    assert {answer.status_code for answer in back} == {200}


async def test_X5_what_a_dying_process_may_have_done_is_not_done_again_elsewhere(tmp_path: Path) -> None:
    async with dying_process() as (port, had), balancer(tmp_path, port, port, port) as client:
        answer = await client.post("/api/runs/r1/cancel")
        assert answer.status_code == 502
        assert had == [b"POST /api/runs/r1/cancel HTTP/1.1"]


async def test_X5_what_can_be_asked_twice_is_asked_elsewhere_when_a_process_dies_of_it(
    web: Web, tmp_path: Path
) -> None:
    async with dying_process() as (port, had), balancer(tmp_path, port, web.served.port) as client:
        answers = [await client.get("/api/health") for _ in range(2)]
    assert {answer.status_code for answer in answers} == {200}
    assert had == [b"GET /api/health HTTP/1.1"]


async def test_what_speaks_of_one_process_is_not_balanced(web: Web, tmp_path: Path) -> None:
    async with balancer(tmp_path, web.served.port) as client:
        assert [(await client.get(path)).status_code for path in ("/metrics", "/readyz", "/healthz")] == [404, 404, 200]
