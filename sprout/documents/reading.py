"""A learner's file in, its text out; what a file is, its bytes say and not its name."""

import codecs
import re
from pathlib import PurePosixPath

from sprout.documents.passages import passages_of
from sprout.errors import BadInput, TooLarge, UnsupportedType
from sprout.learning.paths.library import NewDocument
from sprout.learning.text.words import one_line, tidy

MAX_BYTES = 10 * 1024 * 1024
MAX_CHARACTERS = 2_000_000
MAX_NAME = 200
TYPES_READ = "Markdown (.md) and plain text (.txt)"

_MARKDOWN_ENDINGS = frozenset({".md", ".markdown", ".mdown", ".mkd"})
_MARKDOWN_TYPES = frozenset({"text/markdown", "text/x-markdown"})
_MAGIC = (
    (b"%PDF-", "a PDF file"),
    (b"PK\x03\x04", "a packed file (Word, PowerPoint, zip)"),
    (b"\xd0\xcf\x11\xe0", "an old Office file"),
    (b"{\\rtf", "a Rich Text file"),
    (b"\x1f\x8b", "a packed file (gzip)"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"RIFF", "a sound, film or picture"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90", "a program"),
    (b"SQLite format 3", "a database"),
)
_MARKUP = (("<!doctype html", "a web page"), ("<html", "a web page"), ("<svg", "a picture"), ("<?xml", "an XML file"))
_MARKS = (  # the longer first: UTF-32's begins with UTF-16's
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_ODD_CONTROLS = re.compile(r"[\x01-\x08\x0e-\x19\x1c-\x1f\x7f-\x84\x86-\x9f]")
_CONTROL_SHARE = 0.01


def read_document(
    filename: str,
    mime_type: str,
    content: bytes,
    *,
    max_bytes: int = MAX_BYTES,
    max_characters: int = MAX_CHARACTERS,
) -> NewDocument:
    """The document that the file is: its text with plain newlines and no invisible characters.

    Args:
        mime_type: as the browser declared it; tells Markdown from plain text where the name does not, nothing more.

    Raises:
        TooLarge: over a limit.
        UnsupportedType: not text, or text of a kind that is not read.
        BadInput: without any text.
    """
    name = _bare_name(filename)
    if len(content) > max_bytes:
        raise TooLarge(f"'{name}' has {len(content):,} bytes; at most {max_bytes:,} are taken.", field="files")
    text = tidy(_decoded(name, content))
    _refuse_markup(name, text)
    if not text:
        raise BadInput(f"'{name}' has no text in it.", field="files")
    if len(text) > max_characters:
        raise TooLarge(f"'{name}' has {len(text):,} characters; at most {max_characters:,} are taken.", field="files")
    return NewDocument(name, _text_type(name, mime_type), content, text, tuple(passages_of(name, text)))


def _bare_name(filename: str) -> str:
    """The last part of the name as one visible line; it is shown and never used as a path."""
    name = one_line(filename.replace("\\", "/").rstrip("/").rsplit("/", maxsplit=1)[-1])
    if len(name) > MAX_NAME:
        return f"{name[: MAX_NAME - 12]}…{PurePosixPath(name).suffix[:10]}"
    return name or "document"


def _decoded(name: str, content: bytes) -> str:
    for magic, kind in _MAGIC:
        if content.startswith(magic):
            raise _unsupported(name, kind)
    encoding = next((encoding for mark, encoding in _MARKS if content.startswith(mark)), None)
    try:
        text = content.decode(encoding or "utf-8")
    except UnicodeDecodeError:
        if encoding is not None:
            raise _unsupported(name, "a binary file") from None
        text = _in_western_encoding(content)
    if "\0" in text or _controls(text) > _CONTROL_SHARE * len(text):
        raise _unsupported(name, "a binary file")
    return text


def _in_western_encoding(content: bytes) -> str:
    """Text from before UTF-8: Windows' Western encoding, or latin-1, which reads any byte."""
    try:
        return content.decode("cp1252")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def _controls(text: str) -> int:
    return sum(1 for _ in _ODD_CONTROLS.finditer(text))


def _refuse_markup(name: str, text: str) -> None:
    opening = text[:200].lstrip().casefold()
    for start, kind in _MARKUP:
        if opening.startswith(start):
            raise _unsupported(name, kind)


def _unsupported(name: str, kind: str) -> UnsupportedType:
    return UnsupportedType(f"'{name}' is {kind}; what can be read are {TYPES_READ}.", field="files")


def _text_type(name: str, mime_type: str) -> str:
    declared = mime_type.split(";", maxsplit=1)[0].strip().casefold()
    markdown = PurePosixPath(name).suffix.casefold() in _MARKDOWN_ENDINGS or declared in _MARKDOWN_TYPES
    return "text/markdown" if markdown else "text/plain"
