"""The lines that stand on most pages, above or below their text: titles of chapters, names, page numbers."""

import re
from collections import Counter
from collections.abc import Sequence

MOST_LINES = 3
LEAST_PAGES = 4
SHARE = 0.6
MAX_CHARACTERS = 120
_NUMBER = re.compile(r"\d+|(?<!\w)[ivxlc]+(?!\w)", re.IGNORECASE)
_SPACE = re.compile(r"\s+")

Lines = list[str]


def without_running_lines(pages: Sequence[Lines]) -> list[Lines]:
    """The lines of each page without those that repeat, numbers apart, at its top or bottom.

    A line goes where most of all pages have it, or most of the left or of the right ones, and at least four.
    """
    kept = [[line for line in page if line.strip()] for page in pages]
    for edge in (0, -1):
        for _ in range(MOST_LINES):
            running = _running(kept, edge)
            if not running:
                break
            for number, page in enumerate(kept):
                if page and (number % 2, _shape(page[edge])) in running:
                    del page[edge]
    return kept


def _running(pages: Sequence[Lines], edge: int) -> set[tuple[int, str]]:
    """The shapes that repeat at the edge, each with the side whose pages have it."""
    found: set[tuple[int, str]] = set()
    sides = [[_shape(page[edge]) for page in pages[side::2] if page] for side in (0, 1)]
    total = sum(len(shapes) for shapes in sides)
    for shape, count in Counter(shape for shapes in sides for shape in shapes).items():
        if shape and count >= LEAST_PAGES and count >= SHARE * total:
            found |= {(0, shape), (1, shape)}
    for side, shapes in enumerate(sides):
        for shape, count in Counter(shapes).items():
            if shape and count >= LEAST_PAGES and count >= SHARE * len(shapes):
                found.add((side, shape))
    return found


def _shape(line: str) -> str:
    """The line with every number alike; empty for one that is too long to run."""
    return "" if len(line) > MAX_CHARACTERS else _SPACE.sub(" ", _NUMBER.sub("#", line)).strip().casefold()
