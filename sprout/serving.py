"""Sprout as a server: where it listens, how it starts, and how it leaves when it is asked to."""

import asyncio
import gc
import ipaddress
import signal
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Literal

import uvicorn

from sprout import __version__
from sprout.addresses import EVERY_ADDRESS, bracketed
from sprout.app import OFFLINE_NOTE, open_app, web_parts
from sprout.config import Settings
from sprout.errors import SetupError
from sprout.extending import AgentMaker
from sprout.runs.live import LiveRuns
from sprout.telemetry.stalls import stalls_told
from sprout.web.routes import web_app

GRACE_S = 5
DEAD_READER_MS = 30_000
FILES_OF_ITS_OWN = 200  # databases, documents, the model's connections: none of those that may be open for clients
PUBLISHED_NOTE = (
    "It listens on every address of its container: publish this port on 127.0.0.1 of the host alone, as in "
    "`-p 127.0.0.1:8000:8000`, and give it a network without containers that you do not trust."
)


def serve(settings: Settings, *, extra_agents: Sequence[AgentMaker] = ()) -> None:
    """Serve until SIGINT or SIGTERM: then open streams are told to come back, and what runs is cut off.

    Args:
        extra_agents: agents besides those of the settings; one with the name of a built-in one takes its place.

    Raises SetupError: the port is taken, or something else has to be mended first.
    """
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(_served(settings, extra_agents))


async def _served(settings: Settings, extra_agents: Sequence[AgentMaker]) -> None:
    starting = asyncio.current_task()
    assert starting is not None
    published = settings.published_on_loopback
    with (
        _on_signals(starting.cancel),
        listening_at(settings.host, settings.port, published_on_loopback=published) as listening,
    ):
        async with open_app(settings, extra_agents=extra_agents, take_up=True) as sprout:
            server = _Server(
                partial(_tell, settings, listening),
                uvicorn.Config(
                    web_app(web_parts(sprout)),
                    lifespan="off",
                    log_config=None,
                    access_log=False,
                    server_header=False,
                    proxy_headers=False,  # there is none: whoever says where he comes from would be believed
                    ws="none",
                    http=_protocol(settings),
                    timeout_graceful_shutdown=GRACE_S,
                ),
            )
            freeze_what_stays()
            with _on_signals(partial(_leave, server, sprout.runs)):
                async with stalls_told():
                    await server.serve(sockets=[listening])


def _tell(settings: Settings, listening: socket.socket) -> None:
    """Say where it is and which model it has."""
    host, port = listening.getsockname()[:2]
    here = "127.0.0.1" if host in EVERY_ADDRESS else bracketed(host)
    model = f"offline demo model. {OFFLINE_NOTE}" if settings.offline else settings.model_of("topic", small=False)
    print(f"Sprout {__version__} is at http://{here}:{port}", flush=True)
    if not _is_loopback(host):
        print(PUBLISHED_NOTE, flush=True)
    print(f"Model: {model}", flush=True)


def _protocol(settings: Settings) -> "type[asyncio.Protocol] | Literal['auto']":
    """HTTP with limits for connections and heads, where there is the parser that uvicorn has it on."""
    try:
        from sprout.web.connections import Doors, guarded
    except ImportError:  # there is no httptools for Windows
        return "auto"
    numbers = settings.limits
    most = min(numbers.connections, max(_files_that_may_be_open() - FILES_OF_ITS_OWN, 10))
    return guarded(Doors(most=most, per_address=numbers.connections_per_address, head_s=numbers.header_timeout_s))


def _files_that_may_be_open() -> int:
    try:
        import resource
    except ImportError:  # there is none for Windows
        return 512
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return sys.maxsize if soft == resource.RLIM_INFINITY else soft


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
    """uvicorn's server with our signals: it would end the process before what is open was closed.

    Args:
        tell: called once it can be reached.
    """

    def __init__(self, tell: Callable[[], None], config: uvicorn.Config) -> None:
        super().__init__(config)
        self._tell = tell

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._tell()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _leave(server: uvicorn.Server, runs: LiveRuns) -> None:
    server.force_exit = server.should_exit
    server.should_exit = True
    runs.say_goodbye()


@contextmanager
def _on_signals(told: Callable[[], object]) -> Iterator[None]:
    """Have the loop call this when the process is asked to leave: a handler of Python's would raise in the middle of
    whatever goes on, and what waits for that would wait for ever."""
    loop = asyncio.get_running_loop()
    for name in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(name, told)
    try:
        yield
    finally:
        for name in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(name)


@contextmanager
def listening_at(
    host: str, port: int, *, published_on_loopback: bool = False, dead_reader_ms: int = DEAD_READER_MS
) -> Iterator[socket.socket]:
    """A socket that is bound to this machine's loopback.

    Args:
        published_on_loopback: whether the operator vouches that the port is reached from this machine alone, although
            it is bound to another address: in a container there is no other way.
        dead_reader_ms: for how long what was sent may stay unconfirmed before a connection is ended; on Linux.

    Raises SetupError: it would be another address, or the port is taken.
    """
    if not (published_on_loopback or host == "localhost" or _is_loopback(host)):
        raise SetupError(_NOT_HERE.format(host=host))
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is named, because asyncio sends small writes at once (TCP_NODELAY) only where it is.
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if hasattr(socket, "TCP_USER_TIMEOUT"):  # Linux: connections inherit it, so that dead readers are freed
            listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, dead_reader_ms)
        try:
            listening.bind((host, port))
        except OSError as error:
            raise SetupError(f"Cannot listen on {host}:{port}: {error.strerror}. Choose another PORT.") from error
        if not (published_on_loopback or _is_loopback(listening.getsockname()[0])):
            raise SetupError(_NOT_HERE.format(host=host))  # the names of this machine say so of localhost
        yield listening


_NOT_HERE = (
    "Sprout has no sign-in yet (there is no SPROUT_AUTH), so it listens on this machine only and not on {host}: set "
    "SPROUT_HOST to 127.0.0.1, ::1 or localhost. In a container, whose port is published on 127.0.0.1 of the host "
    "alone, set SPROUT_PUBLISHED_ON_LOOPBACK=true."
)


def _is_loopback(host: str) -> bool:
    """Whether this is a loopback address; a name is none, whatever it may lead to."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
