"""Detection of file types by content, not by name; without parsing, so the server's own process can do it."""

import codecs
import re
import unicodedata
from enum import StrEnum
from pathlib import PurePosixPath
from types import MappingProxyType

from sprout.documents.zip_archive import read_content_types, read_entries
from sprout.errors import BadInput, TooLarge, UnreadableDocument, UnsupportedType
from sprout.learning.text.normalization import one_line, tidy

MAX_NAME = 200
MAX_EXTENSION = 20
SAMPLE_BYTES = 64 * 1024
SUPPORTED_TYPES = "PDF, Word (.docx), PowerPoint (.pptx), web pages (.html), Markdown (.md) and plain text (.txt)"


class FileType(StrEnum):
    """A supported type of file."""

    MARKDOWN = "markdown"
    TEXT = "text"
    HTML = "html"
    PDF = "pdf"
    DOCX = "docx"
    PPTX = "pptx"

    @property
    def media_type(self) -> str:
        return _MEDIA_TYPES[self]


_OFFICE = "application/vnd.openxmlformats-officedocument"
_MEDIA_TYPES = MappingProxyType(
    {
        FileType.MARKDOWN: "text/markdown",
        FileType.TEXT: "text/plain",
        FileType.HTML: "text/html",
        FileType.PDF: "application/pdf",
        FileType.DOCX: f"{_OFFICE}.wordprocessingml.document",
        FileType.PPTX: f"{_OFFICE}.presentationml.presentation",
    }
)
_MARKDOWN_EXTENSIONS = frozenset({".md", ".markdown", ".mdown", ".mkd"})
_MARKDOWN_TYPES = frozenset({"text/markdown", "text/x-markdown"})
_HTML_EXTENSIONS = frozenset({".html", ".htm", ".xhtml"})
_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
_PDF_MARK, _PDF_MARK_WITHIN = b"%PDF-", 1_024
_ZIP_MARKS = (b"PK\x03\x04", b"PK\x05\x06")
_OLE_MARK = b"\xd0\xcf\x11\xe0"
_MAGIC = (
    (b"{\\rtf", "a Rich Text file: save it as .docx or PDF"),
    (b"%!PS", "a PostScript file: save it as PDF"),
    (b"\x1f\x8b", "a packed file (gzip): unpack it first"),
    (b"7z\xbc\xaf\x27\x1c", "a packed file (7z): unpack it first"),
    (b"Rar!", "a packed file (rar): unpack it first"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"RIFF", "a sound, film or picture"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90", "a program"),
    (b"SQLite format 3", "a database"),
)
_IN_OLE = (
    ("EncryptedPackage", "protected by a password: save a copy without one"),
    ("WordDocument", "an old Word file (.doc): save it as .docx or PDF"),
    ("PowerPoint Document", "an old PowerPoint file (.ppt): save it as .pptx or PDF"),
    ("Workbook", "an Excel file"),
)
_MACROS = "with macros, which are not supported: save it as"
_DECLARED = (  # the main part of an office file, as its content types name it
    ("ms-word.document.macroenabled.main", f"a Word file {_MACROS} .docx"),
    ("ms-word.template.macroenabled", f"a Word template {_MACROS} .docx"),
    ("ms-powerpoint.presentation.macroenabled.main", f"a PowerPoint file {_MACROS} .pptx"),
    ("ms-powerpoint.slideshow.macroenabled.main", f"a PowerPoint show {_MACROS} .pptx"),
    ("wordprocessingml.template.main+xml", "a Word template: save it as .docx"),
    ("presentationml.template.main+xml", "a PowerPoint template: save it as .pptx"),
    ("presentationml.slideshow.main+xml", "a PowerPoint show (.ppsx): save it as .pptx"),
    ("wordprocessingml.document.main+xml", FileType.DOCX),
    ("presentationml.presentation.main+xml", FileType.PPTX),
    ("spreadsheetml.sheet.main+xml", "an Excel file"),
    ("ms-excel.", "an Excel file"),
)
_MACRO_PART = "vbaproject.bin"
_MARKUP = (
    ("<!doctype html", None),
    ("<html", None),
    ("<svg", "a picture"),
    ("<!doctype svg", "a picture"),
    ("<?xml", "an XML file"),
    ("<!doctype", "an XML file"),
)
_BEFORE_ROOT = re.compile(r"\s*(?:<!--.*?-->|<\?xml[^>]*\?>)", re.DOTALL)
_TAG = re.compile(r"\s*<(?:!--|[a-z][a-z0-9]*[\s/>])", re.IGNORECASE)
_BOMS = (  # the longer first: UTF-32's begins with UTF-16's
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_ODD_CONTROLS = re.compile(r"[\x01-\x08\x0e-\x19\x1c-\x1f\x7f-\x84\x86-\x9f]")
_CONTROL_SHARE = 0.01
_INVISIBLE = frozenset({"Cc", "Cf", "Co", "Cn", "Cs", "Zl", "Zp"})


def detect_file_type(filename: str, mime_type: str, content: bytes, *, max_bytes: int) -> tuple[str, FileType]:
    """The name to show and the type.

    Args:
        filename: as the browser sent it; what is shown is its last part, and nothing of it is ever a path.
        mime_type: as the browser declared it; tells Markdown from plain text where the name does not, nothing more.

    Raises:
        TooLarge: over the limit.
        UnsupportedType: the message names the supported types.
        BadInput: without any text.
    """
    name = display_name(filename)
    if len(content) > max_bytes:
        raise TooLarge(
            "'{name}' has {size:,} bytes. Files can have up to {most:,}.",
            field="files",
            code="file_too_large",
            name=name,
            size=len(content),
            most=max_bytes,
        )
    if not content:
        raise BadInput("'{name}' has no text in it.", field="files", code="file_empty", name=name)
    declared = mime_type.split(";", maxsplit=1)[0].strip().casefold()
    kind = _type_by_magic(content) or _type_of_text(name, declared, content)
    if not isinstance(kind, FileType):
        raise UnsupportedType(f"'{{name}}' is {kind}. Supported: {SUPPORTED_TYPES}.", field="files", name=name)
    return name, kind


def display_name(filename: str) -> str:
    """The last part of a path as one visible line, shortened before its extension; never empty."""
    last = re.split(r"[/\\]", filename.rstrip("/\\"))[-1]
    name = "".join(c for c in one_line(last) if unicodedata.category(c) not in _INVISIBLE).rstrip(" .")
    stem, dot, ending = name.rpartition(".")
    if not dot or len(ending) > MAX_EXTENSION:
        return name[:MAX_NAME] or "document"
    return f"{stem[: MAX_NAME - len(ending) - 1]}.{ending}"


def bom_encoding(content: bytes) -> str | None:
    """The encoding that a byte order mark names, if there is one."""
    return next((encoding for mark, encoding in _BOMS if content.startswith(mark)), None)


def decode_western(content: bytes) -> str:
    """Text from before UTF-8: Windows' Western encoding, or latin-1, which reads any byte."""
    try:
        return content.decode("cp1252")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def is_binary(text: str) -> bool:
    """Whether decoded text has more control characters than text has."""
    return "\0" in text or sum(1 for _ in _ODD_CONTROLS.finditer(text)) > _CONTROL_SHARE * len(text)


def _type_by_magic(content: bytes) -> FileType | str | None:
    if content.startswith(_ZIP_MARKS):
        return _type_in_archive(content)
    if content.startswith(_OLE_MARK):
        found = (kind for name, kind in _IN_OLE if name.encode("utf-16-le") in content)
        return next(found, "an old Office file: save it as .docx, .pptx or PDF")
    if content.startswith(_PDF_MARK):
        return FileType.PDF
    return next((kind for magic, kind in _MAGIC if content.startswith(magic)), None)


def _type_in_archive(content: bytes) -> FileType | str:
    try:
        entries = read_entries(content)
        declared = (read_content_types(content, entries) or "").casefold()
    except UnreadableDocument:
        return "a packed file that is damaged or incomplete"
    found = next((kind for part, kind in _DECLARED if part in declared), None)
    if isinstance(found, FileType) and any(entry.name.casefold().endswith(_MACRO_PART) for entry in entries):
        return f"an office file {_MACROS} .{found.value}"
    if found is None and any(entry.name == "mimetype" for entry in entries):
        return "an OpenDocument file or e-book: save it as .docx, .pptx or PDF"
    return found or "a packed file (zip): unpack it first"


def _type_of_text(name: str, declared: str, content: bytes) -> FileType | str:
    text = _decode_sample(content)
    ending = PurePosixPath(name).suffix.casefold()
    if text is None:
        if _PDF_MARK in content[:_PDF_MARK_WITHIN] and (ending == ".pdf" or declared == FileType.PDF.media_type):
            return FileType.PDF
        return "a binary file"
    if not tidy(text) and len(content) <= SAMPLE_BYTES:
        raise BadInput("'{name}' has no text in it.", field="files", code="file_empty", name=name)
    markup = _type_of_markup(text)
    if markup is not None:
        return markup
    if (ending in _HTML_EXTENSIONS or declared in _HTML_TYPES) and _TAG.match(text):
        return FileType.HTML
    return FileType.MARKDOWN if ending in _MARKDOWN_EXTENSIONS or declared in _MARKDOWN_TYPES else FileType.TEXT


def _type_of_markup(text: str) -> FileType | str | None:
    """The type that the first element shows, behind comments and an XML declaration."""
    at = 0
    declares_xml = False
    while found := _BEFORE_ROOT.match(text, at):
        at = found.end()
        declares_xml = declares_xml or found[0].lstrip().startswith("<?xml")
    opening = text[at : at + 200].lstrip("\ufeff \t\r\n").casefold()
    for start, kind in _MARKUP:
        if opening.startswith(start):
            return kind or FileType.HTML
    return "an XML file" if declares_xml else None


def _decode_sample(content: bytes) -> str | None:
    """The beginning of the text, decoded; None for binary content."""
    whole = len(content) <= SAMPLE_BYTES
    encoding = bom_encoding(content)
    if encoding in (None, "utf-8-sig") and b"\0" in content:
        return None
    try:
        decoder = codecs.getincrementaldecoder(encoding or "utf-8")()
        text = decoder.decode(content[:SAMPLE_BYTES], whole)
    except UnicodeDecodeError:
        if encoding is not None:
            return None
        text = decode_western(content[:SAMPLE_BYTES])
    return None if is_binary(text) else text
