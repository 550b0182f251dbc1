"""Lines of a printed page: words on one baseline, with their superscripts and subscripts."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from sprout.documents.formats.pdf.words import (
    Word,
    in_reading_order,
    is_apart,
    join_accents,
    join_spaced_letters,
    raise_or_lower,
)

SAME_BASE = 0.22  # of the size
SEGMENT_GAP = 0.95  # of the size; a space of justified text is narrower
SMALL = 0.86
MAX_SCRIPT_CHARACTERS = 14
MAX_SCRIPT_OFFSET = 0.75
MAX_SCRIPT_GAP = 0.35
NEIGHBOUR_ROWS = 3
MAX_SEGMENTS = 3_000  # beyond them a page is a drawing

_TYPED_RULE = re.compile(r"(?:[-–—_=*~] ?){12,}")


@dataclass(frozen=True, slots=True)
class FontShares:
    """Shares of the characters of a line, from 0 to 1."""

    bold: float
    mono: float
    math: float


@dataclass(frozen=True)
class Line:
    """Words of one line or of a part of it, from left to right.

    Args:
        page: the page, counted from 0.
        content: a table, a box or the like in the place of words; its place is that of the one empty word.
    """

    words: tuple[Word, ...]
    page: int = 0
    content: object = None

    @cached_property
    def x0(self) -> float:
        return min(word.x0 for word in self.words)

    @cached_property
    def x1(self) -> float:
        return max(word.x1 for word in self.words)

    @cached_property
    def top(self) -> float:
        return min(word.top for word in self.words)

    @cached_property
    def bottom(self) -> float:
        return max(word.bottom for word in self.words)

    @cached_property
    def size(self) -> float:
        """The size of most characters."""
        found: Counter[float] = Counter()
        for word in self.words:
            found[word.size] += len(word.text)
        return found.most_common(1)[0][0]

    @cached_property
    def base(self) -> float:
        return next(word.base for word in self.words if word.size == self.size)

    @cached_property
    def reading(self) -> tuple[Word, ...]:
        """The words in the order in which they are read, with their scripts as small digits."""
        raised = [raise_or_lower(word, self.base, self.size) for word in self.words]
        return tuple(in_reading_order(join_spaced_letters(join_accents(raised))))

    @cached_property
    def text(self) -> str:
        """The words as they are read."""
        parts = [self.reading[0].text]
        for before, word in pairwise(self.reading):
            parts += [" ", word.text] if is_apart(before, word) else [word.text]
        return "".join(parts)

    @cached_property
    def fonts(self) -> FontShares:
        """The shares of its characters in each kind of font."""
        total = bold = mono = math = 0
        for word in self.words:
            length, font = len(word.text), word.font
            total += length
            bold += length * font.bold
            mono += length * font.mono
            math += length * font.math
        return FontShares(bold / total, mono / total, math / total)


def find_rows(words: Iterable[Word], page: int = 0) -> list[list[Line]]:
    """The rows of a page from top to bottom: on one baseline, parted where the gaps are wide; none of dashes alone."""
    rows: list[list[Word]] = []
    base = size = 0.0
    for word in sorted(words, key=lambda word: word.base):
        if rows and word.base - base <= SAME_BASE * min(word.size, size):
            rows[-1].append(word)
            size = max(size, word.size)
        else:
            rows.append([word])
            base, size = word.base, word.size
    segments = [[Line(tuple(part), page) for part in _split(row)] for row in rows if not _is_typed_rule(row)]
    if sum(len(row) for row in segments) > MAX_SEGMENTS:
        return segments
    return _attach_scripts(segments)


def _is_typed_rule(row: Sequence[Word]) -> bool:
    return _TYPED_RULE.fullmatch(" ".join(word.text for word in row)) is not None


def _split(row: list[Word]) -> list[list[Word]]:
    row.sort(key=lambda word: word.x0)
    parts = [[row[0]]]
    reach = row[0].x1
    for word in row[1:]:
        if word.x0 - reach > SEGMENT_GAP * max(word.size, parts[-1][-1].size):
            parts.append([])
        parts[-1].append(word)
        reach = max(reach, word.x1)
    return parts


def _attach_scripts(rows: list[list[Line]]) -> list[list[Line]]:
    """The rows, with superscripts and subscripts in the lines that they belong to."""
    for at, row in enumerate(rows):
        for index, line in enumerate(row):
            if sum(len(word.text) for word in line.words) > MAX_SCRIPT_CHARACTERS:
                continue
            home = _home_of(line, rows, at)
            if home is None:
                continue
            there, where = home
            words = sorted((*rows[there][where].words, *line.words), key=lambda word: word.x0)
            rows[there][where] = Line(tuple(words), line.page)
            row[index] = Line(())
    kept = [[line for line in row if line.words] for row in rows]
    return [row for row in kept if row]


def _home_of(script: Line, rows: Sequence[Sequence[Line]], at: int) -> tuple[int, int] | None:
    """The row and the place in it of the line that the script stands at; None for a line of its own."""
    found: list[tuple[float, int, int]] = []
    for there in range(max(at - NEIGHBOUR_ROWS, 0), min(at + NEIGHBOUR_ROWS + 1, len(rows))):
        if there == at:
            continue
        for where, line in enumerate(rows[there]):
            if not line.words or script.size > SMALL * line.size:
                continue
            offset = abs(script.base - line.base) / line.size
            if offset <= MAX_SCRIPT_OFFSET and _touches(script, line):
                found.append((offset, there, where))
    return min(found)[1:] if found else None


def _touches(script: Line, line: Line) -> bool:
    reach = MAX_SCRIPT_GAP * line.size
    return any(
        word.x0 - reach <= script.x0 <= word.x1 + reach or -reach <= word.x0 - script.x1 <= reach for word in line.words
    )


def join_row(parts: Sequence[Line]) -> list[Line]:
    """The parts of one row as one line, beside what is no text."""
    texts = [part for part in parts if part.content is None]
    others = [part for part in parts if part.content is not None]
    if len(texts) < 2:
        return [*texts, *others]
    words = sorted((word for part in texts for word in part.words), key=lambda word: word.x0)
    return [Line(tuple(words), texts[0].page), *others]


def rows_of(parts: Iterable[Line]) -> list[list[Line]]:
    """The lines in rows again, after some were taken out."""
    rows: list[list[Line]] = []
    for part in sorted(parts, key=lambda part: (part.base, part.x0)):
        if rows and part.base - rows[-1][0].base <= SAME_BASE * min(part.size, rows[-1][0].size):
            rows[-1].append(part)
        else:
            rows.append([part])
    return [sorted(row, key=lambda part: part.x0) for row in rows]
