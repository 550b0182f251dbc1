"""Bringing a database's schema up to date, and telling when it is not."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine, event, text
from sqlalchemy.pool import NullPool

from sprout.crashing import crash_point
from sprout.errors import SetupError
from sprout.store.backups import back_up, backups
from sprout.store.checks import advice, in_hand
from sprout.store.failures import translated
from sprout.store.sqlite_files import looked_into
from sprout.store.urls import sqlite_file, sync_url

_MIGRATIONS = Path(__file__).parent / "migrations"
_ONE_AT_A_TIME = text("select pg_advisory_xact_lock(hashtextextended('sprout migrations', 0))")


@cache
def head() -> str:
    """The revision of the schema that this program works with."""
    revision = ScriptDirectory.from_config(migrations()).get_current_head()
    assert revision is not None
    return revision


def knows(revision: str | None) -> bool:
    """Whether this program can work with a schema of this revision, if need be after a migration."""
    known = {script.revision for script in ScriptDirectory.from_config(migrations()).walk_revisions()}
    return revision is None or revision in known


def current(url: str) -> str | None:
    """The revision of the database's schema, None for an empty database. Changes nothing, and waits for no writer.

    Raises SetupError: it cannot be reached, or read.
    """
    file = sqlite_file(url)
    if file is not None:
        return revision_of(file) if file.exists() else None
    with connected(url) as connection:
        return MigrationContext.configure(connection).get_current_revision()


def revision_of(file: Path) -> str | None:
    """The same of an SQLite file. Raises SetupError: it cannot be read."""
    try:
        with looked_into(file) as connection:
            if "alembic_version" not in _tables(connection):
                return None
            found = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.Error as error:
        raise SetupError(f"The database {file} cannot be read ({error}): {advice(file)}.") from error
    return None if found is None else str(found[0])


def upgrade(url: str) -> Path | None:
    """Bring the schema up to date, all or nothing. The path of the backup, if one was made: of an SQLite file before it
    is changed.

    Raises SetupError: the database cannot be reached, another process has its file, or its schema is newer than this
    program.
    """
    file = sqlite_file(url)
    with nullcontext() if file is None else in_hand(file):
        return _upgraded(url)


def ensure_current(url: str, *, migrate: bool) -> None:
    """Upgrade if wanted; whoever calls this has an SQLite file in hand.

    Raises SetupError: the schema is newer than this program or, without `migrate`, older.
    """
    if migrate:
        _upgraded(url)
        return
    now = current(url)
    _refuse_newer(url, now)
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


def _upgraded(url: str) -> Path | None:
    now = current(url)
    if now == head():
        return None
    _refuse_newer(url, now)
    backup = _backup(url, now)
    with connected(url) as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(_ONE_AT_A_TIME)
        event.listen(connection, "before_cursor_execute", _step)
        command.upgrade(migrations(connection), "head")
        _check_references(connection)
    crash_point("migration_done")
    return backup


def _step(_connection: Connection, _cursor: object, statement: str, *_: object) -> None:
    if not statement.lstrip().upper().startswith(("SELECT", "PRAGMA")):
        crash_point("migration_step")


def _refuse_newer(url: str, revision: str | None) -> None:
    if knows(revision):
        return
    file = sqlite_file(url)
    older = None if file is None else next((one for one in backups(file) if _readable(one)), None)
    restore = "" if older is None else f", or restore {older}, which lacks what was done since"
    raise SetupError(
        f"The database was made by a newer Sprout (its schema is {revision!r}, this one knows {head()!r}): "
        f"update Sprout{restore}."
    )


def _readable(backup: Path) -> bool:
    """Whether this program can work with a backup."""
    try:
        return knows(revision_of(backup))
    except SetupError:
        return False


def _backup(url: str, revision: str | None) -> Path | None:
    file = sqlite_file(url)
    if file is None or not file.exists() or not _has_tables(file):
        return None
    return back_up(file, revision or "unversioned")


def _has_tables(file: Path) -> bool:
    with looked_into(file) as connection:
        return bool(_tables(connection))


def _tables(connection: sqlite3.Connection) -> set[str]:
    return {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def _check_references(connection: Connection) -> None:
    if connection.dialect.name == "sqlite" and connection.exec_driver_sql("PRAGMA foreign_key_check").first():
        raise SetupError(
            "The database holds rows that refer to missing ones, so it was left as it was: restore a backup."
        )
