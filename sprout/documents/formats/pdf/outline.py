"""Outline of a PDF: bookmarks as headings on their pages, unless they are broken."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from sprout.documents.formats.pdf.pdfium import MAX_BOOKMARKS, OutlineItem
from sprout.learning.text.confusables import unaccented
from sprout.learning.text.normalization import folded, one_line

MAX_DEPTH = 6
MIN_SHARE_IN_ORDER = 0.8
MAX_TITLE_LINES = 3
MAX_TITLE = 300

_SLIDE_NUMBER = re.compile(  # all that a program for slides says of them
    r"(?i)(?:slide|folie|diapositiv[aeo]|slajd|dia|dian|snímek|slayt|слайд|page|seite|página|pagina)\s*"
    r"(?:(?:number|nummer|numéro|número|numero|numer|numarası|číslo|nr\.?) )?\d{1,4}[.:]?"
)


@dataclass(frozen=True, slots=True)
class Bookmark:
    """A title, how deep it stands, and the page that it leads to, counted from 0."""

    level: int
    title: str
    page: int


@dataclass(frozen=True, slots=True)
class MarkedTitle:
    """The lines from `start` to before `end` that are the title of a bookmark; it is not printed if both are equal."""

    bookmark: Bookmark
    start: int
    end: int


def usable_bookmarks(outline: Iterable[OutlineItem], pages: int) -> list[Bookmark]:
    """The bookmarks in the order of the pages; none where they are too many, or jump back and forth."""
    items = list(outline)
    marks = [
        Bookmark(min(item.level, MAX_DEPTH), title, item.page)
        for item in items
        if 0 <= item.page < pages and (title := one_line(item.title)[:MAX_TITLE]) and not _SLIDE_NUMBER.fullmatch(title)
    ]
    steps = list(pairwise(mark.page for mark in marks))
    if len(items) > MAX_BOOKMARKS or sum(before <= after for before, after in steps) < MIN_SHARE_IN_ORDER * len(steps):
        return []
    return sorted(marks, key=lambda mark: mark.page)


def find_titles(lines: Sequence[str], bookmarks: Sequence[Bookmark]) -> list[MarkedTitle]:
    """Places of the titles of a page's bookmarks among its lines.

    A bookmark without a line of its title stands above the page if it is the first: the title may be an image. Where
    bookmarks have lost their accents the title is as it is printed.
    """
    found: list[MarkedTitle] = []
    at = 0
    for number, mark in enumerate(bookmarks):
        place = _find_title(lines, at, _title_key(mark.title))
        if place is not None:
            printed = one_line(" ".join(lines[slice(*place)]))
            is_whole = _letters(folded(printed)) == _letters(folded(mark.title))
            found.append(MarkedTitle(mark if is_whole else replace(mark, title=printed), *place))
            at = place[1]
        elif number == 0:
            found.append(MarkedTitle(mark, 0, 0))
    return found


def _find_title(lines: Sequence[str], at: int, key: str) -> tuple[int, int] | None:
    for start in range(at, len(lines)):
        whole = ""
        for end in range(start, min(start + MAX_TITLE_LINES, len(lines))):
            if len(whole) > 2 * MAX_TITLE:
                break
            whole += lines[end]
            if _title_key(whole) == key:
                return start, end + 1
    return None


def _title_key(title: str) -> str:
    """The title for comparison: accents make no difference."""
    return _letters(unaccented(title))


def _letters(title: str) -> str:
    """Letters and digits of a title, without a leading number if it has letters."""
    letters = "".join(filter(str.isalnum, title))
    return letters.lstrip("0123456789") or letters
