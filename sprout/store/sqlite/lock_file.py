"""Lock file: one process per SQLite file, and a note from each holder to the next."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from sprout.errors import SetupError


class Lock:
    """The lock while it is held. Its file has a note that outlives the process."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def read_note(self) -> bytes:
        """The last note, empty if there is none."""
        self._file.seek(0)
        return self._file.read()

    def write_note(self, note: bytes) -> None:
        """Replace the note, flushed to the disk. Raises OSError."""
        self._file.truncate(0)
        self._file.write(note)
        self._file.flush()
        os.fsync(self._file.fileno())


def lock_path(database: Path) -> Path:
    """The lock file of a database."""
    return database.with_name(f"{database.name}.lock")


@contextmanager
def lock_database(database: Path) -> Iterator[Lock]:
    """Hold the file's lock; the system releases it when the process ends, however that happens.

    A missing folder is made. Raises SetupError: it is not writable, or another process has the lock.
    """
    path = lock_path(database)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("a+b")
    except OSError as error:
        raise SetupError(f"The folder of the database cannot be used: {error.strerror}: {path.absolute()}") from error
    with file:
        if not try_lock(file):
            raise SetupError(f"Another Sprout is using {database}: stop it, or choose another database.")
        yield Lock(file)


def is_free(database: Path) -> bool:
    """Whether no process has the lock just now. Raises OSError: the lock file cannot be opened."""
    path = lock_path(database)
    if not path.exists():
        return True
    with path.open("r+b") as file:
        return try_lock(file)


if sys.platform == "win32":
    import msvcrt

    def try_lock(file: BinaryIO) -> bool:
        """Take the file's lock; whether it was free."""
        try:
            file.seek(0, os.SEEK_SET)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def try_lock(file: BinaryIO) -> bool:
        """Take the file's lock; whether it was free."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
