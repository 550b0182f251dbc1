"""Running headers and footers: lines that repeat on most pages, such as chapter titles and page numbers."""

import re
from collections import Counter
from collections.abc import Sequence

MAX_LINES = 3
MIN_PAGES = 4
MIN_PAGE_SHARE = 0.6
MAX_CHARACTERS = 120
_NUMBER = re.compile(r"\d+|(?<!\w)[ivxlc]+(?!\w)", re.IGNORECASE)
_SPACE = re.compile(r"\s+")

Lines = list[str]


def strip_running_headers(pages: Sequence[Lines]) -> list[Lines]:
    """The lines of each page without those that repeat, numbers apart, at its top or bottom.

    A line is removed if at least four pages and most of all, of the left or of the right pages have it.
    """
    remaining = [[line for line in page if line.strip()] for page in pages]
    for edge in (0, -1):
        for _ in range(MAX_LINES):
            running = _repeated_shapes(remaining, edge)
            if not running:
                break
            for number, page in enumerate(remaining):
                if page and (number % 2, _shape(page[edge])) in running:
                    del page[edge]
    return remaining


def _repeated_shapes(pages: Sequence[Lines], edge: int) -> set[tuple[int, str]]:
    """The shapes that repeat at the edge, each with the side whose pages have it."""
    found: set[tuple[int, str]] = set()
    sides = [[_shape(page[edge]) for page in pages[side::2] if page] for side in (0, 1)]
    total = sum(len(shapes) for shapes in sides)
    for shape, count in Counter(shape for shapes in sides for shape in shapes).items():
        if shape and count >= MIN_PAGES and count >= MIN_PAGE_SHARE * total:
            found |= {(0, shape), (1, shape)}
    for side, shapes in enumerate(sides):
        for shape, count in Counter(shapes).items():
            if shape and count >= MIN_PAGES and count >= MIN_PAGE_SHARE * len(shapes):
                found.add((side, shape))
    return found


def _shape(line: str) -> str:
    """The line with every number alike; empty for one that is too long to run."""
    return "" if len(line) > MAX_CHARACTERS else _SPACE.sub(" ", _NUMBER.sub("#", line)).strip().casefold()
