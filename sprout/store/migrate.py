"""Bringing a database's schema up to date, and telling when it is not."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine, event, inspect, text
from sqlalchemy.pool import NullPool

from sprout.errors import SetupError
from sprout.store.failures import translated
from sprout.store.urls import sqlite_file, sync_url

_MIGRATIONS = Path(__file__).parent / "migrations"
_ONE_AT_A_TIME = text("select pg_advisory_xact_lock(hashtextextended('sprout migrations', 0))")


def head() -> str:
    """The revision of the schema that this program works with."""
    revision = ScriptDirectory.from_config(migrations()).get_current_head()
    assert revision is not None
    return revision


def current(url: str) -> str | None:
    """The revision of the database's schema, None for an empty database. Raises SetupError: it cannot be reached."""
    file = sqlite_file(url)
    if file is not None and not file.exists():
        return None
    with connected(url) as connection:
        return _revision(connection)


def upgrade(url: str) -> Path | None:
    """Bring the schema up to date, all or nothing. The path of the backup, if one was made: of an SQLite file before it
    is changed.

    Raises SetupError: the database cannot be reached, or its schema is newer than this program.
    """
    now = current(url)
    if now == head():
        return None
    _refuse_newer(now)
    backup = _backup(url, now)
    with connected(url) as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(_ONE_AT_A_TIME)
        command.upgrade(migrations(connection), "head")
        _check_references(connection)
    return backup


def ensure_current(url: str, *, migrate: bool) -> None:
    """Upgrade if wanted. Raises SetupError: the schema is newer than this program or, without `migrate`, older."""
    if migrate:
        upgrade(url)
        return
    now = current(url)
    _refuse_newer(now)
    if now != head():
        raise SetupError("The database's schema is older than this program: run `sprout migrate`.")


def migrations(connection: Connection | None = None) -> Config:
    """Alembic's settings for the migrations in this package, to be run on this connection."""
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


@contextmanager
def connected(url: str) -> Iterator[Connection]:
    """A connection in one transaction that can hold changes of the schema too, committed at the end of the block.

    On SQLite references are not checked in it, so that tables can be rebuilt.
    """
    engine = create_engine(sync_url(url), poolclass=NullPool)
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _without_own_transactions)
        event.listen(engine, "begin", _begin_immediate)
    try:
        with translated(), engine.begin() as connection:
            yield connection
    finally:
        engine.dispose()


def _without_own_transactions(connection: Any, _record: object) -> None:
    connection.isolation_level = None
    connection.execute("PRAGMA busy_timeout=5000")


def _begin_immediate(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _revision(connection: Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()


def _refuse_newer(revision: str | None) -> None:
    known = {script.revision for script in ScriptDirectory.from_config(migrations()).walk_revisions()}
    if revision is not None and revision not in known:
        raise SetupError(
            f"The database was made by a newer Sprout (its schema is {revision!r}): update Sprout, or restore a backup."
        )


def _backup(url: str, revision: str | None) -> Path | None:
    file = sqlite_file(url)
    if file is None or not file.exists() or not _has_tables(url):
        return None
    copy = file.with_name(f"{file.name}.backup-{revision or 'unversioned'}")
    with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
    return copy


def _has_tables(url: str) -> bool:
    with connected(url) as connection:
        return bool(inspect(connection).get_table_names())


def _check_references(connection: Connection) -> None:
    if connection.dialect.name == "sqlite" and connection.exec_driver_sql("PRAGMA foreign_key_check").first():
        raise SetupError("The database holds rows that refer to missing ones: restore a backup.")
