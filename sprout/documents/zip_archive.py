"""Zip archives, checked before a library opens them: entries, sizes, compression ratios and DTDs."""

import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.parsers import expat

from sprout.documents.failures import UnreadableReason, unreadable
from sprout.documents.limits import MEBIBYTE, ReadingLimits

MAX_ENTRIES = 10_000
MAX_RATIO = 500  # deflate's own limit is 1,032
RATIO_CHECKED_FROM_BYTES = 8 * MEBIBYTE
MAX_PROLOG_BYTES = 64 * 1024
CHUNK_BYTES = 256 * 1024
CONTENT_TYPES = "[Content_Types].xml"
MAX_CONTENT_TYPES_BYTES = 512 * 1024
STRICT = b"purl.oclc.org/ooxml"
STORED, DEFLATED = 0, 8

_END = struct.Struct("<4s4H2LH")
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_LOCAL = struct.Struct("<4s5H3L2H")
_END_MARK, _CENTRAL_MARK, _LOCAL_MARK = b"PK\x05\x06", b"PK\x01\x02", b"PK\x03\x04"
_MAX_COMMENT = 65_535
_ENCRYPTED, _UTF_8 = 0x1, 0x800
_XML_NAMES = (".xml", ".rels", ".vml")


@dataclass(frozen=True, slots=True)
class ZipEntry:
    """A packed file, as the archive's directory declares it; `data` is where its bytes begin."""

    name: str
    header_offset: int
    data_offset: int
    packed_bytes: int
    declared_bytes: int
    method: int
    encrypted: bool

    @property
    def end(self) -> int:
        return self.data_offset + self.packed_bytes


def read_entries(content: bytes) -> list[ZipEntry]:
    """The entries in the order of the directory, without inflating any.

    Raises UnreadableDocument: not an archive, in a form that office programs never write, or with too many entries.
    """
    at, count, size = _find_directory(content)
    if count > MAX_ENTRIES:
        raise unreadable(UnreadableReason.HOSTILE, detail="entries")
    end = at + size
    entries = []
    for _ in range(count):
        if at + _CENTRAL.size > end:
            raise unreadable(UnreadableReason.DAMAGED, detail="directory")
        entry, at = _read_entry(content, at)
        entries.append(entry)
    if at != end:
        raise unreadable(UnreadableReason.DAMAGED, detail="directory")
    return entries


def _find_directory(content: bytes) -> tuple[int, int, int]:
    """Offset of the directory, number of its entries, and its size in bytes."""
    latest = len(content) - _END.size
    at = content.rfind(_END_MARK, max(0, latest - _MAX_COMMENT), max(0, latest) + len(_END_MARK))
    if at < 0 or latest < 0:
        raise unreadable(UnreadableReason.DAMAGED, detail="end of directory")
    _, disk, first_disk, here, count, size, start, _ = _END.unpack_from(content, at)
    if disk or first_disk or here != count or start + size != at:
        raise unreadable(UnreadableReason.DAMAGED, detail="end of directory")
    return start, count, size


def _read_entry(content: bytes, at: int) -> tuple[ZipEntry, int]:
    central = _CENTRAL.unpack_from(content, at)
    flags, method, packed, declared, name_length, extra, comment = (central[i] for i in (3, 4, 8, 9, 10, 11, 12))
    offset = central[16]
    name = content[at + _CENTRAL.size : at + _CENTRAL.size + name_length]
    after = at + _CENTRAL.size + name_length + extra + comment
    if central[0] != _CENTRAL_MARK or offset + _LOCAL.size > len(content):
        raise unreadable(UnreadableReason.DAMAGED, detail="directory")
    local = _LOCAL.unpack_from(content, offset)
    local_name = content[offset + _LOCAL.size : offset + _LOCAL.size + local[9]]
    if local[0] != _LOCAL_MARK or local_name != name:
        raise unreadable(UnreadableReason.DAMAGED, detail="local header")
    data = offset + _LOCAL.size + local[9] + local[10]
    decoded_name = name.decode("utf-8" if flags & _UTF_8 else "cp437", "replace")
    return ZipEntry(decoded_name, offset, data, packed, declared, method, bool(flags & _ENCRYPTED)), after


def read_content_types(content: bytes, entries: Sequence[ZipEntry]) -> str | None:
    """Content types that the office file declares for its parts, unparsed; None if it declares none.

    Raises UnreadableDocument if they cannot be decompressed.
    """
    entry = next((entry for entry in entries if entry.name == CONTENT_TYPES), None)
    if entry is None:
        return None
    packed = content[entry.data_offset : entry.end]
    if entry.method == STORED:
        found = packed[:MAX_CONTENT_TYPES_BYTES]
    else:
        try:
            found = zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, MAX_CONTENT_TYPES_BYTES)
        except zlib.error:
            raise unreadable(UnreadableReason.DAMAGED, detail="content types") from None
    return found.replace(b"\0", b"").decode("latin-1")


def check_entries(content: bytes, entries: Sequence[ZipEntry], limits: ReadingLimits) -> int:
    """Inflate every entry once without keeping it; the total size in bytes.

    Raises UnreadableDocument: an entry is encrypted, overlaps another, has an implausible compression ratio or
    another size than it declares, contains a DTD, or all together exceed the limit.
    """
    _refuse_overlaps(content, entries)
    total = 0
    for entry in entries:
        if entry.encrypted:
            raise unreadable(UnreadableReason.PROTECTED, detail="entry")
        prolog, size = b"", 0
        for chunk in _inflate(content, entry):
            if len(prolog) < MAX_PROLOG_BYTES:
                prolog += chunk[:MAX_PROLOG_BYTES]
            size += len(chunk)
            if total + size > limits.inflated_bytes:
                raise unreadable(UnreadableReason.TOO_MUCH_INSIDE, detail="inflated")
            if size > RATIO_CHECKED_FROM_BYTES and size > MAX_RATIO * entry.packed_bytes:
                raise unreadable(UnreadableReason.HOSTILE, detail="ratio")
        if size != entry.declared_bytes:
            raise unreadable(UnreadableReason.HOSTILE, detail="declared size")
        if entry.name.casefold().endswith(_XML_NAMES):
            refuse_dtd(prolog)
        total += size
    return total


def is_strict_ooxml(content: bytes, entries: Sequence[ZipEntry]) -> bool:
    """Whether a checked office file is in the strict variant of Office Open XML."""
    roots = next((entry for entry in entries if entry.name == "_rels/.rels"), None)
    return roots is not None and STRICT in b"".join(_inflate(content, roots))


def _refuse_overlaps(content: bytes, entries: Sequence[ZipEntry]) -> None:
    reached = 0
    for entry in sorted(entries, key=lambda entry: entry.header_offset):
        if entry.header_offset < reached or entry.end > len(content):
            raise unreadable(UnreadableReason.HOSTILE, detail="overlap")
        reached = entry.end
    if len({entry.name for entry in entries}) < len(entries):
        raise unreadable(UnreadableReason.HOSTILE, detail="doubled name")


def _inflate(content: bytes, entry: ZipEntry) -> Iterator[bytes]:
    packed = memoryview(content)[entry.data_offset : entry.end]
    if entry.method == STORED:
        yield bytes(packed)
        return
    if entry.method != DEFLATED:
        raise unreadable(UnreadableReason.DAMAGED, detail="method")
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        for start in range(0, len(packed), CHUNK_BYTES):
            rest: bytes | memoryview = packed[start : start + CHUNK_BYTES]
            while chunk := inflater.decompress(rest, CHUNK_BYTES):
                yield chunk
                rest = inflater.unconsumed_tail
    except zlib.error:
        raise unreadable(UnreadableReason.DAMAGED, detail="deflate") from None
    if not inflater.eof:
        raise unreadable(UnreadableReason.DAMAGED, detail="deflate")


class _RootReached(Exception):
    pass


def refuse_dtd(prolog: bytes) -> None:
    """Raises UnreadableDocument for a document type declaration, which could define entities."""
    parser = expat.ParserCreate()

    def at_root(*_: object) -> None:
        raise _RootReached

    def at_dtd(*_: object) -> None:
        raise unreadable(UnreadableReason.HOSTILE, detail="DTD")

    parser.StartElementHandler = at_root
    parser.StartDoctypeDeclHandler = at_dtd
    try:
        parser.Parse(prolog, False)
    except _RootReached:
        return
    except (expat.ExpatError, ValueError, LookupError):
        raise unreadable(UnreadableReason.DAMAGED, detail="XML") from None
    raise unreadable(UnreadableReason.DAMAGED, detail="XML without a root")
