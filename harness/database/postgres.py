"""PostgreSQL databases for tests: empty ones, migrated ones, and a pool of migrated ones that are used again."""

import atexit
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import psycopg
from psycopg.sql import SQL, Composed, Identifier
from sqlalchemy import make_url

from harness.services import POSTGRES, require
from sprout.engines.procrastinate_schema import upgrade_queue
from sprout.store.engine.migrate import upgrade
from sprout.store.engine.urls import libpq_url

# With these all other rows go.
EMPTIED = (
    *("users", "worker_leases", "budget_days", "budget_reservations", "model_probes", "security_events"),
    *("procrastinate_jobs", "procrastinate_workers", "procrastinate_periodic_defers"),
)
LEAVES_WITHIN_MS = 5_000

_pool: list[str] = []


@contextmanager
def create_postgres() -> Iterator[str]:
    """The URL of a new database without tables."""
    url = _create("template1")
    try:
        yield url
    finally:
        _drop(url)


@contextmanager
def create_migrated_postgres() -> Iterator[str]:
    """The URL of a new database that is up to date, with the job queue, and holds nothing."""
    url = _create(_name(_template()))
    try:
        yield url
    finally:
        _drop(url)


@contextmanager
def pooled_postgres() -> Iterator[str]:
    """As `create_migrated_postgres`, for who leaves the schema as it is: others of this process use it afterwards."""
    require("postgres")
    url = _pool.pop() if _pool else _create_pooled()
    try:
        yield url
    finally:
        _empty(url)
        _pool.append(url)


def migrate(url: str) -> None:
    """Bring the database and its job queue up to date."""
    upgrade(url)
    upgrade_queue(libpq_url(url))


@cache
def _template() -> str:
    """The migrated database that this process copies, since migrating anew takes longer than most tests."""
    url = _create("template1")
    atexit.register(_drop, url)
    migrate(url)
    return url


def _create_pooled() -> str:
    url = _create(_name(_template()))
    atexit.register(_drop, url)
    return url


def _create(template: str) -> str:
    require("postgres")
    name = f"sprout_test_{secrets.token_hex(6)}"
    _execute(SQL("create database {} template {}").format(Identifier(name), Identifier(template)))
    # This server never loses power: no commit has to wait for its disk.
    _execute(SQL("alter database {} set synchronous_commit = off").format(Identifier(name)))
    return make_url(POSTGRES).set(database=name).render_as_string(hide_password=False)


def _empty(url: str) -> None:
    """Delete every row, and end whatever a killed process has left."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "select pg_terminate_backend(pid, %s) from pg_stat_activity "
            "where datname = current_database() and pid <> pg_backend_pid()",
            [LEAVES_WITHIN_MS],
        )
        for table in EMPTIED:
            connection.execute(SQL("delete from {}").format(Identifier(table)))


def _drop(url: str) -> None:
    _execute(SQL("drop database {} with (force)").format(Identifier(_name(url))))


def _execute(statement: Composed) -> None:
    with psycopg.connect(POSTGRES, autocommit=True) as server:
        server.execute(statement)


def _name(url: str) -> str:
    name = make_url(url).database
    assert name is not None
    return name
