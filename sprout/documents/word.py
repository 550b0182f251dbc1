"""A Word file as text: headings by what their styles mean, lists, tables, formulas; without comments and deletions."""

from collections.abc import Iterator
from io import BytesIO
from typing import Any

from docx import Document
from docx.opc.constants import RELATIONSHIP_TYPE

from sprout.documents.archive import entries_of, inspect, looks_strict
from sprout.documents.limits import ReadingLimits
from sprout.documents.manuscript import Draft, Manuscript
from sprout.documents.reasons import Reason, unreadable
from sprout.documents.word_styles import Numbering, Styles, W, listed, value

_MATH_TEXT = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_LEFT_OUT = frozenset({f"{W}del", f"{W}moveFrom", f"{W}instrText", f"{W}rPr", f"{W}pPr", f"{W}sdtPr", _FALLBACK})
_TEXT_BOX = f"{W}txbxContent"
_DEEPEST = 250
_INSTEAD = {f"{W}tab": " ", f"{W}br": "\n", f"{W}cr": "\n", f"{W}noBreakHyphen": "-", f"{W}ptab": " "}


def word_draft(content: bytes, limits: ReadingLimits) -> Draft:
    """The text of the document's body. Raises Unreadable."""
    entries = entries_of(content)
    inspect(content, entries, limits)
    if looks_strict(content, entries):
        raise unreadable(Reason.STRICT)
    document = Document(BytesIO(content))
    related = {relation.reltype: relation for relation in document.part.rels.values() if not relation.is_external}
    numbering = related.get(RELATIONSHIP_TYPE.NUMBERING)
    body = _Body(
        Manuscript(limits),
        Styles(document.styles.element),
        Numbering(numbering.target_part.blob if numbering is not None else b""),
    )
    body.through(document.element.body)
    return body.out.finished()


class _Body:
    """Goes through paragraphs and tables in order."""

    def __init__(self, out: Manuscript, styles: Styles, numbering: Numbering) -> None:
        self.out = out
        self._styles = styles
        self._numbering = numbering
        self._titled = 0
        self._in_list: str | None = None

    def through(self, element: Any, depth: int = 0) -> None:
        """All blocks below the element."""
        if depth > _DEEPEST:
            raise unreadable(Reason.HOSTILE, detail="depth")
        for child in element:
            if child.tag == f"{W}p":
                self._paragraph(child)
                for box in _text_boxes(child):
                    self.through(box, depth + 1)
            elif child.tag == f"{W}tbl":
                self._in_list = None
                self.out.table(_rows(child))
            elif isinstance(child.tag, str) and child.tag not in _LEFT_OUT:
                self.through(child, depth + 1)

    def _paragraph(self, paragraph: Any) -> None:
        text = "".join(_text_of(paragraph)).strip()
        if not text:
            return
        properties = paragraph.find(f"{W}pPr")
        style = value(properties, f"{W}pStyle")
        level = self._styles.heading_level(style, properties)
        found = listed(properties) or self._styles.listed(style)
        if level is not None:
            self._titled = self._titled or int(level == 0)
            self.out.heading(level + self._titled if level else 1, text)
        elif found is not None:
            number, depth = found
            self.out.item(text, depth=depth, mark=self._numbering.mark(number, depth), first=number != self._in_list)
        else:
            self.out.paragraph(text)
        self._in_list = found[0] if level is None and found is not None else None


def _text_of(element: Any, depth: int = 0) -> Iterator[str]:
    """The words of a paragraph as it reads now: insertions taken, deletions left out; text boxes come after it."""
    if depth > _DEEPEST:
        raise unreadable(Reason.HOSTILE, detail="depth")
    for child in element:
        if child.tag in (f"{W}t", _MATH_TEXT):
            yield child.text or ""
        elif child.tag in _INSTEAD:
            yield _INSTEAD[child.tag]
        elif isinstance(child.tag, str) and child.tag not in _LEFT_OUT and child.tag != _TEXT_BOX:
            yield from _text_of(child, depth + 1)


def _text_boxes(element: Any, depth: int = 0) -> Iterator[Any]:
    if depth > _DEEPEST:
        raise unreadable(Reason.HOSTILE, detail="depth")
    for child in element:
        if child.tag == _TEXT_BOX:
            yield child
        elif isinstance(child.tag, str) and child.tag not in _LEFT_OUT:
            yield from _text_boxes(child, depth + 1)


def _rows(table: Any) -> Iterator[list[str]]:
    """The cells of each row; a cell that goes on with the one above it says nothing again."""
    for row in _own(table, f"{W}tr", f"{W}tbl"):
        yield [" ".join(_cell(cell)) for cell in _own(row, f"{W}tc", f"{W}tr")]


def _own(element: Any, tag: str, owner: str) -> Iterator[Any]:
    """Those below the element that are not of a table inside it."""
    return (found for found in element.iter(tag) if next(found.iterancestors(owner), None) is element)


def _cell(cell: Any) -> Iterator[str]:
    merged = cell.find(f"{W}tcPr/{W}vMerge")
    if merged is None or merged.get(f"{W}val") == "restart":
        for paragraph in cell.iter(f"{W}p"):
            yield "".join(_text_of(paragraph))
