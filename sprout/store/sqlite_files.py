"""SQLite's files: what stands beside a database, and a look into one that changes nothing."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

BUSY_TIMEOUT_S = 5.0
HEADER_BYTES = 100  # https://www.sqlite.org/fileformat2.html


def wal_path(file: Path) -> Path:
    """The write-ahead log."""
    return file.with_name(f"{file.name}-wal")


def journal_path(file: Path) -> Path:
    """The rollback journal, which a change of the schema uses before the write-ahead log is switched on."""
    return file.with_name(f"{file.name}-journal")


def beside(file: Path) -> tuple[Path, Path]:
    """The files that only an open database, or one that was not closed, has."""
    return wal_path(file), journal_path(file)


def page_size(file: Path) -> int:
    """The bytes of one page, as the file's header has it. Raises OSError."""
    with file.open("rb") as content:
        size = int.from_bytes(content.read(HEADER_BYTES)[16:18], "big")
    return 65_536 if size == 1 else size or 4_096


def writes_ahead(file: Path) -> bool:
    """Whether its header says that it is used with a write-ahead log. Raises OSError."""
    with file.open("rb") as content:
        return content.read(HEADER_BYTES)[18:20] == b"\x02\x02"


def bytes_missing(file: Path) -> int:
    """How much shorter a closed file is than its header says, 0 where the header does not say. Raises OSError."""
    with file.open("rb") as content:
        header = content.read(HEADER_BYTES)
    if len(header) < HEADER_BYTES or header[24:28] != header[92:96]:  # the count of pages belongs to an older version
        return 0
    return max(0, int.from_bytes(header[28:32], "big") * page_size(file) - file.stat().st_size)


@contextmanager
def looked_into(file: Path) -> Iterator[sqlite3.Connection]:
    """A connection that reads one moment of the file and writes nothing, also when it is closed as the last one.

    An ordinary connection would empty the write-ahead log when it closes, and with it the traces of what broke.
    Raises sqlite3.Error, also where the driver cannot decode what SQLite says of a broken file.
    """
    nobody_has_it = not wal_path(file).exists()
    mode = "mode=ro&immutable=1" if nobody_has_it else "mode=ro"  # else it would leave an empty log behind
    address = f"{file.absolute().as_uri()}?{mode}"
    with closing(sqlite3.connect(address, uri=True, timeout=BUSY_TIMEOUT_S, isolation_level=None)) as connection:
        connection.text_factory = _legible
        connection.execute("BEGIN")
        try:
            yield connection
        except UnicodeDecodeError as error:
            raise sqlite3.DatabaseError("its schema holds what is no text") from error


def _legible(words: bytes) -> str:
    return words.decode(errors="replace")
