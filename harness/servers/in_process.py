"""A real server for tests: uvicorn on a free port, in the loop of the test."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Literal

import uvicorn
from starlette.types import ASGIApp

GRACEFUL_SHUTDOWN_S = 5
KEPT_S = 10  # longer than clients keep a connection, which is 5 s: else one may be closed as it is used again


class _Server(uvicorn.Server):
    """A uvicorn server that says when it listens."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listening = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.listening.set()


@dataclass(frozen=True, slots=True)
class RunningServer:
    """A running server: where it is, and a way to ask it to stop as SIGTERM would."""

    host: str
    port: int
    server: uvicorn.Server

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}"

    def request_stop(self) -> None:
        self.server.should_exit = True


@asynccontextmanager
async def serve_app(
    app: ASGIApp,
    *,
    http: type[asyncio.Protocol] | Literal["auto"] = "auto",
    listening_on: socket.socket | None = None,
    behind_proxy: bool = False,
) -> AsyncIterator[RunningServer]:
    """Serve the app until the block is left, over this protocol; a failure at start is raised here.

    Args:
        listening_on: a socket that is bound; by default one of its own on a free port.
        behind_proxy: whether `X-Forwarded-For` of this machine is believed.
    """
    config = uvicorn.Config(
        app,
        host="127.0.0.1",
        port=0,
        lifespan="on",
        ws="none",
        http=http,
        log_config=None,
        access_log=False,
        proxy_headers=behind_proxy,
        server_header=False,
        timeout_keep_alive=KEPT_S,
        timeout_graceful_shutdown=GRACEFUL_SHUTDOWN_S,
    )
    server = _Server(config)
    task = asyncio.create_task(server.serve(sockets=[listening_on] if listening_on else None))
    listening = asyncio.create_task(server.listening.wait())
    await asyncio.wait({task, listening}, return_when=asyncio.FIRST_COMPLETED)
    if task.done():
        listening.cancel()
        await task
        raise RuntimeError("the server ended before it listened")
    try:
        host, port = server.servers[0].sockets[0].getsockname()[:2]
        yield RunningServer(host, port, server)
    finally:
        server.should_exit = True
        await task
