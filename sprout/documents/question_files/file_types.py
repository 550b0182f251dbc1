"""Detection of the types of question files, by content; without parsing, so the server's own process can do it."""

import re
from enum import StrEnum

from sprout.documents.file_types import MAX_NAME, display_name
from sprout.documents.formats.plain_text import decode_text
from sprout.documents.zip_archive import read_entries
from sprout.errors import UnreadableDocument, UnsupportedType

SUPPORTED = "QTI, GIFT, Moodle XML and Anki"
SAMPLE_CHARACTERS = 64 * 1024
_XML_STARTS = ("<?xml", "<!")
_ZIP = b"PK\x03\x04"
_BEFORE_ROOT = re.compile(r"(?:\s|\ufeff|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*(?:\[.*?\]\s*)?>)*", re.DOTALL)
ANKI_HEADER = re.compile(r"#(separator|html|tags|columns|deck|notetype|guid|[a-z]{2,10} column):(.*)", re.IGNORECASE)
_CLOZE = re.compile(r"\{\{c\d+(?:,\d+)*::")
_ROOT = re.compile(r"<(?:[\w.-]+:)?([\w.-]+)")


class QuestionFileType(StrEnum):
    """A format of question files."""

    GIFT = "gift"
    ANKI_PACKAGE = "anki_package"
    ANKI_TEXT = "anki_text"
    MOODLE_XML = "moodle_xml"
    QTI_ITEM = "qti_item"
    QTI_PACKAGE = "qti_package"


_ROOTS = {
    "quiz": QuestionFileType.MOODLE_XML,
    "assessmentItem": QuestionFileType.QTI_ITEM,
    "qti-assessment-item": QuestionFileType.QTI_ITEM,
}
_IN_ARCHIVE = {
    "imsmanifest.xml": QuestionFileType.QTI_PACKAGE,
    "collection.anki2": QuestionFileType.ANKI_PACKAGE,
}


def detect_question_file(filename: str, content: bytes) -> QuestionFileType:
    """The format of an upload. Raises UnsupportedType, UnreadableDocument."""
    found = _type_in_archive(content) if content.startswith(_ZIP) else _type_of_text(content)
    if found is None:
        name = display_name(filename)[:MAX_NAME]
        raise UnsupportedType(
            f"'{{name}}' holds no questions that can be read. Supported: {SUPPORTED}.",
            field="files",
            code="not_a_question_file",
            name=name,
        )
    return found


def _type_in_archive(content: bytes) -> QuestionFileType | None:
    names = {entry.name for entry in read_entries(content)}
    return next((kind for name, kind in _IN_ARCHIVE.items() if name in names), None)


def _type_of_text(content: bytes) -> QuestionFileType | None:
    try:
        text = decode_text(content).strip("\ufeff \t\r\n")
    except UnreadableDocument:
        return None
    begun = _BEFORE_ROOT.match(text[:SAMPLE_CHARACTERS])
    root = _ROOT.match(text, begun.end() if begun else 0)
    name = root[1] if root else ""
    if name in _ROOTS:
        return _ROOTS[name]
    if text.startswith(_XML_STARTS):
        return None
    if _is_anki_text(text):
        return QuestionFileType.ANKI_TEXT
    is_other_xml = name and text.endswith(f"{name}>")
    return QuestionFileType.GIFT if "{" in text and not is_other_xml else None


def _is_anki_text(text: str) -> bool:
    """Whether a text looks like notes of Anki: by its first line, or since a tab parts it; questions of GIFT have
    braces."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    return ANKI_HEADER.match(first) is not None or ("\t" in first and "{" not in _CLOZE.sub("", text))
