"""The outline of a PDF as headings on its pages, where it is sane."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from pypdf import PdfReader
from pypdf.generic import Destination

from sprout.learning.text.words import folded, one_line

MOST = 5_000
DEEPEST = 6
IN_ORDER = 0.8
MOST_LINES = 3
MAX_TITLE = 300


@dataclass(frozen=True, slots=True)
class Mark:
    """A title, how deep it stands, and the page that it leads to, counted from 0."""

    level: int
    title: str
    page: int


def marks_of(reader: PdfReader, pages: int) -> list[Mark]:
    """The bookmarks in the order of the pages; none where they are broken, too many, or jump back and forth."""
    try:
        marks = list(_marks(reader, reader.outline))
    except Exception:  # noqa: BLE001 - an outline is a help, and pypdf raises whatever a broken one leads to
        return []
    marks = [mark for mark in marks if 0 <= mark.page < pages]
    steps = list(pairwise(mark.page for mark in marks))
    if len(marks) > MOST or sum(before <= after for before, after in steps) < IN_ORDER * len(steps):
        return []
    return sorted(marks, key=lambda mark: mark.page)


def _marks(reader: PdfReader, items: Sequence[Any], level: int = 1) -> Iterator[Mark]:
    for item in items:
        if isinstance(item, list):
            yield from _marks(reader, item, min(level + 1, DEEPEST))
        elif isinstance(item, Destination):
            title, page = one_line(str(item.title or ""))[:MAX_TITLE], reader.get_destination_page_number(item)
            if title and page is not None:
                yield Mark(level, title, page)


@dataclass(frozen=True, slots=True)
class Stretch:
    """Lines of a page, and the heading above them."""

    mark: Mark | None
    lines: list[str]


def under_marks(lines: list[str], marks: Sequence[Mark]) -> list[Stretch]:
    """The lines of a page under its headings, whose own lines are taken out.

    A mark that no line of the page says stands above all of it, if it is the first: a title may be a picture.
    """
    stretches = [Stretch(None, [])]
    at = 0
    for number, mark in enumerate(marks):
        found = _found(lines, at, _key(mark.title))
        if found is None:
            if number == 0:
                stretches.append(Stretch(mark, []))
            continue
        start, end = found
        stretches[-1].lines.extend(lines[at:start])
        stretches.append(Stretch(mark, []))
        at = end
    stretches[-1].lines.extend(lines[at:])
    return stretches


def _found(lines: Sequence[str], at: int, key: str) -> tuple[int, int] | None:
    for start in range(at, len(lines)):
        whole = ""
        for end in range(start, min(start + MOST_LINES, len(lines))):
            whole += lines[end]
            if _key(whole) == key:
                return start, end + 1
    return None


def _key(title: str) -> str:
    """What two spellings of a title have in common: its letters, without a number before them where it has others."""
    letters = "".join(c for c in folded(title) if c.isalnum())
    return letters.lstrip("0123456789") or letters
