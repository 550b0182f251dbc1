"""Layout of a page: its columns of lines in reading order, with tables and boxes at their places, and footnotes."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from sprout.documents.formats.pdf.columns import Column, read_columns
from sprout.documents.formats.pdf.drawings import MIN_BOX_HEIGHT, MIN_BOX_WIDTH, Area, Drawings
from sprout.documents.formats.pdf.headings import CAPTION
from sprout.documents.formats.pdf.lines import MAX_SEGMENTS, Line
from sprout.documents.formats.pdf.tables import find_tables
from sprout.documents.formats.pdf.words import Font, Word

MAX_BOX_SHARE = 0.7
MIN_BOX_LINES, MIN_BOX_CHARACTERS = 2, 60
MAX_BOXES = 60
MIN_FRAMED_SHARE = 0.85
NOTE_SIZE = 0.93
MAX_NOTE_RULE_SHARE = 0.6
NOTE_GAP = 1.4  # of the usual distance of lines
MAX_NOTE_SHARE = 0.4
_NOTE = re.compile(r"(?:[\d⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}|[*∗†‡§¶]{1,2})\s*[^\W\d_\s]")


@dataclass(frozen=True, slots=True)
class Box:
    """Text on a filled or framed rectangle."""

    columns: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class PageLayout:
    """The columns in reading order, and the footnotes of all of them."""

    columns: tuple[Column, ...]
    notes: tuple[Line, ...] = ()


def lay_out(rows: Sequence[Sequence[Line]], drawings: Drawings, *, area: float, body_size: float) -> PageLayout:
    """The layout of a page.

    Args:
        rows: from top to bottom, without running headers.
        area: of the page in square points.
        body_size: of the running text of the document.
    """
    parts = [line for row in rows for line in row]
    if not parts:
        return PageLayout(())
    right_to_left = 2 * sum(word.right_to_left for part in parts for word in part.words) > sum(
        len(part.words) for part in parts
    )
    if len(parts) <= MAX_SEGMENTS:
        parts = _place_tables(parts, drawings, right_to_left)
        parts = _place_boxes(parts, drawings, area, right_to_left)
    columns = _without_frames(read_columns(parts, right_to_left=right_to_left))
    return _take_notes_out(columns, drawings, body_size)


def _place_tables(parts: list[Line], drawings: Drawings, right_to_left: bool) -> list[Line]:
    for table in find_tables(parts, drawings):
        if right_to_left:
            table = replace(table, rows=tuple(row[::-1] for row in table.rows))
        taken = set(map(id, table.lines))
        parts = [part for part in parts if id(part) not in taken]
        parts.append(_placed(table, table.area, table.lines[0]))
    return parts


def _place_boxes(parts: list[Line], drawings: Drawings, area: float, right_to_left: bool) -> list[Line]:
    boxes = [box for box in drawings.boxes if box.width >= MIN_BOX_WIDTH and box.height >= MIN_BOX_HEIGHT]
    boxes = [box for box in boxes if box.width * box.height <= MAX_BOX_SHARE * area]
    for box in sorted(boxes, key=lambda box: -box.width * box.height)[:MAX_BOXES]:
        inside = [part for part in parts if box.holds(part.x0, part.base - 0.5 * part.size, part.x1, part.base)]
        crossing = [
            part for part in parts if part.x0 < box.x1 and part.x1 > box.x0 and box.top < part.base < box.bottom
        ]
        characters = sum(len(part.text) for part in inside if part.content is None)
        if len(crossing) > len(inside) or len(inside) < MIN_BOX_LINES or characters < MIN_BOX_CHARACTERS:
            continue
        taken = set(map(id, inside))
        parts = [part for part in parts if id(part) not in taken]
        columns = tuple(read_columns(inside, right_to_left=right_to_left))
        parts.append(_placed(Box(columns), box, inside[0]))
    return parts


def _without_frames(columns: Sequence[Column]) -> Sequence[Column]:
    """The columns; where nearly all of a page stands in boxes they are its frame, or its slides, and no boxes."""
    lines = [line for column in columns for line in column.lines]
    framed = sum(_characters(box) for line in lines if isinstance(box := line.content, Box))
    if framed < MIN_FRAMED_SHARE * (framed + sum(len(line.text) for line in lines)):
        return columns
    return [part for column in columns for part in _unframed(column)]


def _unframed(column: Column) -> Iterator[Column]:
    """The column in parts: what stands between the frames, and what stands in each."""
    for is_box, these in groupby(column.lines, key=lambda line: isinstance(line.content, Box)):
        if is_box:
            yield from (inner for line in these if isinstance(line.content, Box) for inner in line.content.columns)
        else:
            yield Column(tuple(these), column.left, column.right)


def _characters(box: Box) -> int:
    return sum(len(line.text) for column in box.columns for line in column.lines)


def _placed(content: object, area: Area, like: Line) -> Line:
    """A line that stands for the content."""
    word = Word("\ufffc", area.x0, area.x1, area.top, area.bottom, area.top + like.size, like.size, Font())
    return Line((word,), like.page, content)


def _take_notes_out(columns: Sequence[Column], drawings: Drawings, body_size: float) -> PageLayout:
    kept: list[Column] = []
    notes: list[Line] = []
    for column in columns:
        start = _notes_start(column, drawings, body_size)
        notes += column.lines[start:]
        if start:
            kept.append(Column(column.lines[:start], column.left, column.right))
    return PageLayout(tuple(kept), tuple(notes))


def _notes_start(column: Column, drawings: Drawings, body_size: float) -> int:
    """The index of the first footnote at the foot of a column; its number of lines without one."""
    lines = column.lines
    start = len(lines)
    while start and lines[start - 1].content is None and lines[start - 1].size <= NOTE_SIZE * body_size:
        start -= 1
    if start == 0 or start == len(lines):
        return len(lines)
    first, above = lines[start], lines[start - 1]
    ruled = any(
        above.base <= rule.top <= first.base
        and rule.x1 - rule.x0 < MAX_NOTE_RULE_SHARE * (column.right - column.left) + 20
        for rule in drawings.horizontal
        if rule.x0 < column.right and rule.x1 > column.left
    )
    apart = first.base - above.base > NOTE_GAP * (lines[-1].base - lines[0].base) / len(lines)
    if ruled or (apart and len(lines) - start <= MAX_NOTE_SHARE * len(lines) and not CAPTION.match(first.text)):
        return start
    return next((at for at in range(start, len(lines)) if _NOTE.match(lines[at].text)), len(lines))
