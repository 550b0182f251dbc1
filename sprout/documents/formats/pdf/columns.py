"""Columns of a printed page, and the order in which its lines are read.

A gutter is a place across the page where no text stands for several lines, with running text on both sides. What
crosses it, such as a title, parts the page into bands; in each band the left column comes before the right one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from statistics import median

from sprout.documents.formats.pdf.lines import MAX_SEGMENTS, Line, join_row, rows_of

STRIPS = 240
PLACES = 300
MIN_STRIPS = 12
MIN_LINES = 3
MIN_COLUMN_SHARE = 0.15
MIN_FILLED = 0.55
MIN_FULL, MIN_LIKE_WIDTH = 0.85, 0.75
MIN_CHARACTERS = 14
MAX_DEPTH = 4


@dataclass(frozen=True, slots=True)
class Column:
    """Lines that are read one after the other, with the edges that their text keeps to."""

    lines: tuple[Line, ...]
    left: float
    right: float


def read_columns(parts: Sequence[Line], *, right_to_left: bool = False) -> list[Column]:
    """The columns of a page in reading order."""
    if len(parts) > MAX_SEGMENTS:
        return [_column(parts)]
    return [_column(column) for column in _cut(list(parts), right_to_left, MAX_DEPTH) if column]


def _column(parts: Sequence[Line]) -> Column:
    lines = tuple(line for row in rows_of(parts) for line in join_row(row))
    return Column(lines, min(line.x0 for line in lines), max(line.x1 for line in lines))


def _cut(parts: list[Line], right_to_left: bool, depth: int) -> Iterator[list[Line]]:
    gutter = _find_gutter(parts) if depth else None
    if gutter is None:
        yield parts
        return
    for band, parted in _bands(parts, gutter):
        if not parted:
            yield from _cut(band, right_to_left, depth - 1)
            continue
        sides = [[part for part in band if part.x1 <= gutter], [part for part in band if part.x0 >= gutter]]
        for side in reversed(sides) if right_to_left else sides:
            yield from _cut(side, right_to_left, depth - 1)


def _bands(parts: Sequence[Line], gutter: float) -> Iterator[tuple[list[Line], bool]]:
    """The lines from top to bottom in bands, each with whether the gutter parts it."""
    band: list[Line] = []
    for part in sorted(parts, key=lambda part: (part.top + part.bottom) / 2):
        crosses = part.x0 < gutter < part.x1
        if band and crosses != (band[-1].x0 < gutter < band[-1].x1):
            yield band, not _crosses(band[-1], gutter)
            band = []
        band.append(part)
    if band:
        yield band, not _crosses(band[-1], gutter)


def _crosses(part: Line, gutter: float) -> bool:
    return part.x0 < gutter < part.x1


def _find_gutter(parts: Sequence[Line]) -> float | None:
    """The place of the gutter that parts most of the height, and has running text on both sides."""
    if len(parts) < 2 * MIN_LINES:
        return None
    left, right = min(part.x0 for part in parts), max(part.x1 for part in parts)
    top, bottom = min(part.top for part in parts), max(part.bottom for part in parts)
    changes = [0] * (PLACES + 2)
    step, height = max((right - left) / PLACES, 0.1), max((bottom - top) / STRIPS, 0.1)
    for strip in _strips(parts, top, height):
        if len(strip) < 2:
            continue
        reach = strip[0].x1
        for part in strip[1:]:
            if part.x0 > reach:
                changes[min(int((reach - left) / step) + 1, PLACES)] += 1
                changes[min(int((part.x0 - left) / step) + 1, PLACES)] -= 1
            reach = max(reach, part.x1)
    votes = list(accumulate(changes))
    for at in _peaks(votes, MIN_STRIPS):
        if _parts_text(parts, left + at * step, right - left):
            return left + at * step
    return None


def _strips(parts: Sequence[Line], top: float, height: float) -> Iterator[list[Line]]:
    """Thin strips from top to bottom, each with the lines that it cuts, from left to right."""
    strips: dict[int, list[Line]] = {}
    for part in parts:
        middle = (part.top + part.bottom) / 2
        half = min(max(part.bottom - part.top, part.size), 1.1 * part.size) / 2
        for at in range(int((middle - half - top) / height), min(int((middle + half - top) / height), STRIPS) + 1):
            strips.setdefault(at, []).append(part)
    return (sorted(strip, key=lambda part: part.x0) for strip in strips.values())


def _peaks(votes: Sequence[int], least: int) -> list[int]:
    """The middles of the three highest plateaus."""
    found: list[tuple[int, int]] = []
    for level in sorted({vote for vote in votes if vote >= least}, reverse=True)[:12]:
        at = 0
        while at < len(votes):
            end = at
            while end < len(votes) and votes[end] >= level:
                end += 1
            if end > at:
                middle = (at + end - 1) // 2
                if not any(at <= other < end for _, other in found):
                    found.append((level, middle))
            at = max(end, at + 1)
        if len(found) >= 3:
            break
    return [middle for _, middle in found[:3]]


def _parts_text(parts: Sequence[Line], gutter: float, width: float) -> bool:
    """Whether running text stands on both sides, as in columns, and not short entries, as in tables.

    In the middle of a page one column of running text is enough: the other may hold a figure.
    """
    sides: list[list[Line]] = [[], []]
    for part in parts:
        if not _crosses(part, gutter):
            sides[part.x0 >= gutter].append(part)
    running = [_is_running_text(side, width, MIN_FILLED) for side in sides]
    if all(running) or not any(running):
        return all(running)
    widths = [max(part.x1 for part in side) - min(part.x0 for part in side) for side in sides if side]
    if len(widths) < 2 or min(widths) < MIN_LIKE_WIDTH * max(widths):
        return False
    return _is_running_text(sides[running.index(True)], width, MIN_FULL)


def _is_running_text(side: Sequence[Line], page_width: float, least: float) -> bool:
    if len(side) < MIN_LINES:
        return False
    width = max(part.x1 for part in side) - min(part.x0 for part in side)
    if width < MIN_COLUMN_SHARE * page_width:
        return False
    top, bottom = min(part.top for part in side), max(part.bottom for part in side)
    strips = list(_strips(side, top, max((bottom - top) / STRIPS, 0.1)))
    filled = median(sum(part.x1 - part.x0 for part in strip) for strip in strips)
    return (
        filled >= least * width and median(sum(len(part.text) for part in strip) for strip in strips) >= MIN_CHARACTERS
    )
