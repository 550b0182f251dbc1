"""Clean shutdown: a record of an SQLite file as Sprout closed it, so that a clean start need not read all of it."""

import zlib
from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from sprout import __version__
from sprout.store.sqlite.files import companion_files

MAX_CHECKSUM_BYTES = 1024**3  # less than half a second; the sum of a larger file would hold up the stop
_CHUNK_BYTES = 1024**2


class ShutdownRecord(BaseModel):
    """A file as it was when Sprout `closed` it or, if it has not, when it was opened.

    `crc32` is None for a file larger than MAX_CHECKSUM_BYTES.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    sprout: str
    closed: bool
    size_bytes: int
    modified_ns: int
    crc32: int | None


class FileState(StrEnum):
    """A file compared with its shutdown record."""

    CLEAN = "clean"  # as this version of Sprout closed it
    UNKNOWN = "unknown"  # this version has not closed it before
    UNCLEAN = "unclean"  # it was not closed: the process was killed, or the machine went down
    CHANGED = "changed"  # another program has written it since it was closed


def shutdown_record_of(file: Path, *, closed: bool) -> ShutdownRecord:
    """The record of the file as it is now; one that does not exist has no bytes."""
    if not file.exists():
        return ShutdownRecord(sprout=__version__, closed=closed, size_bytes=0, modified_ns=0, crc32=None)
    facts = file.stat()
    crc32 = checksum(file) if closed and facts.st_size <= MAX_CHECKSUM_BYTES else None
    return ShutdownRecord(
        sprout=__version__, closed=closed, size_bytes=facts.st_size, modified_ns=facts.st_mtime_ns, crc32=crc32
    )


def parse_shutdown_record(note: bytes) -> ShutdownRecord | None:
    """The stored record, None if it cannot be read: then nothing is known."""
    try:
        return ShutdownRecord.model_validate_json(note)
    except ValidationError:
        return None


def file_state(file: Path, record: ShutdownRecord | None) -> FileState:
    """Compare the file with the record; it is read only if size and time do not decide."""
    if record is None or not file.exists():
        return FileState.UNKNOWN
    if not record.closed or any(left.exists() and left.stat().st_size for left in companion_files(file)):
        return FileState.UNCLEAN
    if not _unchanged(file, record):
        return FileState.CHANGED
    return FileState.CLEAN if record.sprout == __version__ else FileState.UNKNOWN


def checksum(file: Path) -> int:
    """CRC-32 of the whole file. Raises OSError."""
    crc32 = 0
    with file.open("rb") as content:
        while chunk := content.read(_CHUNK_BYTES):
            crc32 = zlib.crc32(chunk, crc32)
    return crc32


def _unchanged(file: Path, record: ShutdownRecord) -> bool:
    facts = file.stat()
    if (facts.st_size, facts.st_mtime_ns) == (record.size_bytes, record.modified_ns):
        return True
    return facts.st_size == record.size_bytes and record.crc32 is not None and checksum(file) == record.crc32
