"""Handouts: pages on each of which several slides are printed, with the number of each at the same place of it."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sprout.documents.formats.pdf.pdfium import PdfPage
from sprout.documents.formats.pdf.words import Word

GRIDS = ((1, 2), (2, 1), (1, 3), (2, 2), (2, 3), (3, 2), (2, 4), (3, 3))  # columns and rows of slides
LEAST_PLACES = 6  # for slides, in all
MOST_PAGES = 40  # that are looked at
MOST_DIGITS = 3
LEAST_NUMBERED = 0.7  # of all places for slides; the first slide often has no number, and the last page has free places
PLACES = 12  # across a slide; its number keeps to one of them


@dataclass(frozen=True, slots=True)
class Grid:
    """The columns and rows in which slides stand on a page, and whether a column is read before the next one."""

    columns: int
    rows: int
    by_column: bool = False

    @property
    def slides(self) -> int:
        """Slides on a page."""
        return self.columns * self.rows

    def place(self, word: Word, page: PdfPage) -> tuple[int, float, float]:
        """The slide that a word stands on, counted from 0 on its page, and where on it, each from 0 to 1."""
        x = self.columns * min(max((word.x0 + word.x1) / 2 / page.width, 0), 0.999)
        y = self.rows * min(max((word.top + word.bottom) / 2 / page.height, 0), 0.999)
        number = int(x) * self.rows + int(y) if self.by_column else int(y) * self.columns + int(x)
        return number, x % 1, y % 1


ONE_SLIDE = Grid(1, 1)


def grid_of(pages: Sequence[PdfPage]) -> Grid:
    """The grid whose slides are numbered one after the other, as the first pages show."""
    grids = [Grid(*size, by_column) for size in GRIDS for by_column in (False, True) if not by_column or 1 not in size]
    shares = [_numbered(pages[:MOST_PAGES], grid) for grid in grids]
    return grids[shares.index(max(shares))] if max(shares) >= LEAST_NUMBERED else ONE_SLIDE


def slides_of(page: PdfPage, grid: Grid) -> list[PdfPage]:
    """The slides on a page, in their order, each as a page of its own."""
    if grid == ONE_SLIDE:
        return [page]
    words: list[list[Word]] = [[] for _ in range(grid.slides)]
    for word in page.words:
        words[grid.place(word, page)[0]].append(word)
    width, height = page.width / grid.columns, page.height / grid.rows
    slides = [replace(page, width=width, height=height, words=tuple(these), sideways=()) for these in words]
    return [*slides[:-1], replace(slides[-1], sideways=page.sideways)]


def _numbered(pages: Sequence[PdfPage], grid: Grid) -> float:
    """The share of the places for slides that have the number of their slide, all at the same place of it."""
    places = grid.slides * len(pages)
    if places < LEAST_PLACES:
        return 0.0
    slides: defaultdict[tuple[int, int, float, int], set[int]] = defaultdict(set)
    for at, page in enumerate(pages):
        for word in page.words:
            if not (word.text.isdecimal() and len(word.text) <= MOST_DIGITS):
                continue
            on_page, x, y = grid.place(word, page)
            slide = at * grid.slides + on_page
            for shift in (0.0, 0.5):  # it may stand where two places meet
                key = (int(PLACES * x + shift), int(PLACES * y + shift), shift, int(word.text) - slide)
                slides[key].add(slide)
    return max(map(len, slides.values()), default=0) / places
