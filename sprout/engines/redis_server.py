"""Redis server: connections to it, and whether it can be used."""

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from sprout.errors import ServiceNotReady, SetupError
from sprout.ids import new_id

try:
    from redis.asyncio import BlockingConnectionPool, Redis
    from redis.asyncio.connection import AbstractConnection
    from redis.asyncio.retry import Retry
    from redis.backoff import NoBackoff
    from redis.exceptions import AuthenticationError, NoPermissionError, OutOfMemoryError, RedisError
    from redis.exceptions import ConnectionError as NotConnected
    from redis.exceptions import TimeoutError as TimedOut
except ImportError:
    raise SetupError("Redis needs the extra: pip install 'sprout-tutor[scale]', or unset REDIS_URL.") from None

OLDEST_VERSION = (5, 0)
CONNECTIONS = 8
TIMEOUT_S = 2.0
PROBE_EXPIRES_S = 10
EXPECTED = (RedisError, OSError)  # with Redis away; asyncio's TimeoutError is an OSError

Command = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class RedisHealth:
    """Facts about a server; `evicts` is whether it may throw keys away that have not expired.

    Args:
        clustered: whether the keys are spread over several servers.
        full: whether it took no write, for lack of memory.
    """

    where: str
    version: str
    policy: str
    role: str
    clustered: bool = False
    full: bool = False
    round_trip_ms: float = 0.0

    @property
    def evicts(self) -> bool:
        return self.policy.startswith("allkeys")

    @property
    def refusal(self) -> str | None:
        """Why the server cannot be used, with what to do."""
        if self.role != "master":
            return f"Redis at {self.where} is a replica, which takes no writes: set REDIS_URL to its primary."
        if _version_tuple(self.version) < OLDEST_VERSION:
            oldest = ".".join(map(str, OLDEST_VERSION))
            return f"Redis at {self.where} is {self.version}, which has no streams: Sprout needs {oldest} or newer."
        if self.clustered:
            return (
                f"Redis at {self.where} is part of a cluster, whose keys are spread: set REDIS_URL to a single server."
            )
        return None

    @property
    def advice(self) -> str | None:
        """Advice on what to mend, although the server can be used."""
        if self.full:
            return (
                f"Redis at {self.where} has no memory left and takes no writes, so that streams come late, from the "
                "database: raise its maxmemory, or find out what else it is used for."
            )
        if self.evicts:
            return (
                f"Redis at {self.where} deletes any key when its memory is full (maxmemory-policy {self.policy}), so "
                "that streams stutter: set noeviction or volatile-ttl."
            )
        return None


def connect(
    url: str, *, connections: int = CONNECTIONS, retries: int = 1, on_connect: Callable[[], None] = lambda: None
) -> "Redis":
    """A client with a bounded number of connections, which are opened when they are needed.

    Its commands have no timeout of their own, since the client's loses cancellations (Python 3.11's `wait_for`).

    Args:
        retries: how often a command is repeated at once where its connection was cut: an idle one may be stale.
        on_connect: called for each new connection, also where one takes the place of another unseen.

    Raises SetupError: the URL is not Redis's.
    """

    async def greet(connection: AbstractConnection) -> None:
        await connection.on_connect()
        on_connect()

    try:
        pool = BlockingConnectionPool.from_url(
            url,
            max_connections=connections,
            timeout=TIMEOUT_S,
            socket_timeout=None,
            socket_connect_timeout=TIMEOUT_S,
            retry=Retry(NoBackoff(), retries),
            redis_connect_func=greet,
            protocol=2,
            decode_responses=True,
            encoding_errors="replace",
        )
    except ValueError as error:
        raise SetupError(f"REDIS_URL must be redis://host:6379/0 or rediss://…: {error}.") from None
    return Redis.from_pool(pool)


async def execute(client: "Redis", commands: Iterable[Command], *, timeout_s: float = TIMEOUT_S) -> list[Any]:
    """The results of commands that are sent together, without a transaction. Raises RedisError, TimeoutError."""
    async with asyncio.timeout(timeout_s), client.pipeline(transaction=False) as pipeline:
        for command in commands:
            _ = pipeline.execute_command(*command)
        results = await pipeline.execute(raise_on_error=False)
    for result in results:
        if isinstance(result, RedisError):
            raise result  # the pipeline's own error would carry the command, whose text is a learner's
    return results


async def check_health(url: str, client: "Redis") -> RedisHealth:
    """Facts about the server, after a value was written and read.

    Raises SetupError: it cannot be used; ServiceNotReady: it does not answer yet.
    """
    with translate_errors(url):
        (info,) = await execute(client, [("INFO",)])
        health = _health(shown_address(url), info)
        if health.refusal is not None:
            raise SetupError(health.refusal)
        began_s = time.perf_counter()
        has_room = await _write_and_read(client)
        return replace(health, full=not has_room, round_trip_ms=(time.perf_counter() - began_s) * 1_000 / 2)


@contextmanager
def translate_errors(url: str) -> Iterator[None]:
    """Raises SetupError: the server refuses what is asked of it; ServiceNotReady: it does not answer."""
    where = shown_address(url)
    try:
        yield
    except AuthenticationError:
        raise SetupError(f"Redis at {where} refuses the user or password in REDIS_URL.") from None
    except NoPermissionError as error:
        raise SetupError(f"Redis at {where} does not let the user of REDIS_URL do all that it must: {error}.") from None
    except (NotConnected, TimedOut, OSError) as error:
        problem = f"Redis does not answer at {where} ({error}): start it, or correct REDIS_URL."
        raise ServiceNotReady(problem, service="Redis") from None
    except RedisError as error:
        raise SetupError(f"Redis at {where} cannot be used: {error}.") from None


def shown_address(url: str) -> str:
    """Host, port and database of a URL, without its password."""
    parts = urlsplit(url)
    return f"{parts.hostname or 'localhost'}:{parts.port or 6379}{parts.path or '/0'}"


async def _write_and_read(client: "Redis") -> bool:
    """Write a value and read it; whether it was written. A full server may have room again in a moment."""
    key, has_room = f"sprout:probe:{new_id()}", True
    try:
        await execute(client, [("SET", key, "1", "EX", PROBE_EXPIRES_S)])
    except OutOfMemoryError:
        has_room = False
    await execute(client, [("GET", key)])
    return has_room


def _health(where: str, info: Mapping[str, Any]) -> RedisHealth:
    policy, role = str(info.get("maxmemory_policy", "noeviction")), str(info.get("role", "master"))
    clustered = bool(int(info.get("cluster_enabled", 0)))
    return RedisHealth(where, str(info["redis_version"]), policy, role, clustered=clustered)


def _version_tuple(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdecimal())
