"""The seal: what is known of an SQLite file since Sprout last closed it, so that a clean start need not read it all."""

import zlib
from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from sprout import __version__
from sprout.store.sqlite_files import beside

MOST_SUMMED_BYTES = 1024**3  # less than half a second; the sum of a larger file would hold up the stop
_CHUNK_BYTES = 1024**2


class Seal(BaseModel):
    """A file as it was when Sprout `closed` it or, where it has not, as it was found at the opening.

    `crc32` is None for a file larger than MOST_SUMMED_BYTES.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    sprout: str
    closed: bool
    size_bytes: int
    modified_ns: int
    crc32: int | None


class Standing(StrEnum):
    """How a file stands to its seal."""

    SEALED = "sealed"  # as this version of Sprout closed it
    STRANGE = "strange"  # this version has not closed it before
    CUT_OFF = "cut off"  # it was not closed: the process was killed, or the machine went down
    CHANGED = "changed"  # something else has written it since it was closed


def seal_of(file: Path, *, closed: bool) -> Seal:
    """The file as it is now; one that does not exist has no bytes."""
    if not file.exists():
        return Seal(sprout=__version__, closed=closed, size_bytes=0, modified_ns=0, crc32=None)
    facts = file.stat()
    crc32 = checksum(file) if closed and facts.st_size <= MOST_SUMMED_BYTES else None
    return Seal(sprout=__version__, closed=closed, size_bytes=facts.st_size, modified_ns=facts.st_mtime_ns, crc32=crc32)


def read_seal(note: bytes) -> Seal | None:
    """The seal that was written, None where it cannot be read: then nothing is known."""
    try:
        return Seal.model_validate_json(note)
    except ValidationError:
        return None


def standing(file: Path, seal: Seal | None) -> Standing:
    """How the file stands; it is read only where its size and time do not say so."""
    if seal is None or not file.exists():
        return Standing.STRANGE
    if not seal.closed or any(left.exists() and left.stat().st_size for left in beside(file)):
        return Standing.CUT_OFF
    if not _unchanged(file, seal):
        return Standing.CHANGED
    return Standing.SEALED if seal.sprout == __version__ else Standing.STRANGE


def checksum(file: Path) -> int:
    """CRC-32 of the whole file. Raises OSError."""
    crc32 = 0
    with file.open("rb") as content:
        while chunk := content.read(_CHUNK_BYTES):
            crc32 = zlib.crc32(chunk, crc32)
    return crc32


def _unchanged(file: Path, seal: Seal) -> bool:
    facts = file.stat()
    if (facts.st_size, facts.st_mtime_ns) == (seal.size_bytes, seal.modified_ns):
        return True
    return facts.st_size == seal.size_bytes and seal.crc32 is not None and checksum(file) == seal.crc32
