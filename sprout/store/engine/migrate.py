"""Migrations: the schema of a database, checked and brought up to date."""

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

from sprout.clock import utc_now
from sprout.errors import ServiceNotReady, SetupError
from sprout.failpoints import failpoint
from sprout.store.engine.failures import translate_errors
from sprout.store.engine.urls import sqlite_file, sync_url
from sprout.store.schema.partitions import make_partitions
from sprout.store.sqlite.backups import back_up, list_backups
from sprout.store.sqlite.checks import exclusive_access, recovery_advice
from sprout.store.sqlite.files import open_read_only

MIGRATION = "`sprout migrate`"
_MIGRATIONS = Path(__file__).parent.parent / "migrations"
_LOCK_MIGRATIONS = text("select pg_advisory_xact_lock(hashtextextended('sprout migrations', 0))")
# Revisions from before the first release; nothing migrates from them.
_UNRELEASED = frozenset(
    "9a75bf5f897e 4d0e6b7a51c2 5d1c0b7e42a9 b7e2f05c91d4 c41d8a7e03f6 e93b60d2f7a8 d90b2f6e51c8 a47c1d92e6b3 "
    "c58e0b7d3f92".split()
)


@cache
def head() -> str:
    """The revision of the schema that this program works with."""
    revision = ScriptDirectory.from_config(migrations()).get_current_head()
    assert revision is not None
    return revision


def knows(revision: str | None) -> bool:
    """Whether this program can work with a schema of this revision, migrated if need be."""
    known = {script.revision for script in ScriptDirectory.from_config(migrations()).walk_revisions()}
    return revision is None or revision in known


def current_revision(url: str) -> str | None:
    """The revision of the database's schema, None for an empty database. Changes nothing, and waits for no writer.

    Raises SetupError: it cannot be reached, or read.
    """
    file = sqlite_file(url)
    if file is not None:
        return revision_of(file) if file.exists() else None
    with connect(url) as connection:
        return MigrationContext.configure(connection).get_current_revision()


def revision_of(file: Path) -> str | None:
    """The revision of an SQLite file's schema. Raises SetupError: it cannot be read."""
    try:
        with open_read_only(file) as connection:
            if "alembic_version" not in _tables(connection):
                return None
            found = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.Error as error:
        raise SetupError(f"The database {file} cannot be read ({error}): {recovery_advice(file)}.") from error
    return None if found is None else str(found[0])


def upgrade(url: str) -> Path | None:
    """Bring the schema up to date, all or nothing; the path of the backup that is made of an SQLite file before.

    Raises SetupError: the database cannot be reached, another process has its file, or its schema is unknown.
    """
    file = sqlite_file(url)
    with nullcontext() if file is None else exclusive_access(file):
        return _upgrade(url)


def ensure_current(url: str, *, migrate: bool) -> None:
    """Upgrade if wanted; the caller holds the lock of an SQLite file.

    Raises SetupError: the schema is unknown; ServiceNotReady: without `migrate`, it is older than this program's.
    """
    if migrate:
        _upgrade(url)
        return
    now = current_revision(url)
    _refuse_unknown(url, now)
    if now != head():
        older = "The database's schema is missing, or older than this program: run `sprout migrate`."
        raise ServiceNotReady(older, service=MIGRATION)


def migrations(connection: Connection | None = None) -> Config:
    """Alembic's settings for the migrations in this package, to be run on this connection."""
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


@contextmanager
def connect(url: str) -> Iterator[Connection]:
    """A connection in one transaction that can also change the schema, committed at the end of the block.

    On SQLite it does not check references, so that tables can be rebuilt.
    """
    engine = create_engine(sync_url(url), poolclass=NullPool)
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _without_own_transactions)
        event.listen(engine, "begin", _begin_immediate)
    try:
        with translate_errors(), engine.begin() as connection:
            yield connection
    finally:
        engine.dispose()


def _without_own_transactions(connection: Any, _record: object) -> None:
    connection.isolation_level = None
    connection.execute("PRAGMA busy_timeout=5000")


def _begin_immediate(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _upgrade(url: str) -> Path | None:
    now = current_revision(url)
    if now == head():
        return None
    _refuse_unknown(url, now)
    backup = _backup(url, now)
    with connect(url) as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(_LOCK_MIGRATIONS)
        event.listen(connection, "before_cursor_execute", _crash_before)
        command.upgrade(migrations(connection), "head")
        if connection.dialect.name == "postgresql":
            make_partitions(connection, utc_now())
        _check_references(connection)
    failpoint("migration_done")
    return backup


def _crash_before(_connection: Connection, _cursor: object, statement: str, *_: object) -> None:
    if not statement.lstrip().upper().startswith(("SELECT", "PRAGMA")):
        failpoint("migration_step")


def why_refused(url: str, revision: str | None) -> str | None:
    """Why this program cannot work with a schema of this revision, and what to do; None if it can."""
    if knows(revision):
        return None
    file = sqlite_file(url)
    if revision in _UNRELEASED:
        keep = (
            "make a new database and let DATABASE_URL name it"
            if file is None
            else f"move {file} and its companions away"
        )
        return (
            f"The database was made by a version of Sprout from before its first release (its schema is {revision!r}), "
            f"which this one does not migrate: export your paths with that version if you want them, then {keep}."
        )
    older = None if file is None else next((one for one in list_backups(file) if _is_readable(one)), None)
    restore = "" if older is None else f", or restore {older}, which lacks what was done since"
    return (
        f"The database was made by a newer Sprout (its schema is {revision!r}, this one knows {head()!r}): "
        f"update Sprout{restore}."
    )


def _refuse_unknown(url: str, revision: str | None) -> None:
    if (problem := why_refused(url, revision)) is not None:
        raise SetupError(problem)


def _is_readable(backup: Path) -> bool:
    """Whether this program can work with the backup."""
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
    with open_read_only(file) as connection:
        return bool(_tables(connection))


def _tables(connection: sqlite3.Connection) -> set[str]:
    return {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def _check_references(connection: Connection) -> None:
    if connection.dialect.name == "sqlite" and connection.exec_driver_sql("PRAGMA foreign_key_check").first():
        raise SetupError(
            "The database holds rows that refer to missing ones, so it was left as it was: restore a backup."
        )
