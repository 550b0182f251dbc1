"""What is looked at before an SQLite file is used: room on the disk, the right to write, and whether it is whole."""

import logging
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sprout.errors import DatabaseBusy, SetupError
from sprout.store.backups import backups
from sprout.store.lock_file import Lock, held
from sprout.store.seal import Seal, Standing, read_seal, seal_of, standing
from sprout.store.sqlite_files import beside, bytes_missing, journal_path, looked_into, wal_path
from sprout.store.wal import commits_passed_over

MIB = 1024 * 1024
LITTLE_SPACE_BYTES = 1024 * MIB
NO_SPACE_BYTES = 50 * MIB
THOROUGH_BYTES = 256 * MIB  # up to this size a thorough check takes less than a second
SAFE_SQLITE = (3, 51, 3)  # older ones can damage the file when several processes write ahead at once
NO_FILE_LEFT = "there is nothing in it, though there was when Sprout used it last"

_log = logging.getLogger(__name__)


@contextmanager
def in_hand(file: Path) -> Iterator[None]:
    """The file is this process's alone, was looked over before, and is sealed after.

    Raises SetupError: another process has it, or what `look_over` finds.
    """
    with held(file) as lock:
        take(file, lock)
        yield
        seal(file, lock)


def take(file: Path, lock: Lock) -> None:
    """Look the file over, then note that it is open. Raises SetupError."""
    look_over(file, read_seal(lock.note()))
    _note(file, lock, closed=False)


def seal(file: Path, lock: Lock) -> None:
    """Note how the file was closed; one that is still open somewhere, or was never made, stays as it was noted."""
    if file.exists() and not any(left.exists() for left in beside(file)):
        _note(file, lock, closed=True)


def look_over(file: Path, last: Seal | None, *, free_bytes: int | None = None) -> None:
    """Find out whether the file can be used; all of it is read only where its last holder may have left it broken.

    A file that is not as it was closed is checked by SQLite, which finds broken structure (D-5); where the checksum
    of the seal says that something else wrote it, that is told in the log too.

    Args:
        last: the seal that its last holder left.
        free_bytes: room on its disk; None asks the system.

    Raises SetupError, in one line that says what to do: no room, not writable, damaged.
    """
    _warn_of_old_sqlite()
    check_room(file.parent, shutil.disk_usage(file.parent).free if free_bytes is None else free_bytes)
    if not file.exists():
        return
    _refuse_unwritable(file)
    how = standing(file, last)
    if how is not Standing.SEALED:
        _log.info("sqlite.looked_over", extra={"file": str(file), "standing": str(how)})
        thorough = how is Standing.CHANGED or file.stat().st_size <= THOROUGH_BYTES
        _refuse_damaged(file, emptied=last is not None and last.size_bytes > 0, thorough=thorough)
    if how is Standing.CHANGED:
        _warn_of_strange_hand(file)


def check_room(folder: Path, free_bytes: int) -> None:
    """Raises SetupError where there is too little room to write; warns where there is little."""
    if free_bytes < NO_SPACE_BYTES:
        raise SetupError(
            f"Only {free_bytes // MIB} MiB are free at {folder}, and Sprout needs {NO_SPACE_BYTES // MIB}: make room, "
            "or set SPROUT_DATA_DIR to another disk."
        )
    if free_bytes < LITTLE_SPACE_BYTES:
        _log.warning("disk.little_space", extra={"folder": str(folder), "free_mib": free_bytes // MIB})


def faults_of(file: Path, *, thorough: bool = False, alone: bool = True) -> list[str]:
    """What is broken in the file, in SQLite's words; empty for a sound one.

    Args:
        thorough: whether to compare indexes with their tables too, and references with what they refer to.
        alone: whether nobody writes meanwhile, so that the write-ahead log can be looked at too.

    Raises DatabaseBusy: another process has it locked. SetupError: it cannot be opened.
    """
    try:
        return _found(file, thorough=thorough, alone=alone)
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise DatabaseBusy(f"Another program has {file} locked: close it, then start again.") from error
        if code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY):
            raise SetupError(f"The database {file} cannot be opened: {error}.") from error
        return [str(error)]


def advice(file: Path) -> str:
    """How to get a sound database back in the place of a damaged one."""
    newest = next(iter(backups(file)), None)
    source = f"the backup {newest}" if newest is not None else "a copy of yours (Sprout has made no backup of it)"
    return f"move it away together with its -wal and -shm files and put {source} in its place; see docs/database.md"


def _found(file: Path, *, thorough: bool, alone: bool) -> list[str]:
    if not wal_path(file).exists() and (missing := bytes_missing(file)):
        return [f"{missing} bytes of it are missing"]
    with looked_into(file) as connection:
        connection.execute("PRAGMA cell_size_check=ON")
        check = "integrity_check" if thorough else "quick_check"
        said = [str(row[0]) for row in connection.execute(f"PRAGMA {check}(3)")]
        found = [] if said == ["ok"] else said
        if thorough and not found and connection.execute("PRAGMA foreign_key_check").fetchone() is not None:
            found.append("it holds rows that refer to missing ones")
        lost = commits_passed_over(file) if alone else 0
    if lost == 1:
        _log.warning("sqlite.last_commit_not_whole: it was passed over", extra={"file": str(file)})
    elif lost > 1:
        found.append(f"its write-ahead log is broken in the middle, {lost} commits after that are lost")
    return found


def _refuse_damaged(file: Path, *, emptied: bool, thorough: bool) -> None:
    if emptied and file.stat().st_size == 0:
        raise _damaged(file, NO_FILE_LEFT)
    if file.stat().st_size == 0 and wal_path(file).exists() and wal_path(file).stat().st_size:
        raise _damaged(file, "there is nothing in it, but its write-ahead log is there")
    if journal_path(file).exists():
        _take_back(file)
    if faults := faults_of(file, thorough=thorough):
        raise _damaged(file, faults[0])


def _take_back(file: Path) -> None:
    """Let SQLite undo what a killed process left half done: it does so when it reads. Faults are told later."""
    connection = sqlite3.connect(file)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error:
        _log.info("sqlite.journal_not_taken_back", exc_info=True)
    finally:
        connection.close()


def _damaged(file: Path, fault: str) -> SetupError:
    first_line = "".join(letter if letter.isprintable() else "?" for letter in fault.partition("\n")[0][:200])
    return SetupError(f"The database {file} is damaged ({first_line}): {advice(file)}.")


def _refuse_unwritable(file: Path) -> None:
    for path in (file, file.parent):
        if not os.access(path, os.W_OK):
            raise SetupError(f"The database cannot be written: {path.absolute()} is read-only.")


def _warn_of_strange_hand(file: Path) -> None:
    newest = next(iter(backups(file)), None)
    facts = {"file": str(file), "newest_backup": str(newest) if newest else None}
    _log.warning("sqlite.changed_since_closed: by something else than Sprout; its structure is sound", extra=facts)


def _warn_of_old_sqlite() -> None:
    if sqlite3.sqlite_version_info < SAFE_SQLITE:
        _log.warning("sqlite.write_ahead_log_fault: 3.51.3 mends it", extra={"version": sqlite3.sqlite_version})


def _note(file: Path, lock: Lock, *, closed: bool) -> None:
    try:
        lock.write(seal_of(file, closed=closed).model_dump_json().encode())
    except OSError as error:
        raise SetupError(f"The lock file of {file} cannot be written: {error.strerror}.") from error
