"""Procrastinate's schema: applied and brought up to date by its own statements, each once."""

from pathlib import Path

import psycopg
from procrastinate.schema import SchemaManager

from sprout.errors import ServiceNotReady

_LOCK = "select pg_advisory_xact_lock(hashtextextended('sprout queue', 0))"
_EXISTS = "select to_regclass('queue_migrations') is not null"
_CREATE = "create table queue_migrations (name text primary key)"
_NAMES = "select name from queue_migrations"
_INSERT = "insert into queue_migrations (name) values (%s)"


def upgrade_queue(url: str) -> None:
    """Bring the queue's tables up to date, all or nothing. Raises ServiceNotReady: the database cannot be reached."""
    with _connect(url) as connection:
        connection.execute(_LOCK)
        missing = _missing(connection)
        if _applied(connection) is None:
            connection.execute(_CREATE)
            connection.execute(SchemaManager.get_schema())
        else:
            for name in missing:
                connection.execute((_folder() / name).read_bytes())
        with connection.cursor() as cursor:
            cursor.executemany(_INSERT, [(name,) for name in missing])


def require_current_queue(url: str) -> None:
    """Raises ServiceNotReady: the queue's tables are missing or older than this program, or cannot be reached."""
    with _connect(url) as connection:
        if _missing(connection):
            older = "The job queue's tables are missing, or older than this program: run `sprout migrate`."
            raise ServiceNotReady(older, service="`sprout migrate`")


def _connect(url: str) -> psycopg.Connection[tuple[object, ...]]:
    try:
        return psycopg.connect(url)
    except psycopg.Error as error:
        problem = f"The database cannot be used: {str(error).partition(chr(10))[0]}"
        raise ServiceNotReady(problem, service="PostgreSQL") from error


def _missing(connection: psycopg.Connection[tuple[object, ...]]) -> list[str]:
    """The names of Procrastinate's migrations that the database lacks, in their order."""
    applied = _applied(connection) or set()
    return sorted(file.name for file in _folder().glob("*.sql") if file.name not in applied)


def _applied(connection: psycopg.Connection[tuple[object, ...]]) -> set[object] | None:
    """The names of those that it has; None for a database without a queue."""
    found = connection.execute(_EXISTS).fetchone()
    if found is None or not found[0]:
        return None
    return {name for (name,) in connection.execute(_NAMES)}


def _folder() -> Path:
    return Path(SchemaManager.get_migrations_path())
