"""The offline model server, running on a port: inside Sprout, in tests and benchmarks, or on its own."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.server import ServerState

from sprout.errors import SetupError
from sprout.offline.api.messages_api import (
    RECORDED_REQUESTS,
    MessagesApi,
    OfflineModel,
    RecordedRequest,
    messages_api,
    offline_app,
)
from sprout.offline.api.paced_response import TRANSPORT
from sprout.offline.api.prompt_cache import PromptCache
from sprout.offline.faults.scenarios import FaultPlan
from sprout.offline.pace import Pace

CLOSING_S = 5.0


@dataclass(frozen=True, slots=True)
class OfflineServer:
    """A server that is running; `base_url` is what the SDK takes, without `/v1`."""

    base_url: str
    api: MessagesApi

    @property
    def requests(self) -> list[RecordedRequest]:
        """Every request for a message so far, oldest first (the last `keep_requests`)."""
        return list(self.api.requests)


@asynccontextmanager
async def running_offline_server(
    model: OfflineModel,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    pace: Pace | None = None,
    faults: FaultPlan | None = None,
    cache: PromptCache | None = None,
    keep_requests: int = RECORDED_REQUESTS,
) -> AsyncIterator[OfflineServer]:
    """Serve `model` inside the running loop; port 0 takes a free one. Connections still open at the end are cut.

    Raises:
        SetupError: the port cannot be had.
    """
    api = messages_api(model, pace=pace, faults=faults, cache=cache, keep_requests=keep_requests)
    listening = _bind_socket(host, port)
    async with _run_uvicorn(offline_app(api), listening):
        shown = f"[{host}]" if ":" in host else host
        yield OfflineServer(f"http://{shown}:{listening.getsockname()[1]}", api)


async def serve(model: OfflineModel, host: str, port: int, *, pace: Pace | None = None) -> None:
    """Serve `model` until this task is cancelled. Raises SetupError where the port cannot be had."""
    async with running_offline_server(model, host=host, port=port, pace=pace, keep_requests=0):
        await asyncio.Event().wait()


@asynccontextmanager
async def _run_uvicorn(app: ASGIApp, listening: socket.socket) -> AsyncIterator[None]:
    """uvicorn's protocol on a socket of ours, without its `MeasuredServer`.

    That one would take the process's signals, change the log settings of the server that Sprout itself runs in, and
    not leave before its connections do.
    """
    config = uvicorn.Config(app, lifespan="off", ws="none", log_config=None)
    config.load()
    state = ServerState()

    def connection() -> asyncio.Protocol:
        protocol = config.http_protocol_class(config=config, server_state=state, app_state={})  # type: ignore[call-arg]
        protocol.access_log = False  # type: ignore[attr-defined]
        protocol.app = _WithTransport(app, protocol)  # type: ignore[attr-defined]
        return protocol

    # Cancelled while it starts to serve, `create_server` would leave it so.
    listener = await asyncio.get_running_loop().create_server(connection, sock=listening, start_serving=False)
    try:
        await listener.start_serving()
        yield
    finally:
        listener.close()
        for each in list(state.connections):
            each.transport.abort()
        await _drain(state)


async def _drain(state: ServerState) -> None:
    """Wait for the requests in flight, which end by themselves once they see their connection gone."""
    if not state.tasks:
        return
    _, stuck = await asyncio.wait(list(state.tasks), timeout=CLOSING_S)
    for task in stuck:
        task.cancel()
    await asyncio.gather(*stuck, return_exceptions=True)


class _WithTransport:
    """The app with its connection in the scope, which ASGI has no place for."""

    def __init__(self, app: ASGIApp, protocol: asyncio.Protocol) -> None:
        self._app = app
        self._protocol = protocol

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope[TRANSPORT] = self._protocol.transport  # type: ignore[attr-defined]
        await self._app(scope, receive, send)


def _bind_socket(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is named, because asyncio sends small writes at once (TCP_NODELAY) only where it is.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        raise SetupError(f"the offline model server cannot listen on {host}:{port}: {error}") from error
    listening.setblocking(False)
    return listening
