"""Reader of Word files: headings by style, lists, tables, formulas; without comments and deletions.

python-docx opens the package; the walk over its XML is ours, because markitdown (through mammoth) loses numbered lists,
heading levels of localised styles and the limits on depth and text.
"""

from collections.abc import Iterator
from io import BytesIO
from typing import Any

from docx import Document
from docx.opc.constants import RELATIONSHIP_TYPE

from sprout.documents.failures import UnreadableReason, unreadable
from sprout.documents.formats.markdown_writer import DocumentText, MarkdownWriter
from sprout.documents.formats.word_styles import Numbering, Styles, W, list_position, property_value
from sprout.documents.limits import ReadingLimits
from sprout.documents.zip_archive import check_entries, is_strict_ooxml, read_entries

_MATH_TEXT = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_SKIPPED_TAGS = frozenset({f"{W}del", f"{W}moveFrom", f"{W}instrText", f"{W}rPr", f"{W}pPr", f"{W}sdtPr", _FALLBACK})
_TEXT_BOX = f"{W}txbxContent"
_MAX_DEPTH = 250
_REPLACEMENTS = {f"{W}tab": " ", f"{W}br": "\n", f"{W}cr": "\n", f"{W}noBreakHyphen": "-", f"{W}ptab": " "}


def read_word(content: bytes, limits: ReadingLimits) -> DocumentText:
    """The text of the document's body. Raises UnreadableDocument."""
    entries = read_entries(content)
    check_entries(content, entries, limits)
    if is_strict_ooxml(content, entries):
        raise unreadable(UnreadableReason.STRICT_OOXML)
    document = Document(BytesIO(content))
    related = {relation.reltype: relation for relation in document.part.rels.values() if not relation.is_external}
    numbering = related.get(RELATIONSHIP_TYPE.NUMBERING)
    body = _BodyWalker(
        MarkdownWriter(limits),
        Styles(document.styles.element),
        Numbering(numbering.target_part.blob if numbering is not None else b""),
    )
    body.walk(document.element.body)
    return body.out.finish()


class _BodyWalker:
    """Walks paragraphs and tables in order."""

    def __init__(self, out: MarkdownWriter, styles: Styles, numbering: Numbering) -> None:
        self.out = out
        self._styles = styles
        self._numbering = numbering
        self._heading_offset = 0
        self._current_list: str | None = None

    def walk(self, element: Any, depth: int = 0) -> None:
        """All blocks below the element."""
        if depth > _MAX_DEPTH:
            raise unreadable(UnreadableReason.HOSTILE, detail="depth")
        for child in element:
            if child.tag == f"{W}p":
                self._write_paragraph(child)
                for box in _text_boxes(child):
                    self.walk(box, depth + 1)
            elif child.tag == f"{W}tbl":
                self._current_list = None
                self.out.write_table(_rows(child))
            elif isinstance(child.tag, str) and child.tag not in _SKIPPED_TAGS:
                self.walk(child, depth + 1)

    def _write_paragraph(self, paragraph: Any) -> None:
        text = "".join(_text_of(paragraph)).strip()
        if not text:
            return
        properties = paragraph.find(f"{W}pPr")
        style = property_value(properties, f"{W}pStyle")
        level = self._styles.heading_level(style, properties)
        found = list_position(properties) or self._styles.list_position(style)
        if level is not None:
            self._heading_offset = self._heading_offset or int(level == 0)
            self.out.write_heading(level + self._heading_offset if level else 1, text)
        elif found is not None:
            number, depth = found
            self.out.write_list_item(
                text, depth=depth, marker=self._numbering.next_marker(number, depth), first=number != self._current_list
            )
        else:
            self.out.write_paragraph(text)
        self._current_list = found[0] if level is None and found is not None else None


def _text_of(element: Any, depth: int = 0) -> Iterator[str]:
    """The text of a paragraph with tracked changes accepted; text boxes follow it."""
    if depth > _MAX_DEPTH:
        raise unreadable(UnreadableReason.HOSTILE, detail="depth")
    for child in element:
        if child.tag in (f"{W}t", _MATH_TEXT):
            yield child.text or ""
        elif child.tag in _REPLACEMENTS:
            yield _REPLACEMENTS[child.tag]
        elif isinstance(child.tag, str) and child.tag not in _SKIPPED_TAGS and child.tag != _TEXT_BOX:
            yield from _text_of(child, depth + 1)


def _text_boxes(element: Any, depth: int = 0) -> Iterator[Any]:
    if depth > _MAX_DEPTH:
        raise unreadable(UnreadableReason.HOSTILE, detail="depth")
    for child in element:
        if child.tag == _TEXT_BOX:
            yield child
        elif isinstance(child.tag, str) and child.tag not in _SKIPPED_TAGS:
            yield from _text_boxes(child, depth + 1)


def _rows(table: Any) -> Iterator[list[str]]:
    """The cells of each row; one that is merged with the cell above is empty."""
    for row in _own_descendants(table, f"{W}tr", f"{W}tbl"):
        yield [" ".join(_cell_texts(cell)) for cell in _own_descendants(row, f"{W}tc", f"{W}tr")]


def _own_descendants(element: Any, tag: str, owner: str) -> Iterator[Any]:
    """The descendants with this tag, without those of nested tables."""
    return (found for found in element.iter(tag) if next(found.iterancestors(owner), None) is element)


def _cell_texts(cell: Any) -> Iterator[str]:
    merged = cell.find(f"{W}tcPr/{W}vMerge")
    if merged is None or merged.get(f"{W}val") == "restart":
        for paragraph in cell.iter(f"{W}p"):
            yield "".join(_text_of(paragraph))
