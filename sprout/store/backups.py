"""Backups of an SQLite file: whole and on the disk before they have their name, so that none is ever half of one."""

import os
import re
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from sprout.crashing import crash_point
from sprout.errors import SetupError
from sprout.store.lock_file import taken
from sprout.store.sqlite_files import looked_into

KEPT = 5
PAGES_AT_ONCE = 256
_OURS = re.compile(r"\.backup-\d{8}T\d{12}Z-\w+$")


def back_up(file: Path, label: str) -> Path:
    """A copy of one moment of the database beside it; the newest KEPT are kept. Others may write meanwhile.

    Raises SetupError: there is no room, the folder cannot be written, or the database cannot be read.
    """
    copy = file.with_name(f"{file.name}.backup-{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}-{label}")
    write_copy(file, copy)
    for old in [one for one in backups(file) if one != copy and _OURS.search(one.name)][KEPT - 1 :]:
        old.unlink(missing_ok=True)
    return copy


def backups(file: Path) -> list[Path]:
    """The backups beside a database, newest first."""
    found = file.parent.glob(f"{file.name}.backup-*")
    return sorted(found, key=lambda one: (one.stat().st_mtime_ns, one.name), reverse=True)


def remove_backups(file: Path) -> None:
    """All that stand beside a database, and what a killed process has left of one. Raises OSError."""
    for backup in [*backups(file), file.with_name(f"{file.name}.unfinished-backup")]:
        backup.unlink(missing_ok=True)


def write_copy(file: Path, copy: Path) -> None:
    """Copy one moment of the database, in place of what `copy` is now. Raises SetupError."""
    if copy.exists() and copy.samefile(file):
        raise SetupError(f"A backup cannot be the database itself: {copy}")
    unfinished = copy.with_name(f"{file.name}.unfinished-backup")
    try:
        _refuse_without_room(file, copy.parent)
        with _alone_with(unfinished):
            _copy(file, unfinished)
            shutil.copymode(file, unfinished)
            _to_the_disk(unfinished)
            unfinished.replace(copy)
        _to_the_disk(copy.parent)
    except (sqlite3.Error, OSError) as error:
        raise SetupError(f"No backup of {file} could be made: {error}") from error


@contextmanager
def _alone_with(unfinished: Path) -> Iterator[None]:
    """What a killed process has left under this name is gone, and nobody else makes a backup under it meanwhile."""
    with unfinished.open("ab") as mine:
        if not taken(mine):
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
    """Through SQLite, which takes the write-ahead log into account, and checked before it counts."""
    with looked_into(file) as source, closing(sqlite3.connect(copy)) as target:
        target.execute("PRAGMA synchronous=OFF")  # the whole file is synced at the end
        source.execute("SELECT count(*) FROM sqlite_master").fetchone()  # this moment; commits do not begin it anew
        source.backup(target, pages=PAGES_AT_ONCE, progress=_may_crash)
    with looked_into(copy) as whole:
        said: str = whole.execute("PRAGMA quick_check(1)").fetchone()[0]
    if said != "ok":
        raise sqlite3.DatabaseError(said)


def _may_crash(_status: int, _remaining: int, _total: int) -> None:
    crash_point("backup_half_written")


def _refuse_without_room(file: Path, folder: Path) -> None:
    needed, free = file.stat().st_size, shutil.disk_usage(folder).free
    if free < needed:
        raise SetupError(f"There is no room for a backup of {file}: it needs {needed:,} bytes, {free:,} are free.")


def _to_the_disk(path: Path) -> None:
    if path.is_dir() and sys.platform == "win32":
        return  # a folder cannot be opened there, and need not be
    opened = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
