"""Health checks of a database, for `sprout doctor`: all of it is read, nothing is changed."""

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Connection, text

from sprout.store.engine.migrate import connect, revision_of
from sprout.store.sqlite.backups import list_backups
from sprout.store.sqlite.checks import faults_of
from sprout.store.sqlite.clean_shutdown import FileState, file_state, parse_shutdown_record
from sprout.store.sqlite.files import uses_wal, wal_path
from sprout.store.sqlite.lock_file import is_free, lock_path

_CONNECTIONS = text(
    "select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int"
)


@dataclass(frozen=True, slots=True)
class FileHealth:
    """An SQLite file. `faults` are SQLite's messages; `changed`: another program wrote it since Sprout closed it."""

    size_bytes: int
    wal_bytes: int
    uses_wal: bool
    revision: str | None
    faults: tuple[str, ...]
    changed: bool
    backup: Path | None
    backup_age_s: float


@dataclass(frozen=True, slots=True)
class ServerHealth:
    """A PostgreSQL server.

    Args:
        clock_ahead_s: how far its clock is ahead of this machine's; negative: behind.
        connections: how many it gives to all who are no superusers.
    """

    version: str
    revision: str | None
    clock_ahead_s: float
    connections: int


def file_health(file: Path) -> FileHealth:
    """Read all of the file. Raises DatabaseBusy, SetupError (it cannot be opened, or is too damaged to be examined)."""
    faults = tuple(faults_of(file, thorough=True, alone=_is_unlocked(file)))
    newest = next(iter(list_backups(file)), None)
    log = wal_path(file)
    return FileHealth(
        size_bytes=file.stat().st_size,
        wal_bytes=log.stat().st_size if log.exists() else 0,
        uses_wal=uses_wal(file),
        revision=None if faults else revision_of(file),
        faults=faults,
        changed=_changed_since_closed(file),
        backup=newest,
        backup_age_s=0.0 if newest is None else max(0.0, time.time() - newest.stat().st_mtime),
    )


def server_health(url: str) -> ServerHealth:
    """Raises SetupError: it cannot be reached."""
    with connect(url) as connection:
        version: str = connection.execute(text("show server_version")).scalar_one()
        there = connection.execute(text("select to_regclass('alembic_version')")).scalar_one() is not None
        found = connection.execute(text("select version_num from alembic_version")).scalar() if there else None
        return ServerHealth(version, found, _clock_ahead_s(connection), connection.execute(_CONNECTIONS).scalar_one())


def _clock_ahead_s(connection: Connection) -> float:
    """Compared with the middle of the round trip, so that a slow network is no wrong clock."""
    asked = datetime.now(UTC)
    server_time: datetime = connection.execute(text("select clock_timestamp()")).scalar_one()
    return (server_time - (asked + (datetime.now(UTC) - asked) / 2)).total_seconds()


def _is_unlocked(file: Path) -> bool:
    try:
        return is_free(file)
    except OSError:  # no permission: its holder is unknown
        return False


def _changed_since_closed(file: Path) -> bool:
    try:
        record = parse_shutdown_record(lock_path(file).read_bytes())
    except OSError:  # missing, or held by a running Sprout
        return False
    return file_state(file, record) is FileState.CHANGED
