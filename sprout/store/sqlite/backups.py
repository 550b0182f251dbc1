"""Backups of an SQLite file: complete and flushed before they get their name, so that none is ever partial."""

import os
import re
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from sprout.errors import SetupError
from sprout.failpoints import failpoint
from sprout.store.sqlite.files import open_read_only
from sprout.store.sqlite.lock_file import try_lock

MAX_BACKUPS = 5
PAGES_PER_STEP = 256
_OURS = re.compile(r"\.backup-\d{8}T\d{12}Z-\w+$")


def back_up(file: Path, label: str) -> Path:
    """A copy of one snapshot of the database beside it; the newest KEPT are kept. Others may write meanwhile.

    Raises SetupError: the disk is full, the folder is not writable, or the database cannot be read.
    """
    copy = file.with_name(f"{file.name}.backup-{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}-{label}")
    write_copy(file, copy)
    for old in [one for one in list_backups(file) if one != copy and _OURS.search(one.name)][MAX_BACKUPS - 1 :]:
        old.unlink(missing_ok=True)
    return copy


def list_backups(file: Path) -> list[Path]:
    """The backups beside a database, newest first."""
    found = file.parent.glob(f"{file.name}.backup-*")
    return sorted(found, key=lambda one: (one.stat().st_mtime_ns, one.name), reverse=True)


def remove_backups(file: Path) -> None:
    """Remove all backups beside the database, and the partial one of a killed process. Raises OSError."""
    for backup in [*list_backups(file), file.with_name(f"{file.name}.unfinished-backup")]:
        backup.unlink(missing_ok=True)


def write_copy(file: Path, copy: Path) -> None:
    """Copy one snapshot of the database, replacing `copy`. Raises SetupError."""
    if copy.exists() and copy.samefile(file):
        raise SetupError(f"A backup cannot be the database itself: {copy}")
    unfinished = copy.with_name(f"{file.name}.unfinished-backup")
    try:
        _refuse_without_room(file, copy.parent)
        with _lock_unfinished(unfinished):
            _copy(file, unfinished)
            shutil.copymode(file, unfinished)
            _fsync(unfinished)
            unfinished.replace(copy)
        _fsync(copy.parent)
    except (sqlite3.Error, OSError) as error:
        raise SetupError(f"No backup of {file} could be made: {error}") from error


@contextmanager
def _lock_unfinished(unfinished: Path) -> Iterator[None]:
    """Remove the partial backup of a killed process, and lock its name against other processes."""
    with unfinished.open("ab") as mine:
        if not try_lock(mine):
            raise SetupError(f"Another backup is being made: {unfinished}")
        mine.truncate(0)
        if sys.platform == "win32":
            mine.close()  # a locked file could not be written or renamed there
        try:
            yield
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise


def _copy(file: Path, copy: Path) -> None:
    """Copy through SQLite, which includes the write-ahead log, and check the copy."""
    with open_read_only(file) as source, closing(sqlite3.connect(copy)) as target:
        target.execute("PRAGMA synchronous=OFF")  # the whole file is synced at the end
        source.execute("SELECT count(*) FROM sqlite_master").fetchone()  # one snapshot; commits do not restart the copy
        source.backup(target, pages=PAGES_PER_STEP, progress=_may_crash)
    with open_read_only(copy) as whole:
        verdict: str = whole.execute("PRAGMA quick_check(1)").fetchone()[0]
    if verdict != "ok":
        raise sqlite3.DatabaseError(verdict)


def _may_crash(_status: int, _remaining: int, _total: int) -> None:
    failpoint("backup_half_written")


def _refuse_without_room(file: Path, folder: Path) -> None:
    needed, free = file.stat().st_size, shutil.disk_usage(folder).free
    if free < needed:
        raise SetupError(f"There is no room for a backup of {file}: it needs {needed:,} bytes, {free:,} are free.")


def _fsync(path: Path) -> None:
    if path.is_dir() and sys.platform == "win32":
        return  # a folder cannot be opened there, and need not be
    opened = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
