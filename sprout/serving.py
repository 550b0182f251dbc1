"""Sprout as a server: where it listens, how it starts, and how it leaves when it is asked to."""

import asyncio
import gc
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import uvicorn

from sprout import __version__
from sprout.app import OFFLINE_NOTE, AgentMaker, bracketed, open_app, web_parts
from sprout.config import Settings
from sprout.errors import SetupError
from sprout.runs.live import LiveRuns
from sprout.web.routes import web_app

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
GRACE_S = 5
DEAD_READER_MS = 30_000


def serve(settings: Settings, *, extra_agents: Sequence[AgentMaker] = ()) -> None:
    """Serve until SIGINT or SIGTERM: then open streams are told to come back, and what runs is cut off.

    Args:
        extra_agents: further agents; one with the name of a built-in one takes its place.

    Raises SetupError: the port is taken, or something else has to be mended first.
    """
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(_served(settings, extra_agents))


async def _served(settings: Settings, extra_agents: Sequence[AgentMaker]) -> None:
    with listening_at(settings.host, settings.port) as listening:
        async with open_app(settings, extra_agents=extra_agents, take_up=True) as sprout:
            server = _Server(
                uvicorn.Config(
                    web_app(web_parts(sprout)),
                    lifespan="off",
                    log_config=None,
                    access_log=False,
                    server_header=False,
                    timeout_graceful_shutdown=GRACE_S,
                )
            )
            freeze_what_stays()
            with _on_signals(server, sprout.runs):
                host, port = listening.getsockname()[:2]
                model = settings.model_of("topic", small=False)
                print(f"Sprout {__version__} is at http://{bracketed(host)}:{port}", flush=True)
                print(f"Model: {'offline demo model. ' + OFFLINE_NOTE if settings.offline else model}", flush=True)
                await server.serve(sockets=[listening])


def freeze_what_stays() -> None:
    """Keep what was loaded at the start out of every later search for garbage: a full one takes 0.2 s otherwise, in
    which no stream moves (the tokenizer alone has hundreds of thousands of objects)."""
    gc.collect()
    gc.freeze()


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    try:
        import uvloop
    except ImportError:  # there is none for Windows
        return asyncio.new_event_loop
    return uvloop.new_event_loop


class _Server(uvicorn.Server):
    """uvicorn's server with our signals: it would end the process before what is open was closed."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@contextmanager
def _on_signals(server: uvicorn.Server, runs: LiveRuns) -> Iterator[None]:
    loop = asyncio.get_running_loop()

    def leave() -> None:
        server.force_exit = server.should_exit
        server.should_exit = True
        runs.say_goodbye()

    for name in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(name, leave)
    try:
        yield
    finally:
        for name in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(name)


@contextmanager
def listening_at(host: str, port: int) -> Iterator[socket.socket]:
    """A socket of this machine that is bound. Raises SetupError: the host is not this machine, or the port is taken."""
    if host not in LOOPBACK:
        raise SetupError(f"Sprout has no sign-in yet, so it listens on this machine only, not on {host}.")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is named, because asyncio sends small writes at once (TCP_NODELAY) only where it is.
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if hasattr(socket, "TCP_USER_TIMEOUT"):  # Linux: connections inherit it, so that dead readers are freed
            listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, DEAD_READER_MS)
        try:
            listening.bind((host, port))
        except OSError as error:
            raise SetupError(f"Cannot listen on {host}:{port}: {error.strerror}. Choose another PORT.") from error
        yield listening
