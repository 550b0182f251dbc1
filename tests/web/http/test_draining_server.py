"""Shutdown of the HTTP server: what has connected is answered, and a kept connection is no trap for a request."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sprout.serving import listening_socket
from sprout.web.http.draining_server import DrainingServer

POST = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"
WITHIN_S, LONG_S = 30.0, 600.0


async def _answer(_: Request) -> Response:
    return Response("well")


@asynccontextmanager
async def started(*, keep_s: float) -> AsyncIterator[tuple[DrainingServer, socket.socket, int]]:
    """A server that accepts connections, its socket, and its port."""
    app = Starlette(routes=[Route("/", _answer, methods=["POST"])])
    config = uvicorn.Config(app, lifespan="off", ws="none", log_config=None, access_log=False)
    config.load()
    server = DrainingServer(lambda: None, config, keep_s=keep_s)
    server.lifespan = config.lifespan_class(config)
    with listening_socket("127.0.0.1", 0) as listening:
        port = listening.getsockname()[1]
        await server.startup([listening])
        async with asyncio.timeout(WITHIN_S):
            yield server, listening, port


async def test_X5_connections_that_were_established_and_not_accepted_yet_are_answered() -> None:
    async with started(keep_s=0) as (server, listening, port):
        clients = [socket.create_connection(("127.0.0.1", port)) for _ in range(3)]  # the loop has no turn meanwhile
        for client in clients:
            client.sendall(POST)
        await server.shutdown([listening])
        answers = []
        for client in clients:
            reader, writer = await asyncio.open_connection(sock=client)
            answers.append(await reader.read())
            writer.close()
    assert [answer.partition(b"\r\n")[0] for answer in answers] == [b"HTTP/1.1 200 OK"] * 3


async def test_X5_a_request_on_a_kept_connection_is_answered_during_the_shutdown_and_closes_it() -> None:
    async with started(keep_s=LONG_S) as (server, listening, port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(POST)
        kept = await reader.readuntil(b"well")
        ending = asyncio.create_task(server.shutdown([listening]))
        await asyncio.sleep(0)  # it has begun
        writer.write(POST)
        last = await reader.read()
        writer.close()
        await ending
    assert b"connection: close" not in kept
    assert last.startswith(b"HTTP/1.1 200 OK")
    assert b"connection: close" in last


async def test_X5_a_server_that_is_shutting_down_refuses_new_connections() -> None:
    async with started(keep_s=LONG_S) as (server, listening, port):
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        ending = asyncio.create_task(server.shutdown([listening]))
        await asyncio.sleep(0)  # it has begun
        try:
            await asyncio.open_connection("127.0.0.1", port)
            refused = False
        except ConnectionRefusedError:
            refused = True
        writer.close()
        await ending
    assert refused
