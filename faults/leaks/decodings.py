"""Decodings of bytes that hide text: escapes, base64, hex digits, compression."""

import base64
import html
import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import unquote_to_bytes

SHORTEST = 12  # signs of base64 that nine letters make
GZIP = 31  # zlib's flag for a gzip header
_CHUNK_ENDS = re.compile(rb"\r\n[0-9a-fA-F]{1,8}\r\n")
_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{%d,}" % SHORTEST)
_HEX = re.compile(rb"[0-9A-Fa-f]{%d,}" % (2 * SHORTEST - 6))
_ESCAPED = re.compile(rb"\\+(?:u00|x)([0-9A-Fa-f]{2})")
_ENTITY = re.compile(rb"&#[xX]?[0-9A-Fa-f]{2,4};")
_TO_STANDARD = bytes.maketrans(b"-_", b"+/")


def decodings(raw: bytes) -> Iterator[bytes]:
    """The bytes, and every decoding of them."""
    yield raw
    if _CHUNK_ENDS.search(raw):
        raw = _CHUNK_ENDS.sub(b"", raw)
        yield raw
    if _ESCAPED.search(raw):
        yield _ESCAPED.sub(lambda found: bytes.fromhex(found[1].decode()), raw)
    if b"%" in raw:
        yield unquote_to_bytes(raw)
    if _ENTITY.search(raw):
        yield html.unescape(raw.decode("latin-1")).encode("utf-8", "replace")
    yield b"\n".join(_from_base64(raw))
    yield b"\n".join(_from_hex(raw))
    yield from _unpacked(raw)


def _from_base64(raw: bytes) -> Iterator[bytes]:
    for found in _BASE64.finditer(raw):
        signs = found[0].translate(_TO_STANDARD)
        for at in range(4):  # it may begin in the middle of a word
            whole = signs[at : len(signs) - (len(signs) - at) % 4]
            yield base64.b64decode(whole)


def _from_hex(raw: bytes) -> Iterator[bytes]:
    for found in _HEX.finditer(raw):
        for at in range(2):
            whole = found[0][at : len(found[0]) - (len(found[0]) - at) % 2]
            yield bytes.fromhex(whole.decode())


def _unpacked(raw: bytes) -> Iterator[bytes]:
    """Contents of archives and encodings in the bytes, recursively decoded."""
    if (at := raw.find(b"PK\x03\x04")) >= 0:
        with suppress(zipfile.BadZipFile), zipfile.ZipFile(io.BytesIO(raw[at:])) as archive:
            for name in archive.namelist():
                yield from decodings(archive.read(name))
    if (at := raw.find(b"\x1f\x8b\x08")) >= 0:
        with suppress(zlib.error):
            yield from decodings(zlib.decompressobj(GZIP).decompress(raw[at:]))
