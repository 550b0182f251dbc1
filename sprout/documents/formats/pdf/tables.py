"""Tables of a printed page: rows and columns between ruled lines, or in clear columns of short entries."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import median

from sprout.documents.formats.pdf.drawings import Area, Drawings
from sprout.documents.formats.pdf.lines import Line, rows_of

SAME_PLACE = 4.0
MIN_WIDTH = 60.0
MAX_RULE_STEP = 90.0
MAX_AREAS, MAX_TALL_RULES = 60, 200
MAX_CROSSING = 0.3
MIN_GAP = 0.6  # of the size, between columns
MIN_CLEAR_GAP = 1.2
MAX_ENTRY, MAX_CLEAR_ENTRY = 160, 40
MAX_COLUMNS = 20
MIN_FILLED = 0.5
MIN_CLEAR_FILLED = 0.8
MIN_CLEAR_ROWS = 4
MAX_MATH = 0.3
BOLD = 0.6  # of the characters of a line
LINE_OF_TEXT = 22
MAX_LEADING = 2.6
_LEADER = re.compile(r"(?:\.\s?){4,}")
_LABEL = re.compile(r"\(?[A-Z]?\d+(?:[.\-–]\d+)*[a-z]?\)?")


@dataclass(frozen=True, slots=True)
class PrintedTable:
    """Rows of entries, the lines that they were made of, their place, and whether the first row is marked as a head."""

    rows: tuple[tuple[str, ...], ...]
    lines: tuple[Line, ...]
    area: Area
    header: bool


def find_tables(parts: Sequence[Line], drawings: Drawings) -> list[PrintedTable]:
    """The tables of a page; only those that are sure."""
    found: list[PrintedTable] = []
    left = list(parts)
    for area in _ruled_areas(drawings):
        inside = [
            part
            for part in left
            if area.holds(part.x0, part.top + 0.2 * part.size, part.x1, part.bottom - 0.3 * part.size)
        ]
        table = _ruled_table(inside, area, drawings)
        if table is not None:
            found.append(table)
            taken = set(map(id, inside))
            left = [part for part in left if id(part) not in taken]
    return found + list(_clear_tables(left))


def _ruled_areas(drawings: Drawings) -> list[Area]:
    """Areas between the first and the last of several horizontal rules of one width, the largest first."""
    rules = sorted(
        (rule for rule in (*drawings.horizontal, *_edges(drawings)) if rule.width >= MIN_WIDTH),
        key=lambda rule: (round(rule.x0 / SAME_PLACE), round(rule.x1 / SAME_PLACE), rule.top),
    )
    tall = [rule for rule in drawings.vertical if rule.height >= MAX_RULE_STEP - 2 * SAME_PLACE][:MAX_TALL_RULES]
    groups = [
        group
        for _, these in groupby(rules, key=lambda rule: (round(rule.x0 / SAME_PLACE), round(rule.x1 / SAME_PLACE)))
        for group in _near_rules(list(these), tall)
    ]
    areas = [_around(group) for group in groups if group[-1].bottom - group[0].top > 2 * SAME_PLACE]
    areas += _grids(drawings)
    return sorted(areas, key=lambda area: -area.width * area.height)[:MAX_AREAS]


def _near_rules(rules: Sequence[Area], tall: Sequence[Area]) -> Iterator[list[Area]]:
    """The rules in groups, parted where one is far from the next and no vertical rule leads to it."""
    group: list[Area] = []
    for rule in rules:
        if group and rule.top - group[-1].top > MAX_RULE_STEP and not _is_joined(group[-1], rule, tall):
            yield group
            group = []
        group.append(rule)
    if group:
        yield group


def _is_joined(above: Area, below: Area, tall: Sequence[Area]) -> bool:
    return any(
        rule.top <= above.top + SAME_PLACE and below.top - SAME_PLACE <= rule.bottom
        for rule in tall
        if above.x0 - SAME_PLACE <= rule.x0 <= above.x1 + SAME_PLACE
    )


def _edges(drawings: Drawings) -> Iterator[Area]:
    """The upper and lower edges of cells that are drawn as rectangles."""
    for box in drawings.boxes:
        if box.height < 60:
            yield Area(box.x0, box.top, box.x1, box.top)
            yield Area(box.x0, box.bottom, box.x1, box.bottom)


def _grids(drawings: Drawings) -> Iterator[Area]:
    """Areas of cells whose rules are drawn cell by cell: side by side, or one below the other."""
    cells = sorted(
        (rule for rule in drawings.horizontal if rule.width < 400), key=lambda rule: (round(rule.top), rule.x0)
    )
    whole: list[Area] = []
    for rule in cells:
        if whole and abs(whole[-1].top - rule.top) <= 1 and rule.x0 - whole[-1].x1 <= SAME_PLACE:
            whole[-1] = Area(whole[-1].x0, whole[-1].top, max(whole[-1].x1, rule.x1), whole[-1].bottom)
        else:
            whole.append(rule)
    whole.sort(key=lambda rule: (round(rule.x0 / SAME_PLACE), round(rule.x1 / SAME_PLACE), rule.top))
    for _, these in groupby(whole, key=lambda rule: (round(rule.x0 / SAME_PLACE), round(rule.x1 / SAME_PLACE))):
        group = list(these)
        if len(group) >= 3 and group[0].width >= MIN_WIDTH:
            yield _around(group)


def _around(rules: Sequence[Area]) -> Area:
    return Area(rules[0].x0, rules[0].top, max(rule.x1 for rule in rules), rules[-1].bottom)


def _ruled_table(inside: Sequence[Line], area: Area, drawings: Drawings) -> PrintedTable | None:
    if not inside:
        return None
    across = sorted({round(rule.top) for rule in (*drawings.horizontal, *_edges(drawings))
                     if area.holds(rule.x0, rule.top, rule.x1, rule.bottom, slack=SAME_PLACE)})  # fmt: skip
    bounds = _vertical_bounds(area, drawings)
    ruled = len(bounds) > 0
    if not ruled:
        if len(across) < 3:
            return None
        bounds = _gaps(rows_of(inside), MIN_GAP)
    bounds = [bound for bound in bounds if sum(_crosses(part, bound) for part in inside) <= MAX_CROSSING * len(inside)]
    if not 1 <= len(bounds) < MAX_COLUMNS:
        return None
    rows = _grid_rows(inside, bounds, across) if ruled and len(across) >= 4 else _text_rows(inside, bounds)
    longest = max(len(entry) for row in rows for entry in row)
    if len(rows) < 2 or longest > (4 * MAX_ENTRY if ruled else MAX_ENTRY) or _filled(rows) < MIN_FILLED:
        return None
    lines = rows_of(inside)
    between = [rule for rule in across if lines[0][0].base < rule < lines[-1][0].top]
    is_apart = len(lines) > 2 and len(between) == 1 and between[0] < lines[1][0].base
    return PrintedTable(tuple(rows), tuple(inside), area, is_apart or _is_bold_above(inside))


def _is_bold_above(lines: Sequence[Line]) -> bool:
    """Whether the first row of lines is in bold, and not all others are."""
    first, *others = rows_of(lines)
    bold = [all(line.fonts.bold >= BOLD for line in row) for row in others]
    return all(line.fonts.bold >= BOLD for line in first) and not all(bold)


def _crosses(part: Line, bound: float) -> bool:
    return part.x0 + 1 < bound < part.x1 - 1


def _vertical_bounds(area: Area, drawings: Drawings) -> list[float]:
    """The places of the vertical rules within the area, but for its own edges."""
    places: list[float] = []
    heights: dict[float, float] = {}
    edges = [Area(x, box.top, x, box.bottom) for box in drawings.boxes if box.height < 60 for x in (box.x0, box.x1)]
    for rule in sorted((*drawings.vertical, *edges), key=lambda rule: rule.x0):
        if not area.holds(rule.x0, rule.top, rule.x1, rule.bottom, slack=SAME_PLACE):
            continue
        if not places or rule.x0 - places[-1] > SAME_PLACE:
            places.append(rule.x0)
        heights[places[-1]] = heights.get(places[-1], 0) + rule.height
    inner = [x for x in places if area.x0 + SAME_PLACE < x < area.x1 - SAME_PLACE]
    return [x for x in inner if heights[x] >= 0.4 * area.height]


def _gaps(rows: Sequence[Sequence[Line]], least: float) -> list[float]:
    """The middles of the gaps that all rows of several entries leave free."""
    several = [row for row in rows if len(row) > 1]
    if not several:
        return []
    taken = sorted((part.x0, part.x1) for row in several for part in row)
    size = several[0][0].size
    found, reach = [], taken[0][1]
    for x0, x1 in taken[1:]:
        if x0 - reach > least * size:
            found.append((x0 + reach) / 2)
        reach = max(reach, x1)
    return found


def _grid_rows(inside: Sequence[Line], bounds: Sequence[float], across: Sequence[int]) -> list[tuple[str, ...]]:
    """One row between two horizontal rules."""
    rows: dict[int, list[Line]] = {}
    for part in inside:
        rows.setdefault(bisect_right(across, (part.top + part.bottom) / 2), []).append(part)
    return [_entries(rows[at], bounds) for at in sorted(rows)]


def _text_rows(inside: Sequence[Line], bounds: Sequence[float]) -> list[tuple[str, ...]]:
    """One row for each line of text; a line without a first entry continues the row above."""
    found: list[tuple[str, ...]] = []
    base = 0.0
    for row in rows_of(inside):
        entries = _entries(row, bounds)
        near = row[0].base - base < 1.5 * row[0].size
        if found and not entries[0] and near and sum(map(bool, entries)) <= len(entries) / 2:
            found[-1] = tuple(f"{above} {entry}".strip() for above, entry in zip(found[-1], entries, strict=True))
        else:
            found.append(entries)
        base = row[0].base
    return found


def _entries(parts: Sequence[Line], bounds: Sequence[float]) -> tuple[str, ...]:
    """The text in each column; a part that reaches over a bound is divided at it, between words."""
    columns: list[list[Line]] = [[] for _ in range(len(bounds) + 1)]
    for part in parts:
        at = bisect_right(bounds, part.x0 + 0.1)
        if at == bisect_right(bounds, part.x1 - 0.1):
            columns[at].append(part)
            continue
        places = ((bisect_right(bounds, (word.x0 + word.x1) / 2), word) for word in part.words)
        for place, words in groupby(places, key=lambda placed: placed[0]):
            columns[place].append(Line(tuple(word for _, word in words), part.page))
    return tuple(" ".join(line.text for row in rows_of(column) for line in row) for column in columns)


def _filled(rows: Sequence[Sequence[str]]) -> float:
    return sum(bool(entry) for row in rows for entry in row) / sum(len(row) for row in rows)


def _clear_tables(parts: Sequence[Line]) -> Iterator[PrintedTable]:
    """Tables without rules: neighbouring rows that leave the same wide gaps free."""
    run: list[list[Line]] = []
    for row in [*rows_of(parts), []]:
        near = bool(run) and bool(row) and row[0].base - run[-1][0].base < MAX_LEADING * row[0].size
        if len(row) > 1 and (near or not run):
            run.append(row)
            continue
        if (table := _clear_table(run)) is not None:
            yield table
        run = [row] if len(row) > 1 else []


def _clear_table(rows: Sequence[Sequence[Line]]) -> PrintedTable | None:
    if len(rows) < MIN_CLEAR_ROWS:
        return None
    bounds = _gaps(rows, MIN_CLEAR_GAP)
    if not 1 <= len(bounds) < MAX_COLUMNS:
        return None
    inside = [part for row in rows for part in row]
    entries = [_entries(row, bounds) for row in rows]
    lengths = sorted(len(entry) for row in entries for entry in row)
    if lengths[-1] > MAX_ENTRY or lengths[len(lengths) // 2] > MAX_CLEAR_ENTRY or _filled(entries) < MIN_CLEAR_FILLED:
        return None
    if _is_something_else(inside, entries):
        return None
    area = Area(min(part.x0 for part in inside), rows[0][0].top, max(part.x1 for part in inside), rows[-1][0].bottom)
    return PrintedTable(tuple(entries), tuple(inside), area, _is_bold_above(inside))


def _is_something_else(inside: Sequence[Line], entries: Sequence[Sequence[str]]) -> bool:
    """Whether it is running text, a contents list, formulas with their numbers, or a program."""
    if any(_LEADER.search(part.text) for part in inside):
        return True
    texts = [entry for row in entries for entry in row if entry]
    if any(median(len(row[at]) for row in entries) > MAX_CLEAR_ENTRY for at in range(len(entries[0]))):
        return True
    if sum(len(entry) >= LINE_OF_TEXT for entry in texts) > 0.5 * len(texts):  # columns of running text
        return True
    if sum(part.fonts.math + part.fonts.mono > MAX_MATH for part in inside) > MAX_MATH * len(inside):
        return True
    edges = [[row[at] for row in entries] for at in (0, -1)]
    if any(sum(bool(_LABEL.fullmatch(entry.rstrip("."))) for entry in edge) > 0.7 * len(edge) for edge in edges):
        return len(entries[0]) == 2
    return all(len(entry) <= 2 for entry in edges[0])
