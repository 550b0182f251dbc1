"""The write-ahead log after a crash: commits that SQLite ignores because something before them is broken."""

import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from sprout.store.sqlite.files import page_size, wal_path

# Source: https://www.sqlite.org/walformat.html
_HEADER = struct.Struct(">8I")  # magic, version, page size, checkpoint, salt, salt, checksum, checksum
_FRAME = struct.Struct(">6I")  # page, pages after a commit (else 0), salt, salt, checksum, checksum
_INDEX = struct.Struct("=5I")  # of the -shm file: version, unused, change, flags, then the last valid frame


@dataclass(frozen=True, slots=True)
class _Frame:
    number: int
    commits: bool
    salt: tuple[int, int]


def lost_commits(file: Path) -> int:
    """Number of commits in the log after the last frame that SQLite accepted; SQLite must have the file open.

    Zero is usual after a kill. One may be a commit that was in progress when the machine lost its power and was never
    acknowledged. More are acknowledged commits that are lost.

    Raises OSError.
    """
    log, index = wal_path(file), file.with_name(f"{file.name}-shm")
    if not log.exists() or not index.exists():
        return 0
    with log.open("rb") as content:
        whole = _last_whole_frame(index)
        size = page_size(file)
        generation = _generation(content, size)
        late = (frame for frame in _frames(content, size) if frame.number > whole)
        return sum(frame.commits and frame.salt == generation for frame in late)


def _generation(log: BinaryIO, page_bytes: int) -> tuple[int, int] | None:
    """The salt of the valid frames. A broken header differs from its first frame in one half at most."""
    header = log.read(_HEADER.size)
    first = next(_frames(log, page_bytes), None)
    if len(header) < _HEADER.size or first is None:
        return None
    salt: tuple[int, int] = _HEADER.unpack(header)[4:6]
    return first.salt if salt[0] == first.salt[0] or salt[1] == first.salt[1] else salt


def _frames(log: BinaryIO, page_bytes: int) -> Iterator[_Frame]:
    """The complete frames: a kill in the middle of one leaves a part that was never acknowledged."""
    size = _FRAME.size + page_bytes
    count = (log.seek(0, os.SEEK_END) - _HEADER.size) // size
    for n in range(count):
        log.seek(_HEADER.size + n * size)
        _page, pages, *salt, _, _ = _FRAME.unpack(log.read(_FRAME.size))
        yield _Frame(n + 1, pages > 0, (salt[0], salt[1]))


def _last_whole_frame(index: Path) -> int:
    with index.open("rb") as content:
        header = content.read(_INDEX.size)
    return int(_INDEX.unpack(header)[4]) if len(header) == _INDEX.size else 0
