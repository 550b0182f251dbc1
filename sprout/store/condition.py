"""How a database is, for somebody who asks: looked at in full, and left as it is."""

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Connection, text

from sprout.store.backups import backups
from sprout.store.checks import faults_of
from sprout.store.lock_file import is_free, lock_path
from sprout.store.migrate import connected, revision_of
from sprout.store.seal import Standing, read_seal, standing
from sprout.store.sqlite_files import wal_path, writes_ahead


@dataclass(frozen=True, slots=True)
class FileCondition:
    """An SQLite file. `faults` are in SQLite's words; `changed`: something else wrote it since Sprout closed it."""

    size_bytes: int
    wal_bytes: int
    writes_ahead: bool
    revision: str | None
    faults: tuple[str, ...]
    changed: bool
    backup: Path | None
    backup_age_s: float


@dataclass(frozen=True, slots=True)
class ServerCondition:
    """A PostgreSQL server. `clock_ahead_s` is how far its clock is before this machine's; negative: behind."""

    version: str
    revision: str | None
    clock_ahead_s: float


def condition_of_file(file: Path) -> FileCondition:
    """Reads all of the file. Raises DatabaseBusy, SetupError (it cannot be opened, or is too broken to tell more)."""
    faults = tuple(faults_of(file, thorough=True, alone=_nobody_has(file)))
    newest = next(iter(backups(file)), None)
    log = wal_path(file)
    return FileCondition(
        size_bytes=file.stat().st_size,
        wal_bytes=log.stat().st_size if log.exists() else 0,
        writes_ahead=writes_ahead(file),
        revision=None if faults else revision_of(file),
        faults=faults,
        changed=_changed(file),
        backup=newest,
        backup_age_s=0.0 if newest is None else max(0.0, time.time() - newest.stat().st_mtime),
    )


def condition_of_server(url: str) -> ServerCondition:
    """Raises SetupError: it cannot be reached."""
    with connected(url) as connection:
        version: str = connection.execute(text("show server_version")).scalar_one()
        there = connection.execute(text("select to_regclass('alembic_version')")).scalar_one() is not None
        found = connection.execute(text("select version_num from alembic_version")).scalar() if there else None
        return ServerCondition(version, found, _clock_ahead_s(connection))


def _clock_ahead_s(connection: Connection) -> float:
    """Against the middle of the question's way, so that a slow network is no wrong clock."""
    asked = datetime.now(UTC)
    theirs: datetime = connection.execute(text("select clock_timestamp()")).scalar_one()
    return (theirs - (asked + (datetime.now(UTC) - asked) / 2)).total_seconds()


def _nobody_has(file: Path) -> bool:
    try:
        return is_free(file)
    except OSError:  # not ours to open: then who has it cannot be told
        return False


def _changed(file: Path) -> bool:
    try:
        seal = read_seal(lock_path(file).read_bytes())
    except OSError:  # there is none, or a running Sprout has it
        return False
    return standing(file, seal) is Standing.CHANGED
