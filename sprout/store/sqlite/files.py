"""Files of an SQLite database, and a connection that changes nothing in them."""

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


def companion_files(file: Path) -> tuple[Path, Path]:
    """The files that only an open or uncleanly closed database has."""
    return wal_path(file), journal_path(file)


def page_size(file: Path) -> int:
    """The page size in bytes, from the file's header. Raises OSError."""
    with file.open("rb") as content:
        size = int.from_bytes(content.read(HEADER_BYTES)[16:18], "big")
    return 65_536 if size == 1 else size or 4_096


def uses_wal(file: Path) -> bool:
    """Whether the file's header says that it uses a write-ahead log. Raises OSError."""
    with file.open("rb") as content:
        return content.read(HEADER_BYTES)[18:20] == b"\x02\x02"


def bytes_missing(file: Path) -> int:
    """Bytes that a closed file lacks according to its header, 0 if the header does not say. Raises OSError."""
    with file.open("rb") as content:
        header = content.read(HEADER_BYTES)
    if len(header) < HEADER_BYTES or header[24:28] != header[92:96]:  # the page count is of an older version
        return 0
    return max(0, int.from_bytes(header[28:32], "big") * page_size(file) - file.stat().st_size)


@contextmanager
def open_read_only(file: Path) -> Iterator[sqlite3.Connection]:
    """A read-only connection to one snapshot of the file, which writes nothing even when it closes last.

    An ordinary connection would empty the write-ahead log when it closes, and with it the traces of the fault.
    Raises sqlite3.Error, also if the driver cannot decode SQLite's message about a broken file.
    """
    nobody_has_it = not wal_path(file).exists()
    mode = "mode=ro&immutable=1" if nobody_has_it else "mode=ro"  # else it would leave an empty log behind
    address = f"{file.absolute().as_uri()}?{mode}"
    with closing(sqlite3.connect(address, uri=True, timeout=BUSY_TIMEOUT_S, isolation_level=None)) as connection:
        connection.text_factory = _decode
        connection.execute("BEGIN")
        try:
            yield connection
        except UnicodeDecodeError as error:
            raise sqlite3.DatabaseError("its schema holds what is no text") from error


def _decode(words: bytes) -> str:
    return words.decode(errors="replace")
