"""Tables of Word files: rows of cells, and which tables are boxes or only lay out their content."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Any

from lxml import etree

from sprout.documents.formats.office.slide_content import has_text
from sprout.documents.formats.office.word_inline import WordContext, paragraph_spans
from sprout.documents.formats.spans import Span
from sprout.documents.formats.word_styles import W, parse_int, property_value

_MAX_CELL = 2_000
_MAX_SPAN = 30
_ALL_TEXT = etree.XPath("string()")
_WRAPPERS = frozenset(f"{W}{name}" for name in ("sdt", "sdtContent", "customXml", "ins", "moveTo"))


class TableUse(StrEnum):
    """Use of a table."""

    DATA = "data"
    BOX = "box"
    LAYOUT = "layout"


def table_use(table: Any) -> TableUse:
    """A box for one cell; layout for one row or column, with tables inside, or with whole pages in a cell."""
    rows = [list(_parts(row, f"{W}tc")) for row in _parts(table, f"{W}tr")]
    if sum(map(len, rows)) == 1:
        return TableUse.BOX
    nested = next(table.iterdescendants(f"{W}tbl"), None) is not None
    if nested or len(rows) < 2 or max(map(len, rows)) < 2:
        return TableUse.LAYOUT
    long = any(len(_ALL_TEXT(cell)) > _MAX_CELL for row in rows for cell in row)
    return TableUse.LAYOUT if long else TableUse.DATA


def table_rows(table: Any, context: WordContext) -> Iterator[list[Sequence[Span]]]:
    """The cells of each row; one that is merged with the cell above is empty, a wide one is followed by empty ones."""
    for row in _parts(table, f"{W}tr"):
        cells: list[Sequence[Span]] = []
        for cell in _parts(row, f"{W}tc"):
            properties = cell.find(f"{W}tcPr")
            width = parse_int(property_value(properties, f"{W}gridSpan")) or 1
            cells.append(_cell_spans(cell, properties, context))
            cells += [()] * (min(width, _MAX_SPAN) - 1)
        yield cells


def has_header(table: Any, rows: Sequence[Sequence[Sequence[Span]]], context: WordContext) -> bool:
    """Whether the first row is marked as the head: repeated on each page, set apart by the style, or alone in bold."""
    repeated = table.find(f"{W}tr/{W}trPr/{W}tblHeader") is not None
    look = table.find(f"{W}tblPr/{W}tblLook")
    styled = look is not None and look.get(f"{W}firstRow") == "1"
    style = property_value(table.find(f"{W}tblPr"), f"{W}tblStyle")
    apart = styled and context.styles.sets_first_row_apart(style)
    bold = [all(map(_is_bold, row)) for row in rows if sum(map(has_text, row)) > 1]  # else a title over all columns
    return repeated or apart or (bold[:1] == [True] and not all(bold))


def _is_bold(cell: Sequence[Span]) -> bool:
    return all(span.strong for span in cell if span.text.strip())


def _parts(element: Any, tag: str) -> Iterator[Any]:
    """The rows of a table or the cells of a row, those in content controls too."""
    for child in element:
        if child.tag == tag:
            yield child
        elif child.tag in _WRAPPERS:
            yield from _parts(child, tag)


def _cell_spans(cell: Any, properties: Any, context: WordContext) -> list[Span]:
    merged = properties.find(f"{W}vMerge") if properties is not None else None
    if merged is not None and merged.get(f"{W}val") != "restart":
        return []
    return [span for paragraph in cell.iter(f"{W}p") for span in (*paragraph_spans(paragraph, context), Span(" "))]
