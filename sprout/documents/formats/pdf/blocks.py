"""Blocks of a column: its lines as headings, paragraphs, items, code, captions, formulas, tables and boxes."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Literal

from sprout.documents.formats.pdf.columns import Column
from sprout.documents.formats.pdf.headings import CAPTION
from sprout.documents.formats.pdf.hyphenation import HYPHENATED, TAIL, ends_sentence
from sprout.documents.formats.pdf.inline import ADDRESS, render
from sprout.documents.formats.pdf.layout import Box
from sprout.documents.formats.pdf.lines import Line
from sprout.documents.formats.pdf.lists import ListDepths, Marker, find_marker
from sprout.documents.formats.pdf.tables import PrintedTable

MONO = 0.8
FORMULA = 0.45
PARAGRAPH_GAP = 1.3
USUAL_LEADING = 1.2
FIRST_LINE_INDENT = 0.7
SHORT_LINE = 0.8
FITS = 0.9
SAME_SIZE = 0.08
MAX_CODE_GAP = 2.6
_NOTE_START = re.compile(r"(?:[\d⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}|[*∗†‡§¶]{1,2})\s*[^\W\d_]")
_WIDE = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef]")
_LEADER = re.compile(r"(?:[.·]\s?){4,}\s*[\divxlc]+$")

Kind = Literal["heading", "text", "item", "code", "caption", "formula", "table", "box", "note"]


@dataclass(frozen=True, slots=True)
class Block:
    """A block of the document.

    Args:
        text: inline Markdown; of code and headings the plain text.
        level: of a heading from 1; the depth of an item from 0.
        marker: of an item.
        rows: of a table; header: whether the first one is its head.
        blocks: of a box.
    """

    kind: Kind
    text: str = ""
    level: int = 0
    marker: str = ""
    rows: tuple[tuple[str, ...], ...] = ()
    header: bool = False
    blocks: tuple["Block", ...] = ()


@dataclass(frozen=True, slots=True)
class PrintStyle:
    """Print style of the document.

    Args:
        words: its vocabulary.
        body_size: of the running text in points.
        typewriter: whether all of it is set in a monospaced font, which then says nothing.
        heading_at: the level and the title of a heading that begins with a line, and its number of lines; None for
            other lines.
    """

    words: frozenset[str]
    body_size: float
    typewriter: bool
    heading_at: Callable[[Line], tuple[int, str, int] | None]


def leading_of(column: Column) -> float:
    """The usual distance between the lines of a column, in points."""
    steps = [after.base - before.base for before, after in pairwise(column.lines)]
    steps = [step for step, line in zip(steps, column.lines, strict=False) if 0 < step < 2.2 * line.size]
    return median(steps) if steps else USUAL_LEADING * (column.lines[0].size if column.lines else 10)


def build_blocks(column: Column, style: PrintStyle) -> list[Block]:
    """The blocks of a column in order."""
    return list(_ColumnReader(column, style).read())


def build_notes(lines: Sequence[Line], style: PrintStyle) -> list[Block]:
    """Footnotes; each begins with its mark."""
    found: list[list[Line]] = []
    for line in lines:
        if not found or _NOTE_START.match(line.text):
            found.append([])
        found[-1].append(line)
    return [Block("note", render(these, style.words)) for these in found]


class _ColumnReader:
    """Reads the lines of one column, and gathers those of a block."""

    def __init__(self, column: Column, style: PrintStyle) -> None:
        self._column, self._style = column, style
        self._leading = leading_of(column)
        self._kind: Kind = "text"
        self._lines: list[Line] = []
        self._marker: Marker | None = None
        self._lists = ListDepths()
        self._depth = 0

    def read(self) -> Iterator[Block]:
        lines, at = self._column.lines, 0
        while at < len(lines):
            line = lines[at]
            heading = self._style.heading_at(line)
            if heading is not None:
                yield from self._close()
                self._lists.close()
                yield Block("heading", heading[1], heading[0])
                at += heading[2]
                continue
            if line.content is not None:
                yield from self._close()
                yield from self._content(line.content)
            else:
                yield from self._take(line, lines[at + 1] if at + 1 < len(lines) else None)
            at += 1
        yield from self._close()

    def _take(self, line: Line, following: Line | None) -> Iterator[Block]:
        item = self._item_start(line, following)
        if item is not None:
            yield from self._close()
            self._marker, rest = item
            self._kind, self._lines = "item", [rest]
            self._depth = self._lists.depth_of(self._marker)
            return
        kind = self._kind_of(line)
        if not self._lines or not self._goes_on(line, kind):
            yield from self._close()
            self._kind = kind
            if kind == "text" and not (self._marker and line.x0 > self._marker.x + 2):
                self._lists.close()
        self._lines.append(line)

    def _is_code(self, line: Line) -> bool:
        """Whether it is set in a typewriter's font; neither an address nor Chinese or Japanese."""
        if self._style.typewriter or line.fonts.mono < MONO:
            return False
        return not _WIDE.search(line.text) and not ADDRESS.search(line.text)

    def _kind_of(self, line: Line) -> Kind:
        if self._is_code(line):
            return "code"
        if CAPTION.match(line.text):
            return "caption"
        if line.fonts.math >= FORMULA and line.x0 > self._column.left + line.size:
            return "formula"
        return "text"

    def _item_start(self, line: Line, following: Line | None) -> tuple[Marker, Line] | None:
        if self._is_code(line):
            return None
        found = find_marker(line)
        if found is None:
            return None
        marker = found[0]
        if marker.number is None and not marker.prefix:
            return found if line.words[0].text not in "–—" or not self._is_inside_paragraph(line) else None
        if self._is_inside_paragraph(line):
            return None
        hangs = following is not None and abs(abs(following.x0) - abs(marker.text_x)) <= 3
        follows = (
            following is not None and (after := find_marker(following)) is not None and after[0].number is not None
        )
        starts = marker.number is not None and (marker.number == 1 or self._lists.expects(marker))
        return found if starts or hangs or follows or marker.prefix else None

    def _is_inside_paragraph(self, line: Line) -> bool:
        """Whether the line goes on with a sentence of the line before, which fills its own."""
        if not self._lines or self._kind not in ("text", "item"):
            return False
        last = self._lines[-1]
        near = 0 < line.base - last.base <= PARAGRAPH_GAP * self._leading
        return near and not ends_sentence(last.text) and last.x1 > self._column.right - 2 * last.size

    def _goes_on(self, line: Line, kind: Kind) -> bool:
        last = self._lines[-1]
        step = line.base - last.base
        if self._kind == "code" or kind == "code":
            return kind == self._kind and 0 <= step <= MAX_CODE_GAP * self._leading
        if not 0 <= step <= PARAGRAPH_GAP * self._leading:
            return self._kind == kind == "formula" and 0 <= step <= 2 * self._leading
        if kind == "formula" or self._kind == "formula":
            return kind == self._kind
        if kind == "caption" or abs(line.size - last.size) > SAME_SIZE * last.size + 0.3:
            return False
        if self._kind == "item":
            return self._item_goes_on(line, last)
        if _LEADER.search(last.text) or self._is_indented(line, last):
            return False
        return not self._ended(line, last)

    def _item_goes_on(self, line: Line, last: Line) -> bool:
        assert self._marker is not None
        hangs = abs(line.x0) > self._marker.x + 0.4 * line.size if self._marker.x >= 0 else True
        return hangs or not self._ended(line, last)

    def _is_indented(self, line: Line, last: Line) -> bool:
        """Whether the line begins a paragraph by its indent."""
        if line.reading[0].right_to_left:
            return last.x1 - line.x1 > FIRST_LINE_INDENT * line.size and ends_sentence(last.text)
        indent = line.x0 - last.x0
        if not FIRST_LINE_INDENT * line.size < indent < 5 * line.size:
            return False
        return len(self._lines) > 1 or ends_sentence(last.text)

    def _ended(self, line: Line, last: Line) -> bool:
        """Whether the last line is short where the paragraph ends, or where its author began a new line."""
        if HYPHENATED.search(last.text[-TAIL:]):
            return False
        width = self._column.right - self._column.left
        reach = last.x1 if not last.reading[0].right_to_left else self._column.right - (last.x0 - self._column.left)
        if reach < self._column.left + SHORT_LINE * width and ends_sentence(last.text):
            return True
        room = self._column.right - reach - 0.5 * last.size
        first = line.reading[0]
        fits = first.x1 - first.x0 < FITS * room - 0.1 * width
        return fits and not line.text[:1].islower() and not last.text.endswith((",", "-", "–"))

    def _close(self) -> Iterator[Block]:
        if not self._lines:
            return
        lines, self._lines = self._lines, []
        words = self._style.words
        match self._kind:
            case "code":
                yield self._code(lines)
            case "item":
                assert self._marker is not None
                text = render(lines, words)
                prefix = f"{self._marker.prefix} " if self._marker.prefix else ""
                marker = "-" if self._marker.number is None else f"{self._marker.number}."
                yield Block("item", f"{prefix}{text}", self._depth, marker)
            case "formula":
                yield Block("formula", render(lines, words, emphasis=False))
            case kind:
                yield Block(kind, render(lines, words))

    def _code(self, lines: Sequence[Line]) -> Block:
        """Code with its indentation and empty lines; a single line beside running text is inline code."""
        left = min(line.x0 for line in lines)
        widths = [(word.x1 - word.x0) / len(word.text) for line in lines for word in line.words]
        width = median(widths) or 1.0
        found: list[str] = []
        for at, line in enumerate(lines):
            if at and line.base - lines[at - 1].base > 1.7 * self._code_leading(lines):
                found.append("")
            text = " " * min(round((line.x0 - left) / width), 60) + line.words[0].text
            for before, word in pairwise(line.words):
                text += " " * min(max(round((word.x0 - before.x1) / width), int(word.spaced)), 40) + word.text
            found.append(text)
        return Block("code", "\n".join(found))

    def _code_leading(self, lines: Sequence[Line]) -> float:
        steps = [after.base - before.base for before, after in pairwise(lines)]
        return min((step for step in steps if step > 0.5 * lines[0].size), default=self._leading)

    def _content(self, content: object) -> Iterator[Block]:
        if isinstance(content, PrintedTable):
            yield Block("table", rows=content.rows, header=content.header)
        elif isinstance(content, Box):
            inner = [block for column in content.columns for block in build_blocks(column, self._style)]
            if all(block.kind in ("code", "table") for block in inner):
                yield from inner
            else:
                yield Block("box", blocks=tuple(inner))
