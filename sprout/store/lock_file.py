"""A lock file: one process per SQLite file."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from sprout.errors import SetupError


@contextmanager
def held(database: Path) -> Iterator[None]:
    """Hold the file's lock; the system lets go of it when the process ends, however that happens.

    The folder is made where there is none. Raises SetupError: it cannot be written, or another process has the lock.
    """
    path = database.with_name(f"{database.name}.lock")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("ab")
    except OSError as error:
        raise SetupError(f"The folder of the database cannot be used: {error.strerror}: {path.parent}") from error
    with file:
        if not _taken(file):
            raise SetupError(f"Another Sprout is using {database}: stop it, or choose another database.")
        yield


if sys.platform == "win32":
    import msvcrt

    def _taken(file: BinaryIO) -> bool:
        try:
            file.seek(0, os.SEEK_SET)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _taken(file: BinaryIO) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
