"""Tables of a web page: rows of cells for data, and which tables only lay out their content."""

from collections.abc import Iterator, Sequence
from typing import Any

from sprout.documents.formats.html.page_content import all_text, is_left_out
from sprout.documents.formats.html.page_inline import PageMarks, inline_spans
from sprout.documents.formats.spans import Span

_LAYOUT_ROLES = frozenset({"presentation", "none"})
_MAX_CELL = 2_000
_MAX_SPAN = 30
_MAX_DOWN = 500


def is_layout(table: Any) -> bool:
    """Whether the table has one row or column, another table inside, code of several lines or whole pages in a cell."""
    if table.get("role") in _LAYOUT_ROLES or next(table.iterdescendants("table"), None) is not None:
        return True
    if any("\n" in all_text(pre).strip() for pre in table.iter("pre")):
        return True
    if any(len(all_text(cell)) > _MAX_CELL for cell in table.iter("td")):
        return True
    rows = [sum(1 for cell in row if cell.tag in ("td", "th")) for row in table.iter("tr")]
    return len([cells for cells in rows if cells]) < 2 or max(rows, default=0) < 2


def has_header(table: Any) -> bool:
    """Whether the first row is marked as the head: a table may have one at the side instead, or none."""
    first = next((row for row in table.iter("tr") if len(row)), None)
    headed = [cell for cell in first if cell.tag == "th"] if first is not None else []
    return len(headed) > 1 or next(table.iter("thead"), None) is not None


def table_rows(table: Any, marks: PageMarks) -> Iterator[list[Sequence[Span]]]:
    """The cells of each row; one that reaches over others is followed, or has below it, empty ones."""
    below: dict[int, int] = {}
    for row in table.iter("tr"):
        if is_left_out(row):
            continue
        cells: list[Sequence[Span]] = []
        for cell in row:
            if cell.tag in ("td", "th") and not is_left_out(cell):
                _fill(cells, below)
                across, down = _number(cell.get("colspan"), _MAX_SPAN), _number(cell.get("rowspan"), _MAX_DOWN)
                if down > 1:
                    below |= {len(cells) + at: down for at in range(across)}
                cells += [list(inline_spans(cell, marks)), *([()] * (across - 1))]
        _fill(cells, below)
        below = {column: rows - 1 for column, rows in below.items() if rows > 1}
        yield cells


def _fill(cells: list[Sequence[Span]], below: dict[int, int]) -> None:
    """Add empty cells where one of a row above reaches down; those begun in this row are further left."""
    while len(cells) in below:
        cells.append(())


def _number(value: str | None, most: int) -> int:
    return min(max(int(value), 1), most) if value is not None and value.isascii() and value.isdigit() else 1
