"""Procrastinate's ways to the database: they end when they are cancelled, and outlive the loss of the database."""

import asyncio
import logging
from collections.abc import Iterable, Iterator
from contextlib import aclosing, contextmanager
from selectors import EVENT_READ, DefaultSelector
from typing import Any

from procrastinate import PsycopgConnector
from procrastinate.connector import LISTEN_TIMEOUT, Notify
from procrastinate.exceptions import ConnectorException
from procrastinate.manager import JobManager
from psycopg import AsyncConnection, OperationalError
from psycopg.sql import SQL, Identifier
from psycopg_pool import AsyncConnectionPool

from sprout.errors import DatabaseUnavailable
from sprout.runs.cancellation import raise_if_cancelled

RECONNECT_S = 1.0

log = logging.getLogger(__name__)


class Connector(PsycopgConnector):
    """The connections of a dispatcher.

    Procrastinate's own listening waits with `asyncio.wait_for`, which on Python 3.11 loses a cancellation that meets a
    notification: a worker that was asked to go would listen on.

    Args:
        url: of the database, as libpq takes it.
        connections: how many there are at most, besides one for each listener.
    """

    def __init__(self, url: str, connections: int) -> None:
        # Each of its queries is one statement, which needs no transaction around it.
        sizes: dict[str, Any] = {"min_size": 1, "max_size": connections}
        super().__init__(pool_factory=_create_pool, conninfo=url, timeout=5.0, kwargs={"autocommit": True}, **sizes)
        self._url = url

    async def listen_notify(self, on_notification: Notify, channels: Iterable[str]) -> None:
        """Hear what is said on these channels, until this is cancelled."""
        channels, lost = [*channels], False
        while True:
            try:
                async with await AsyncConnection.connect(self._url, autocommit=True) as connection:
                    for channel in channels:
                        await connection.execute(SQL("listen {}").format(Identifier(channel)))
                    lost = False
                    await _hear(connection, on_notification)
            except OperationalError:  # until it hears again, heartbeats and polls find what was said
                if not lost:
                    log.warning("queue.not_listening", exc_info=True)
                lost = True
            raise_if_cancelled()
            await asyncio.sleep(RECONNECT_S)


class Jobs(JobManager):
    """The jobs of a worker that may lose the database: it carries on with what it has.

    A job that could not be finished is put back once its worker has ended. That is harmless: to advance a lane again
    changes nothing.
    """

    async def finish_job(self, *args: Any, **options: Any) -> None:
        with _made_up_for_later():
            await super().finish_job(*args, **options)

    async def retry_job(self, *args: Any, **options: Any) -> None:
        with _made_up_for_later():
            await super().retry_job(*args, **options)

    async def update_heartbeat(self, *args: Any, **options: Any) -> None:
        with _made_up_for_later():
            await super().update_heartbeat(*args, **options)


@contextmanager
def _made_up_for_later() -> Iterator[None]:
    try:
        yield
    except ConnectorException:
        log.info("queue.not_updated", exc_info=True)


@contextmanager
def translate_errors() -> Iterator[None]:
    """Raises DatabaseUnavailable: the database was not reached."""
    try:
        yield
    except OperationalError as error:
        raise DatabaseUnavailable from error
    except ConnectorException as error:
        if isinstance(error.__cause__, OperationalError):
            raise DatabaseUnavailable from error
        raise


def _create_pool(**options: Any) -> AsyncConnectionPool:
    """A pool that looks at a connection's socket before each use: the check of Procrastinate's is a round trip."""
    return AsyncConnectionPool(**options | {"check": _require_silence})


async def _require_silence(connection: AsyncConnection) -> None:
    """Raises OperationalError: something has come over an idle connection, on which a server says only that it ends."""
    with DefaultSelector() as selector:
        selector.register(connection.fileno(), EVENT_READ)
        if selector.select(0):
            await connection.close()
            raise OperationalError("The server has ended this connection.")


async def _hear(connection: AsyncConnection, on_notification: Notify) -> None:
    """Hear until this is cancelled. Raises OperationalError: the connection is lost."""
    while True:
        async with aclosing(connection.notifies(timeout=LISTEN_TIMEOUT)) as heard:
            async for one in heard:
                await on_notification(channel=one.channel, payload=one.payload)
        await connection.execute("select 1")
