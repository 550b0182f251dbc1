"""Tables of Word files: rows of cells, and which tables are boxes or only lay out their content."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Any

from sprout.documents.formats.markdown_inline import Span
from sprout.documents.formats.office.word_inline import WordContext, paragraph_spans
from sprout.documents.formats.word_styles import W, parse_int, property_value

_MAX_SPAN = 30


class TableUse(StrEnum):
    """What a table is used for."""

    DATA = "data"
    BOX = "box"
    LAYOUT = "layout"


def table_use(table: Any) -> TableUse:
    """A box for one cell; layout for one row or column, or with tables inside."""
    rows = [list(_own_descendants(row, f"{W}tc", f"{W}tr")) for row in _own_descendants(table, f"{W}tr", f"{W}tbl")]
    if sum(map(len, rows)) == 1:
        return TableUse.BOX
    nested = next(table.iterdescendants(f"{W}tbl"), None) is not None
    if nested or len(rows) < 2 or max(map(len, rows)) < 2:
        return TableUse.LAYOUT
    return TableUse.DATA


def table_rows(table: Any, context: WordContext) -> Iterator[list[Sequence[Span]]]:
    """The cells of each row; one that is merged with the cell above is empty, a wide one is followed by empty ones."""
    for row in _own_descendants(table, f"{W}tr", f"{W}tbl"):
        cells: list[Sequence[Span]] = []
        for cell in _own_descendants(row, f"{W}tc", f"{W}tr"):
            width = parse_int(property_value(cell, f"{W}tcPr/{W}gridSpan")) or 1
            cells += [list(_cell_spans(cell, context)), *([()] * (min(width, _MAX_SPAN) - 1))]
        yield cells


def _own_descendants(element: Any, tag: str, owner: str) -> Iterator[Any]:
    """The descendants with this tag, without those of nested tables."""
    return (found for found in element.iter(tag) if next(found.iterancestors(owner), None) is element)


def _cell_spans(cell: Any, context: WordContext) -> Iterator[Span]:
    merged = cell.find(f"{W}tcPr/{W}vMerge")
    if merged is None or merged.get(f"{W}val") == "restart":
        for paragraph in cell.iter(f"{W}p"):
            yield from paragraph_spans(paragraph, context)
            yield Span(" ")
