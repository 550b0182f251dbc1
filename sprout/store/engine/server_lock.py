"""Lock of the servers on a PostgreSQL database: one that works alone, or any number that share the work."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, TextClause, create_engine, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from sprout.errors import SetupError
from sprout.store.engine.failures import translate_errors
from sprout.store.engine.urls import sqlite_file, sync_url

WAIT_MS = 8_000  # longer than the server before this one takes to stop
_LOCK_NOT_AVAILABLE = "55P03"
_ALONE = text("select pg_advisory_lock(hashtextextended('sprout server', 0))")
_SHARED = text("select pg_advisory_lock_shared(hashtextextended('sprout server', 0))")
_REFUSED = (
    "Another Sprout uses this database already. One that works alone needs a database of its own; several share one "
    "with REDIS_URL set for each: then start `sprout serve` and `sprout worker` as often as you like."
)


@contextmanager
def hold_server_lock(url: str, *, shared: bool) -> Iterator[None]:
    """Hold the lock while a server runs. Raises SetupError: another server holds it, and one of the two works alone.

    Args:
        shared: whether this server shares its work with others. An SQLite file has a lock of its own.
    """
    if sqlite_file(url) is not None:
        yield
        return
    engine = create_engine(sync_url(url), poolclass=NullPool, isolation_level="AUTOCOMMIT")
    with translate_errors():
        connection = engine.connect()
    with connection:
        _lock(connection, _SHARED if shared else _ALONE)
        yield


def _lock(connection: Connection, lock: TextClause) -> None:
    try:
        connection.execute(text(f"set lock_timeout = {WAIT_MS}"))
        connection.execute(lock)
    except DBAPIError as error:
        if getattr(error.orig, "sqlstate", None) != _LOCK_NOT_AVAILABLE:
            raise
        raise SetupError(_REFUSED) from None
