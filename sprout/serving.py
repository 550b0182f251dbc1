"""HTTP server process: listening socket, startup, and graceful shutdown."""

import asyncio
import gc
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from functools import partial
from typing import Literal

import uvicorn
from starlette.applications import Starlette

from sprout import __version__
from sprout.addresses import WILDCARD_ADDRESSES, allowed_hosts, url_host
from sprout.app import OFFLINE_NOTE, Sprout, open_app, web_dependencies
from sprout.config import Settings
from sprout.errors import SetupError
from sprout.plugins import AgentFactory
from sprout.public_address import is_loopback
from sprout.roles import Role
from sprout.runs.live_runs import LiveRuns
from sprout.sign_in import set_up_path
from sprout.store.engine.server_lock import hold_server_lock
from sprout.telemetry.shutdown_deadline import ShutdownDeadline
from sprout.telemetry.watchdog import watch_event_loop
from sprout.waiting import open_when_ready
from sprout.web.http.dependencies import WebDependencies
from sprout.web.http.draining_server import DrainingServer
from sprout.web.routes import probe_app, web_app
from sprout.web.waiting import waiting_app

SHUTDOWN_GRACE_S = 5
WEB_GRACE_S = 20  # for answers that wait for a run, which a worker carries on meanwhile
END_WITHIN_S = 55.0  # after a signal: a process is given a minute (docs/scale.md)
BALANCER_KEEPS_S = 5.0  # for as long may a balancer keep a connection without a request (docs/scale.md)
DEAD_READER_MS = 30_000
RESERVED_FILES = 200  # for databases, documents and connections to the model
PUBLISHED_NOTE = (
    "It listens on every address of its container: publish this port on 127.0.0.1 of the host alone, as in "
    "`-p 127.0.0.1:8000:8000`, and give it a network without containers that you do not trust."
)


_NAMES = {Role.SERVER: "Sprout", Role.WEB: "Sprout", Role.WORKER: "Sprout's worker"}


def serve(settings: Settings, *, role: Role = Role.SERVER, extra_agents: Sequence[AgentFactory] = ()) -> None:
    """Serve until SIGINT or SIGTERM: then open streams get a `reconnect`, and active runs are released.

    A process that shares its work waits for the services that it needs, and serves its probes meanwhile.

    Args:
        role: a worker serves its probes alone.
        extra_agents: agents besides those of the settings; one with the name of a built-in one replaces it.

    Raises SetupError: the port is in use, or something else has to be fixed first.
    """
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(_serve_until_stopped(settings, role, extra_agents))


async def _serve_until_stopped(settings: Settings, role: Role, extra_agents: Sequence[AgentFactory]) -> None:
    starting = asyncio.current_task()
    assert starting is not None
    deadline = ShutdownDeadline(asyncio.get_running_loop(), within_s=END_WITHIN_S)
    try:
        with _on_signals(deadline.begin, starting.cancel):
            await _serve(settings, role, extra_agents, deadline)
    except asyncio.CancelledError:
        if not starting.cancelling():
            raise


async def _serve(
    settings: Settings, role: Role, extra_agents: Sequence[AgentFactory], deadline: ShutdownDeadline
) -> None:
    published, signed_in = settings.published_on_loopback, settings.has_network_sign_in
    with listening_socket(
        settings.host, settings.port, published_on_loopback=published, has_sign_in=signed_in
    ) as listening:
        async with AsyncExitStack() as stack:
            opening = partial(_open, settings, role, extra_agents)
            if role.shares_work:
                sprout = await open_when_ready(stack, opening, partial(_serve_probes, settings, listening))
            else:
                sprout = await stack.enter_async_context(opening())
            dependencies = web_dependencies(sprout)
            set_up = None if role is Role.WORKER else await set_up_path(dependencies.account_repositories)
            app, is_web = _web_app(settings, role, dependencies), role is Role.WEB
            server = DrainingServer(
                partial(_print_startup, settings, role, listening, set_up),
                _uvicorn_config(settings, app, grace_s=WEB_GRACE_S if is_web else SHUTDOWN_GRACE_S),
                keep_s=BALANCER_KEEPS_S if is_web else 0.0,
            )
            freeze_startup_objects()
            with _on_signals(deadline.begin, partial(_shut_down, server, sprout.runs)):
                async with watch_event_loop():
                    await server.serve(sockets=[listening])


@asynccontextmanager
async def _open(settings: Settings, role: Role, extra_agents: Sequence[AgentFactory]) -> AsyncIterator[Sprout]:
    async with (
        hold_server_lock(settings.database, shared=role.shares_work),
        open_app(settings, extra_agents=extra_agents, role=role) as sprout,
    ):
        yield sprout


@asynccontextmanager
async def _serve_probes(settings: Settings, listening: socket.socket, reason: Callable[[], str]) -> AsyncIterator[None]:
    """Serve the probes of a process that waits."""
    app = waiting_app(reason, allowed_hosts=_allowed_hosts(settings))
    server = DrainingServer(lambda: None, _uvicorn_config(settings, app, grace_s=SHUTDOWN_GRACE_S))
    serving = asyncio.create_task(server.serve(sockets=[listening.dup()]))
    try:
        yield
    finally:
        server.should_exit = True
        await serving


def _uvicorn_config(settings: Settings, app: Starlette, *, grace_s: int) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(settings.trusted_proxies),  # without a proxy such headers could be forged
        forwarded_allow_ips=[*settings.trusted_proxies],
        ws="none",
        http=_protocol(settings),
        timeout_graceful_shutdown=grace_s,
    )


def _web_app(settings: Settings, role: Role, dependencies: WebDependencies) -> Starlette:
    hosts = _allowed_hosts(settings)
    if role is Role.WORKER:
        return probe_app(dependencies, allowed_hosts=hosts)
    return web_app(dependencies, cors_origins=settings.cors_origins, allowed_hosts=hosts)


def _allowed_hosts(settings: Settings) -> tuple[str, ...]:
    return allowed_hosts(settings.host, settings.public_url if settings.auth else None)


def _print_startup(settings: Settings, role: Role, listening: socket.socket, set_up: str | None) -> None:
    """Print the address, the model, and where the first owner is made if there is none."""
    host, port = listening.getsockname()[:2]
    here = "127.0.0.1" if host in WILDCARD_ADDRESSES else url_host(host)
    model = f"offline demo model. {OFFLINE_NOTE}" if settings.offline else settings.model_of("topic", small=False)
    print(f"{_NAMES[role]} {__version__} is at http://{here}:{port}", flush=True)
    if settings.published_on_loopback and not is_loopback(host):
        print(PUBLISHED_NOTE, flush=True)
    print(f"Model: {model}", flush=True)
    if set_up is not None:
        print(
            f"There is no owner yet. Create one, once: {settings.public_url or f'http://{here}:{port}'}{set_up}",
            flush=True,
        )


def _protocol(settings: Settings) -> "type[asyncio.Protocol] | Literal['auto']":
    """HTTP with limits for connections and headers, if httptools is available."""
    try:
        from sprout.web.http.connection_limits import ConnectionLimits, limited_protocol
    except ImportError:  # httptools is missing on Windows
        return "auto"
    numbers = settings.limits
    most = min(numbers.connections, max(_open_files_limit() - RESERVED_FILES, 10))
    return limited_protocol(
        ConnectionLimits(
            total=most,
            per_address=numbers.connections_per_address,
            head_timeout_s=numbers.header_timeout_s,
            proxies=settings.trusted_proxies,
        )
    )


def _open_files_limit() -> int:
    try:
        import resource
    except ImportError:  # missing on Windows
        return 512
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return sys.maxsize if soft == resource.RLIM_INFINITY else soft


def freeze_startup_objects() -> None:
    """Keep what was loaded at the start out of every later search for garbage: a full one takes 0.2 s otherwise, in
    which no stream moves (the tokenizer alone has hundreds of thousands of objects)."""
    gc.collect()
    gc.freeze()


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    try:
        import uvloop
    except ImportError:  # missing on Windows
        return asyncio.new_event_loop
    return uvloop.new_event_loop


def _shut_down(server: uvicorn.Server, runs: LiveRuns) -> None:
    server.force_exit = server.should_exit
    server.should_exit = True
    runs.begin_shutdown()


@contextmanager
def _on_signals(*callbacks: Callable[[], object]) -> Iterator[None]:
    """Have the event loop call these on SIGINT and SIGTERM: a handler of Python's would raise in the middle of
    running code, and leave its waiters hanging."""
    loop = asyncio.get_running_loop()
    for name in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(name, lambda: [callback() for callback in callbacks])
    try:
        yield
    finally:
        for name in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(name)


@contextmanager
def listening_socket(
    host: str,
    port: int,
    *,
    published_on_loopback: bool = False,
    has_sign_in: bool = False,
    dead_reader_ms: int = DEAD_READER_MS,
) -> Iterator[socket.socket]:
    """A socket that is bound to this machine's loopback, or to any address where people sign in over TLS.

    Args:
        has_sign_in: whether every request has to say who sends it, and browsers come by an https address.
        published_on_loopback: whether the operator vouches that the port is reached from this machine alone, although
            it is bound to another address: in a container there is no other way.
        dead_reader_ms: for how long what was sent may stay unconfirmed before a connection is ended; on Linux.

    Raises SetupError: the address is not loopback, or the port is in use.
    """
    anywhere = published_on_loopback or has_sign_in
    if not (anywhere or host == "localhost" or is_loopback(host)):
        raise SetupError(_NOT_LOOPBACK.format(host=host))
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
        if not (anywhere or is_loopback(listening.getsockname()[0])):
            raise SetupError(_NOT_LOOPBACK.format(host=host))  # as the hosts file resolves localhost
        yield listening


_NOT_LOOPBACK = (
    "Without sign-in Sprout listens on this machine only and not on {host}: set SPROUT_HOST to 127.0.0.1, ::1 or "
    "localhost. To serve others, set SPROUT_AUTH=password and SPROUT_PUBLIC_URL to the https address that they use. "
    "In a container, whose port is published on 127.0.0.1 of the host alone, set SPROUT_PUBLISHED_ON_LOOPBACK=true."
)
