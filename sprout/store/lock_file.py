"""A lock file: one process per SQLite file, and a note from each holder to the next."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from sprout.errors import SetupError


class Lock:
    """The lock while it is held. Its file carries a note, which outlives the process."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def note(self) -> bytes:
        """What was written last, empty where nothing was."""
        self._file.seek(0)
        return self._file.read()

    def write(self, note: bytes) -> None:
        """Put this note in the place of the last one, through to the disk. Raises OSError."""
        self._file.truncate(0)
        self._file.write(note)
        self._file.flush()
        os.fsync(self._file.fileno())


def lock_path(database: Path) -> Path:
    """The lock file of a database."""
    return database.with_name(f"{database.name}.lock")


@contextmanager
def held(database: Path) -> Iterator[Lock]:
    """Hold the file's lock; the system lets go of it when the process ends, however that happens.

    The folder is made where there is none. Raises SetupError: it cannot be written, or another process has the lock.
    """
    path = lock_path(database)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("a+b")
    except OSError as error:
        raise SetupError(f"The folder of the database cannot be used: {error.strerror}: {path.absolute()}") from error
    with file:
        if not taken(file):
            raise SetupError(f"Another Sprout is using {database}: stop it, or choose another database.")
        yield Lock(file)


def is_free(database: Path) -> bool:
    """Whether no process has the lock just now. Raises OSError: the lock file cannot be opened."""
    path = lock_path(database)
    if not path.exists():
        return True
    with path.open("r+b") as file:
        return taken(file)


if sys.platform == "win32":
    import msvcrt

    def taken(file: BinaryIO) -> bool:
        """Take the file's lock; whether it was free."""
        try:
            file.seek(0, os.SEEK_SET)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def taken(file: BinaryIO) -> bool:
        """Take the file's lock; whether it was free."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
