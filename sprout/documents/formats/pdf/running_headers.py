"""Running headers and footers: rows that repeat on most pages, such as chapter titles and page numbers."""

import re
from collections import Counter
from collections.abc import Sequence
from statistics import median

from sprout.documents.formats.pdf.lines import Line

MAX_LINES = 3
MIN_PAGES = 4
MIN_PAGE_SHARE = 0.6
MIN_NUMBER_SHARE = 0.4
MAX_CHARACTERS = 120
EDGE_ROWS = 2
NEAR_PAGES = 2
SAME_HEIGHT = 3.0
_NUMBER = re.compile(r"\d+|(?<!\w)[ivxlc]+(?!\w)", re.IGNORECASE)
_PAGE_NUMBER = re.compile(r"(?<![\w.])\d{1,4}(?![\w.]\w)")
_COUNTER = re.compile(r"(?<!\d)(\d{1,4})\s*(?:/|of|von|sur|de|di|van|из|z)\s*(\d{1,4})$")
_SPACE = re.compile(r"\s+")

Row = list[Line]


def strip_running_headers(pages: Sequence[Sequence[Row]]) -> list[list[Row]]:
    """The rows of each page, from top to bottom, without those that repeat at its top or bottom.

    A row is removed if at least four pages and most of all, of the left or of the right pages have it, numbers apart;
    if it has the number of the page; if it ends with "page 1 of 2" and so on through the document; if the neighbouring
    pages have the same at the same height; or if all of two or three pages have it there, but for the first of them.
    """
    remaining = [list(page) for page in pages]
    for edge in (0, -1):
        _strip_counted(remaining, edge)
        _strip_numbered(remaining, edge)
        _strip_of_few_pages(remaining, edge)
        _strip_chapter_titles(remaining, edge)
        for _ in range(MAX_LINES):
            running = _repeated_shapes(remaining, edge)
            if not running:
                break
            for number, page in enumerate(remaining):
                if page and (number % 2, _shape(row_text(page[edge]))) in running:
                    del page[edge]
    return remaining


def row_text(row: Row) -> str:
    """The text of a row across all columns."""
    return " ".join(line.text for line in row)


def _repeated_shapes(pages: Sequence[Sequence[Row]], edge: int) -> set[tuple[int, str]]:
    """The shapes that repeat at the edge, each with the side whose pages have it."""
    found: set[tuple[int, str]] = set()
    sides = [[_shape(row_text(page[edge])) for page in pages[side::2] if page] for side in (0, 1)]
    total = sum(len(shapes) for shapes in sides)
    for shape, count in Counter(shape for shapes in sides for shape in shapes).items():
        if shape and count >= MIN_PAGES and count >= MIN_PAGE_SHARE * total:
            found |= {(0, shape), (1, shape)}
    for side, shapes in enumerate(sides):
        for shape, count in Counter(shapes).items():
            if shape and count >= MIN_PAGES and count >= MIN_PAGE_SHARE * len(shapes):
                found.add((side, shape))
    return found


def _strip_numbered(pages: list[list[Row]], edge: int) -> None:
    """Remove the rows at the edge that have the number of the page, where most pages are numbered."""
    offsets: Counter[int] = Counter()
    for number, page in enumerate(pages):
        offsets.update({int(found) - number for row in _edge_rows(page, edge) for found in _numbers(row)})
    if not offsets:
        return
    offset, count = offsets.most_common(1)[0]
    if count < MIN_PAGES or count < MIN_NUMBER_SHARE * len(pages):
        return
    for number, page in enumerate(pages):
        for row in _edge_rows(page, edge):
            if str(number + offset) in _numbers(row):
                _delete_to(page, row, edge)
                break


def _strip_counted(pages: list[list[Row]], edge: int) -> None:
    """Remove the row at the edge that counts the pages, where each of several has one."""
    rows = [page[edge] if page else None for page in pages]
    counts = [found.groups() if row and (found := _COUNTER.search(row_text(row))) else None for row in rows]
    if len(pages) > 1 and counts == [(str(number), str(len(pages))) for number in range(1, len(pages) + 1)]:
        for page in pages:
            del page[edge]


def _strip_of_few_pages(pages: list[list[Row]], edge: int) -> None:
    """Remove the row that stands at the same place of all pages of a short document, but for the first."""
    rows = [page[edge] if page else None for page in pages]
    texts = {row_text(row) if row else "" for row in rows}  # numbers too: "Part 1" and "Part 2" are no running head
    if 1 < len(pages) < MIN_PAGES and rows[0] and len(texts) == 1 and all(_is_same(rows[0], other) for other in rows):
        for page in pages[1:]:
            del page[edge]


def _strip_chapter_titles(pages: list[list[Row]], edge: int) -> None:
    """Remove the rows at the edge that near pages have with the same text at the same height, in no larger type."""
    sizes = [line.size for page in pages for row in page[:20] for line in row]
    if not sizes:
        return
    usual = median(sizes)
    at_edge: list[Row | None] = [page[edge] if page else None for page in pages]
    shapes = Counter(_shape(row_text(row)) for row in at_edge if row is not None)
    for number, row in enumerate(at_edge):
        if (
            row is None
            or shapes[_shape(row_text(row))] < MIN_PAGES
            or max(line.size for line in row) > 1.05 * usual
            or not _shape(row_text(row))
        ):
            continue
        near = [
            at for at in range(number - NEAR_PAGES, number + NEAR_PAGES + 1) if at != number and 0 <= at < len(pages)
        ]
        if any(_is_same(row, at_edge[at]) for at in near):
            pages[number].remove(row)


def _is_same(row: Row, other: Row | None) -> bool:
    if other is None or abs(row[0].base - other[0].base) > SAME_HEIGHT:
        return False
    return len(row_text(row)) > 3 and _shape(row_text(row)) == _shape(row_text(other))


def _edge_rows(page: Sequence[Row], edge: int) -> list[Row]:
    return list(page[:EDGE_ROWS] if edge == 0 else page[: -EDGE_ROWS - 1 : -1])


def _numbers(row: Row) -> set[str]:
    """The numbers at the start or the end of a short row."""
    text = row_text(row)
    if len(text) > MAX_CHARACTERS:
        return set()
    found = list(_PAGE_NUMBER.finditer(text))
    return {match[0] for match in found if match.start() <= 1 or match.end() >= len(text) - 1 or len(text) < 20}


def _delete_to(page: list[Row], row: Row, edge: int) -> None:
    """Delete the row, and what lies between it and the edge."""
    at = next(at for at, other in enumerate(page) if other is row)
    if edge == 0:
        del page[: at + 1]
    else:
        del page[at:]


def _shape(line: str) -> str:
    """The line with every number alike; empty for one that is too long to run."""
    return "" if len(line) > MAX_CHARACTERS else _SPACE.sub(" ", _NUMBER.sub("#", line)).strip().casefold()
