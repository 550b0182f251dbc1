"""Checks before an SQLite file is used: free space, write access, and integrity."""

import logging
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sprout.errors import DatabaseBusy, SetupError
from sprout.store.sqlite.backups import list_backups
from sprout.store.sqlite.clean_shutdown import (
    FileState,
    ShutdownRecord,
    file_state,
    parse_shutdown_record,
    shutdown_record_of,
)
from sprout.store.sqlite.files import bytes_missing, companion_files, journal_path, open_read_only, wal_path
from sprout.store.sqlite.lock_file import Lock, lock_database
from sprout.store.sqlite.wal import lost_commits

MIB = 1024 * 1024
LOW_SPACE_BYTES = 1024 * MIB
MIN_SPACE_BYTES = 50 * MIB
FULL_CHECK_MAX_BYTES = 256 * MIB  # up to this size a thorough check takes less than a second
SAFE_SQLITE = (3, 51, 3)  # older ones can corrupt the file when several processes write at once
EMPTIED = "there is nothing in it, though there was when Sprout used it last"

_log = logging.getLogger(__name__)


@contextmanager
def exclusive_access(file: Path) -> Iterator[None]:
    """Hold the file for this process alone, checked before and marked as closed after.

    Raises SetupError: another process has it, or what `check_file` finds.
    """
    with lock_database(file) as lock:
        mark_open(file, lock)
        yield
        mark_closed(file, lock)


def mark_open(file: Path, lock: Lock) -> None:
    """Check the file, then record that it is open. Raises SetupError."""
    check_file(file, parse_shutdown_record(lock.read_note()))
    _write_shutdown_record(file, lock, closed=False)


def mark_closed(file: Path, lock: Lock) -> None:
    """Record how the file was closed; one that is open elsewhere, or was never made, keeps its record."""
    if file.exists() and not any(left.exists() for left in companion_files(file)):
        _write_shutdown_record(file, lock, closed=True)


def check_file(file: Path, last_shutdown: ShutdownRecord | None, *, free_bytes: int | None = None) -> None:
    """Check whether the file can be used; all of it is read only if it may have been left broken.

    A file that differs from its shutdown record is checked by SQLite, which finds broken structure; if the record's
    checksum shows that another program wrote it, that is logged too.

    Args:
        last_shutdown: the record of the last process that had it open.
        free_bytes: free space on its disk; None asks the system.

    Raises SetupError, in one line that says what to do: no room, not writable, damaged.
    """
    _warn_of_old_sqlite()
    check_free_space(file.parent, shutil.disk_usage(file.parent).free if free_bytes is None else free_bytes)
    if not file.exists():
        return
    _refuse_unwritable(file)
    how = file_state(file, last_shutdown)
    if how is not FileState.CLEAN:
        _log.info("sqlite.checked", extra={"file": str(file), "state": str(how)})
        thorough = how is FileState.CHANGED or file.stat().st_size <= FULL_CHECK_MAX_BYTES
        _refuse_damaged(file, emptied=last_shutdown is not None and last_shutdown.size_bytes > 0, thorough=thorough)
    if how is FileState.CHANGED:
        _warn_of_foreign_write(file)


def check_free_space(folder: Path, free_bytes: int) -> None:
    """Raises SetupError if there is too little space to write; warns if there is little."""
    if free_bytes < MIN_SPACE_BYTES:
        raise SetupError(
            f"Only {free_bytes // MIB} MiB are free at {folder}, and Sprout needs {MIN_SPACE_BYTES // MIB}: make room, "
            "or set SPROUT_DATA_DIR to another disk."
        )
    if free_bytes < LOW_SPACE_BYTES:
        _log.warning("disk.space_low", extra={"folder": str(folder), "free_mib": free_bytes // MIB})


def faults_of(file: Path, *, thorough: bool = False, alone: bool = True) -> list[str]:
    """The faults of the file, in SQLite's words; empty if it is sound.

    Args:
        thorough: whether to compare indexes with their tables too, and references with their targets.
        alone: whether no other process writes meanwhile, so that the write-ahead log can be checked too.

    Raises DatabaseBusy: another process has it locked. SetupError: it cannot be opened.
    """
    try:
        return _find_faults(file, thorough=thorough, alone=alone)
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise DatabaseBusy(f"Another program has {file} locked: close it, then start again.") from error
        if code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY):
            raise SetupError(f"The database {file} cannot be opened: {error}.") from error
        return [str(error)]


def recovery_advice(file: Path) -> str:
    """Instructions for replacing a damaged database by a sound one."""
    newest = next(iter(list_backups(file)), None)
    source = f"the backup {newest}" if newest is not None else "a copy of yours (Sprout has made no backup of it)"
    return f"move it away together with its -wal and -shm files and put {source} in its place; see docs/database.md"


def _find_faults(file: Path, *, thorough: bool, alone: bool) -> list[str]:
    if not wal_path(file).exists() and (missing := bytes_missing(file)):
        return [f"{missing} bytes of it are missing"]
    with open_read_only(file) as connection:
        connection.execute("PRAGMA cell_size_check=ON")
        check = "integrity_check" if thorough else "quick_check"
        messages = [str(row[0]) for row in connection.execute(f"PRAGMA {check}(3)")]
        found = [] if messages == ["ok"] else messages
        if thorough and not found and connection.execute("PRAGMA foreign_key_check").fetchone() is not None:
            found.append("it holds rows that refer to missing ones")
        lost_count = lost_commits(file) if alone else 0
    if lost_count == 1:
        _log.warning("sqlite.last_commit_incomplete: SQLite ignores it", extra={"file": str(file)})
    elif lost_count > 1:
        found.append(f"its write-ahead log is broken in the middle, {lost_count} commits after that are lost")
    return found


def _refuse_damaged(file: Path, *, emptied: bool, thorough: bool) -> None:
    if emptied and file.stat().st_size == 0:
        raise _damaged_error(file, EMPTIED)
    if file.stat().st_size == 0 and wal_path(file).exists() and wal_path(file).stat().st_size:
        raise _damaged_error(file, "there is nothing in it, but its write-ahead log is there")
    if journal_path(file).exists():
        _roll_back_journal(file)
    if faults := faults_of(file, thorough=thorough):
        raise _damaged_error(file, faults[0])


def _roll_back_journal(file: Path) -> None:
    """Let SQLite roll back the journal of a killed process, which a read does. Faults are reported later."""
    connection = sqlite3.connect(file)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error:
        _log.info("sqlite.journal_not_rolled_back", exc_info=True)
    finally:
        connection.close()


def _damaged_error(file: Path, fault: str) -> SetupError:
    first_line = "".join(letter if letter.isprintable() else "?" for letter in fault.partition("\n")[0][:200])
    return SetupError(f"The database {file} is damaged ({first_line}): {recovery_advice(file)}.")


def _refuse_unwritable(file: Path) -> None:
    for path in (file, file.parent):
        if not os.access(path, os.W_OK):
            raise SetupError(f"The database cannot be written: {path.absolute()} is read-only.")


def _warn_of_foreign_write(file: Path) -> None:
    newest = next(iter(list_backups(file)), None)
    facts = {"file": str(file), "newest_backup": str(newest) if newest else None}
    _log.warning("sqlite.changed_since_closed: another program wrote the file; its structure is sound", extra=facts)


def _warn_of_old_sqlite() -> None:
    if sqlite3.sqlite_version_info < SAFE_SQLITE:
        _log.warning(
            "sqlite.known_bug: several writers can corrupt the file, so Sprout allows one; fixed in SQLite 3.51.3",
            extra={"version": sqlite3.sqlite_version},
        )


def _write_shutdown_record(file: Path, lock: Lock, *, closed: bool) -> None:
    try:
        lock.write_note(shutdown_record_of(file, closed=closed).model_dump_json().encode())
    except OSError as error:
        raise SetupError(f"The lock file of {file} cannot be written: {error.strerror}.") from error
