"""The text of a file as it is written down: Markdown-like blocks, and where each page begins."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sprout.documents.limits import ReadingLimits
from sprout.documents.reasons import Reason, unreadable
from sprout.learning.text.words import one_line, tidy

DEEPEST_HEADING = 6
DEEPEST_LIST = 6
_MEANS_MORE = re.compile(r"^( {0,3})(?=#{1,6}(?:[ \t]|$)|`{3}|~{3}|=+[ \t]*$|-{2,}[ \t]*$)", re.MULTILINE)
_FENCES = re.compile(r"`{3,}")


@dataclass(frozen=True, slots=True)
class Draft:
    """What a file says.

    Args:
        page_starts: where each page begins in the text; empty where there are no pages.
        unread: the pages that could not be read, counted from 1; nothing of them is in the text.
    """

    text: str
    page_starts: tuple[int, ...] = ()
    unread: tuple[int, ...] = ()


class Manuscript:
    """Takes down one block after another. Raises Unreadable beyond the limits of pages and characters."""

    def __init__(self, limits: ReadingLimits) -> None:
        self._limits = limits
        self._parts: list[str] = []
        self._length = 0
        self._page_starts: list[int] = []
        self._pages_due = 0

    def begin_page(self) -> None:
        """What is taken down from here on is on the next page."""
        self._pages_due += 1
        if len(self._page_starts) + self._pages_due > self._limits.pages:
            raise unreadable(Reason.TOO_MANY_PAGES)

    def heading(self, level: int, title: str) -> None:
        """A heading; nothing where the title is empty."""
        if line := one_line(title):
            self._put(f"{'#' * min(max(level, 1), DEEPEST_HEADING)} {line}")

    def paragraph(self, text: str, *, joint: str = "\n\n") -> None:
        """Text as it is: what would mean something in Markdown at the start of a line is made plain.

        Args:
            joint: what parts it from what went before: less than an empty line where it goes on with it.
        """
        self._put(plain(text), joint)

    def item(self, text: str, *, depth: int = 0, mark: str = "-", first: bool = True) -> None:
        """An item of a list; the `first` one stands apart from what went before."""
        if line := one_line(text):
            self._put(f"{'  ' * min(depth, DEEPEST_LIST)}{mark} {line}", "\n\n" if first else "\n")

    def code(self, text: str) -> None:
        """Lines that are kept as they are."""
        kept = tidy(f"|{text.strip(chr(10))}")[1:].rstrip()
        if kept.strip():
            longest = max((len(found) for found in _FENCES.findall(kept)), default=2)
            fence = "`" * (longest + 1)
            self._put(f"{fence}\n{kept}\n{fence}")

    def table(self, rows: Iterable[Sequence[str]]) -> None:
        """Rows of cells, the first of them the head; rows without any text are left out."""
        lines = []
        for row in rows:
            cells = [one_line(cell).replace("|", "\\|") for cell in row]
            if any(cells):
                lines.append(f"| {' | '.join(cells)} |")
                if len(lines) == 1:
                    lines.append(f"|{' --- |' * len(cells)}")
        self._put("\n".join(lines))

    def finished(self, *, unread: Sequence[int] = ()) -> Draft:
        """The whole. Raises Unreadable where it has no text."""
        if not self._parts:
            raise unreadable(Reason.EMPTY)
        self._begin_due_pages()
        return Draft("".join(self._parts), tuple(self._page_starts), tuple(unread))

    def _put(self, text: str, joint: str = "\n\n") -> None:
        if not text:
            return
        if self._parts:
            self._parts.append(joint)
            self._length += len(joint)
        self._begin_due_pages()
        self._parts.append(text)
        self._length += len(text)
        if self._length > self._limits.characters:
            raise unreadable(Reason.TOO_MUCH_TEXT)

    def _begin_due_pages(self) -> None:
        self._page_starts += [self._length] * self._pages_due
        self._pages_due = 0


def plain(text: str) -> str:
    """The text made fit to keep, without headings, fences and rules of Markdown that it does not mean."""
    return _MEANS_MORE.sub(r"\1\\", tidy(text))
