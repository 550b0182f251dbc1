"""Writer of the extracted text: Markdown-like blocks, with the offset of each page."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sprout.documents.failures import UnreadableReason, unreadable
from sprout.documents.limits import ReadingLimits
from sprout.learning.text.normalization import one_line, tidy

MAX_HEADING_LEVEL = 6
MAX_LIST_DEPTH = 6
_MARKDOWN_SYNTAX = re.compile(r"^( {0,3})(?=#{1,6}(?:[ \t]|$)|`{3}|~{3}|=+[ \t]*$|-{2,}[ \t]*$)", re.MULTILINE)
_FENCES = re.compile(r"`{3,}")


@dataclass(frozen=True, slots=True)
class DocumentText:
    """The text of a file.

    Args:
        page_starts: the offset of each page in the text; empty without pages.
        unread_pages: those that could not be read, counted from 1; the text has nothing of them.
    """

    text: str
    page_starts: tuple[int, ...] = ()
    unread_pages: tuple[int, ...] = ()


class MarkdownWriter:
    """Writes one block after another. Raises UnreadableDocument beyond the limits of pages and characters."""

    def __init__(self, limits: ReadingLimits) -> None:
        self._limits = limits
        self._parts: list[str] = []
        self._length = 0
        self._page_starts: list[int] = []
        self._pending_pages = 0

    def begin_page(self) -> None:
        """Begin the next page."""
        self._pending_pages += 1
        if len(self._page_starts) + self._pending_pages > self._limits.pages:
            raise unreadable(UnreadableReason.TOO_MANY_PAGES)

    def write_heading(self, level: int, title: str) -> None:
        """A heading; nothing where the title is empty."""
        if line := one_line(title):
            self._append(f"{'#' * min(max(level, 1), MAX_HEADING_LEVEL)} {line}")

    def write_paragraph(self, text: str, *, separator: str = "\n\n") -> None:
        """A paragraph, with Markdown syntax at the start of its lines escaped.

        Args:
            separator: between it and the previous block; less than an empty line continues that block.
        """
        self._append(escape_markdown(text), separator)

    def write_list_item(self, text: str, *, depth: int = 0, marker: str = "-", first: bool = True) -> None:
        """An item of a list; the `first` one stands apart from what went before."""
        if line := one_line(text):
            self._append(f"{'  ' * min(depth, MAX_LIST_DEPTH)}{marker} {line}", "\n\n" if first else "\n")

    def write_quote(self, text: str) -> None:
        """Blocks of Markdown, such as those of a box, as a block quote."""
        self._append("\n".join(f"> {line}".rstrip() for line in text.splitlines()))

    def write_code(self, text: str) -> None:
        """Fenced code."""
        code = tidy(f"|{text.strip(chr(10))}")[1:].rstrip()
        if code.strip():
            longest = max((len(found) for found in _FENCES.findall(code)), default=2)
            fence = "`" * (longest + 1)
            self._append(f"{fence}\n{code}\n{fence}")

    def write_table(self, rows: Iterable[Sequence[str]]) -> None:
        """Rows of cells, the first of them the head; rows without any text are left out."""
        lines = []
        for row in rows:
            cells = [one_line(cell).replace("|", "\\|") for cell in row]
            if any(cells):
                lines.append(f"| {' | '.join(cells)} |")
                if len(lines) == 1:
                    lines.append(f"|{' --- |' * len(cells)}")
        self._append("\n".join(lines))

    def finish(self, *, unread_pages: Sequence[int] = ()) -> DocumentText:
        """The whole text. Raises UnreadableDocument if it is empty."""
        if not self._parts:
            raise unreadable(UnreadableReason.EMPTY)
        self._begin_pending_pages()
        return DocumentText("".join(self._parts), tuple(self._page_starts), tuple(unread_pages))

    def _append(self, text: str, separator: str = "\n\n") -> None:
        if not text:
            return
        if self._parts:
            self._parts.append(separator)
            self._length += len(separator)
        self._begin_pending_pages()
        self._parts.append(text)
        self._length += len(text)
        if self._length > self._limits.characters:
            raise unreadable(UnreadableReason.TOO_MUCH_TEXT)

    def _begin_pending_pages(self) -> None:
        self._page_starts += [self._length] * self._pending_pages
        self._pending_pages = 0


def escape_markdown(text: str) -> str:
    """The tidied text, with accidental headings, fences and rules of Markdown escaped."""
    return _MARKDOWN_SYNTAX.sub(r"\1\\", tidy(text))
