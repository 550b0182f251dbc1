"""Outline of a PDF: bookmarks as headings on their pages, unless they are broken."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from pypdf import PdfReader
from pypdf.generic import Destination

from sprout.learning.text.normalization import folded, one_line

MAX_BOOKMARKS = 5_000
MAX_DEPTH = 6
MIN_SHARE_IN_ORDER = 0.8
MAX_TITLE_LINES = 3
MAX_TITLE = 300


@dataclass(frozen=True, slots=True)
class Bookmark:
    """A title, how deep it stands, and the page that it leads to, counted from 0."""

    level: int
    title: str
    page: int


def read_bookmarks(reader: PdfReader, pages: int) -> list[Bookmark]:
    """The bookmarks in the order of the pages; none where they are broken, too many, or jump back and forth."""
    try:
        marks = list(_walk_outline(reader, reader.outline))
    except Exception:  # noqa: BLE001 - an outline is a help, and pypdf raises whatever a broken one leads to
        return []
    marks = [mark for mark in marks if 0 <= mark.page < pages]
    steps = list(pairwise(mark.page for mark in marks))
    if len(marks) > MAX_BOOKMARKS or sum(before <= after for before, after in steps) < MIN_SHARE_IN_ORDER * len(steps):
        return []
    return sorted(marks, key=lambda mark: mark.page)


def _walk_outline(reader: PdfReader, items: Sequence[Any], level: int = 1) -> Iterator[Bookmark]:
    for item in items:
        if isinstance(item, list):
            yield from _walk_outline(reader, item, min(level + 1, MAX_DEPTH))
        elif isinstance(item, Destination):
            title, page = one_line(str(item.title or ""))[:MAX_TITLE], reader.get_destination_page_number(item)
            if title and page is not None:
                yield Bookmark(level, title, page)


@dataclass(frozen=True, slots=True)
class BookmarkSection:
    """Lines of a page, and the heading above them."""

    bookmark: Bookmark | None
    lines: list[str]


def split_by_bookmarks(lines: list[str], bookmarks: Sequence[Bookmark]) -> list[BookmarkSection]:
    """The lines of a page under its headings, whose own lines are taken out.

    A bookmark without a line of its title stands above the page if it is the first: the title may be an image.
    """
    sections = [BookmarkSection(None, [])]
    at = 0
    for number, mark in enumerate(bookmarks):
        found = _find_title(lines, at, _title_key(mark.title))
        if found is None:
            if number == 0:
                sections.append(BookmarkSection(mark, []))
            continue
        start, end = found
        sections[-1].lines.extend(lines[at:start])
        sections.append(BookmarkSection(mark, []))
        at = end
    sections[-1].lines.extend(lines[at:])
    return sections


def _find_title(lines: Sequence[str], at: int, key: str) -> tuple[int, int] | None:
    for start in range(at, len(lines)):
        whole = ""
        for end in range(start, min(start + MAX_TITLE_LINES, len(lines))):
            whole += lines[end]
            if _title_key(whole) == key:
                return start, end + 1
    return None


def _title_key(title: str) -> str:
    """The title for comparison: its letters and digits, without a leading number if it has letters."""
    letters = "".join(c for c in folded(title) if c.isalnum())
    return letters.lstrip("0123456789") or letters
