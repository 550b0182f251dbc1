"""Writer of the extracted text: Markdown blocks, with the offset of each page.

The dialect is CommonMark with tables, formulas between dollars, definition lists and footnotes. A box is a quote. A
caption that begins with its number ("Figure 3: …", "Abb. 2 …") is a paragraph; another short one of words alone, or
the description of a picture, is a picture without an address: `![…]()`. A link is its words.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from sprout.documents.failures import UnreadableReason, unreadable
from sprout.documents.formats.formulas.latex import clean_latex
from sprout.documents.formats.markdown_inline import (
    cell_markdown,
    escape_line_start,
    heading_markdown,
    inline_markdown,
    lines_markdown,
)
from sprout.documents.formats.spans import Span, SpanKind, split_blocks, split_lines
from sprout.documents.limits import ReadingLimits
from sprout.learning.text.normalization import one_line, tidy

MAX_HEADING_LEVEL = 6
MAX_NESTING = 6
MAX_DESCRIPTION = 200
_MARKDOWN_SYNTAX = re.compile(r"^( {0,3})(?=#{1,6}(?:[ \t]|$)|`{3}|~{3}|=+[ \t]*$|-{2,}[ \t]*$)", re.MULTILINE)
_FENCES = re.compile(r"`{3,}")
_LANGUAGE = re.compile(r"[A-Za-z][A-Za-z0-9+#_.-]{0,29}")
_NUMBERED_CAPTION = re.compile(
    r"[^\W\d_]{2,12}\.?\s*(?:\d|[IVXLA-Z]\.?\d?)[\w.\-–]{0,8}(?=[\s:.\-–—)]|$)|[图圖図表]\s*\d"
)


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


@dataclass(slots=True)
class _Container:
    """A block that holds blocks, by the prefixes of its lines."""

    first: str
    rest: str
    tight: bool = False
    begun: bool = False


class MarkdownWriter:
    """Writes one block after another. Raises UnreadableDocument beyond the limits of pages and characters."""

    def __init__(self, limits: ReadingLimits) -> None:
        self._limits = limits
        self._parts: list[str] = []
        self._length = 0
        self._page_starts: list[int] = []
        self._pending_pages = 0
        self._containers: list[_Container] = []

    def begin_page(self) -> None:
        """Begin the next page."""
        self._pending_pages += 1
        if len(self._page_starts) + self._pending_pages > self._limits.pages:
            raise unreadable(UnreadableReason.TOO_MANY_PAGES)

    def write_heading(self, level: int, title: str) -> None:
        """A heading of plain text; nothing where the title is empty."""
        self.write_heading_spans(level, [Span(title)])

    def write_heading_spans(self, level: int, spans: Iterable[Span]) -> None:
        """A heading; within a container it is a strong paragraph, since it begins no section."""
        found = list(spans)
        if self._containers:
            self._append(cell_markdown([Span(span.text, span.kind, True, span.emphasis) for span in found]))
        elif title := heading_markdown(found):
            self._append(f"{'#' * min(max(level, 1), MAX_HEADING_LEVEL)} {title}")

    def write_paragraph(self, text: str, *, separator: str = "\n\n") -> None:
        """A paragraph of plain text, with Markdown syntax at the start of its lines escaped.

        Args:
            separator: between it and the previous block; less than an empty line continues that block.
        """
        self._append(escape_markdown(text), separator)

    def write_spans(self, spans: Iterable[Span]) -> None:
        """Paragraphs; a formula that is all of one is displayed."""
        for block in split_blocks(spans):
            lines = split_lines(block)
            if len(lines) == len(lines[0]) == 1 and lines[0][0].kind in (SpanKind.DISPLAY_FORMULA, SpanKind.FORMULA):
                self.write_formula(lines[0][0].text)
            else:
                self._append(lines_markdown(lines))

    def write_markdown(self, text: str) -> None:
        """Blocks that are Markdown already, as they are."""
        self._append(text)

    def write_formula(self, latex: str) -> None:
        """A displayed formula."""
        if line := clean_latex(latex):
            self._append(f"$${line}$$")

    def write_caption(self, spans: Iterable[Span]) -> None:
        """The caption of a figure, as it stands or as a picture's description."""
        found = list(spans)
        text = one_line("".join(span.text for span in found if span.kind not in (SpanKind.NOTE, SpanKind.PICTURE)))
        only_words = all(span.kind in (SpanKind.TEXT, SpanKind.BREAK) for span in found)
        if _NUMBERED_CAPTION.match(text) or not only_words or len(text) > MAX_DESCRIPTION:
            self.write_spans(found)
        elif text:
            self._append(cell_markdown([Span(text, SpanKind.PICTURE)]))

    def write_code(self, text: str, *, language: str = "") -> None:
        """Fenced code.

        Args:
            language: as highlighters name it; left out where it is no single word.
        """
        code = tidy(f"|{text.strip(chr(10))}")[1:].rstrip()
        if code.strip():
            longest = max((len(found) for found in _FENCES.findall(code)), default=2)
            fence = "`" * (longest + 1)
            info = language if _LANGUAGE.fullmatch(language) else ""
            self._append(f"{fence}{info}\n{code}\n{fence}")

    def write_table(self, rows: Iterable[Iterable[str | Sequence[Span]]], *, header: bool = True) -> None:
        """Rows of cells; rows without any text are left out, and a title over all columns stands before the table.

        Args:
            header: whether the first row is the head; without one the head is empty.
        """
        found = [cells for row in rows if any(cells := [_cell(cell) for cell in row])]
        width = max(map(len, found), default=0)
        if not found:
            return
        while len(found) > 2 and width > 1 and len(found[0]) == width and not any(found[0][1:]):
            self._append(escape_line_start(found.pop(0)[0]))
        if not header:
            found.insert(0, [])
        found[0] += [""] * (width - len(found[0]))  # a reader drops the cells beyond the head's
        lines = [f"| {' | '.join(cells)} |" for cells in found]
        self._append("\n".join([lines[0], f"|{' --- |' * width}", *lines[1:]]))

    def write_term(self, spans: Iterable[Span]) -> None:
        """The term of a definition, which follows in `definition`."""
        self._append(inline_markdown([Span(" ") if span.kind == SpanKind.BREAK else span for span in spans]))

    @contextmanager
    def definition(self) -> Iterator[None]:
        """Blocks that say what the term before them means."""
        with self._container(_Container(": ", "  ", tight=True)):
            yield

    @contextmanager
    def quote(self) -> Iterator[None]:
        """Blocks of a box or a quotation."""
        with self._container(_Container("> ", "> ")):
            yield

    @contextmanager
    def note(self, label: str) -> Iterator[None]:
        """Blocks of a footnote."""
        with self._container(_Container(f"[^{label}]: ", "    ")):
            yield

    @property
    def depth(self) -> int:
        """The number of containers around the next block."""
        return len(self._containers)

    def begin_item(self, marker: str = "-", *, first: bool = True) -> None:
        """Begin an item, which lasts until `end_items`.

        Args:
            first: whether it stands apart from what went before, as the first of a list does.
        """
        self._containers.append(_Container(f"{marker} ", " " * (len(marker) + 1), tight=not first))

    def end_items(self, depth: int) -> None:
        """End the items that were begun where `depth` was this, and all within them."""
        del self._containers[depth:]

    def finish(self, *, unread_pages: Sequence[int] = ()) -> DocumentText:
        """The whole text. Raises UnreadableDocument if it is empty."""
        if not self._parts:
            raise unreadable(UnreadableReason.EMPTY)
        self._begin_pending_pages()
        return DocumentText("".join(self._parts), tuple(self._page_starts), tuple(unread_pages))

    @contextmanager
    def _container(self, container: _Container) -> Iterator[None]:
        depth = len(self._containers)
        self._containers.append(container)
        try:
            yield
        finally:
            del self._containers[depth:]

    def _nesting(self) -> list[_Container]:
        """The containers whose prefixes are written; of those that are nested deeper only the innermost."""
        if len(self._containers) <= MAX_NESTING:
            return self._containers
        return [*self._containers[: MAX_NESTING - 1], self._containers[-1]]

    def _append(self, text: str, separator: str = "\n\n") -> None:
        if not text:
            return
        nesting = self._nesting()
        if nesting:
            separator = _separator(nesting, separator)
            text = _indented(text, nesting)
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


def _cell(content: str | Sequence[Span]) -> str:
    return cell_markdown([Span(content)] if isinstance(content, str) else content).replace("|", "\\|")


def _separator(nesting: Sequence[_Container], separator: str) -> str:
    """Separator between the previous block and the next one, with the prefixes of the containers around both."""
    new = next((container for container in nesting if not container.begun), None)
    around = "".join(container.rest for container in nesting if container.begun).rstrip()
    if new is not None and new.tight:
        return "\n"
    return separator.replace("\n\n", f"\n{around}\n")


def _indented(text: str, nesting: Sequence[_Container]) -> str:
    """The block's lines behind the prefixes of its containers, which have begun from then on."""
    rest = "".join(container.rest for container in nesting)
    lines = text.split("\n")
    first = "".join(container.rest if container.begun else container.first for container in nesting)
    for container in nesting:
        container.begun = True
    return "\n".join([f"{first}{lines[0]}", *(f"{rest}{line}".rstrip() for line in lines[1:])])


def escape_markdown(text: str) -> str:
    """The tidied text, with accidental headings, fences and rules of Markdown escaped."""
    return _MARKDOWN_SYNTAX.sub(r"\1\\", tidy(text))
