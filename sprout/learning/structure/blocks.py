"""Blocks of a document, from the tokens of the Markdown parser; headings still among them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from markdown_it.tree import SyntaxTreeNode

from sprout.learning.structure.captions import join_neighbours
from sprout.learning.structure.directives import read_directive
from sprout.learning.structure.inline import InlineText, inline_text, tidy_spans
from sprout.learning.structure.parser import MarkdownParser
from sprout.learning.structure.plain_view import text_of_spans
from sprout.learning.structure.source import FILLER
from sprout.learning.structure.tree import (
    Block,
    Box,
    Definition,
    Figure,
    Footnote,
    Formula,
    ListBlock,
    ListItem,
    Paragraph,
    Span,
    SpanKind,
    Spans,
    Table,
)

LONGEST_UNDERLINED_WORDS = 14
LEAST_LINES, TEXT_LINES, ROOMY_BREAKS = 3, 0.1, 0.7  # of a list whose items are lines alone

_MARKER = re.compile(r"[ \t>]*(?:[-*+•–]|\(?\w{1,9}[.)]|\S)")
_CHECKBOX = re.compile(r"\[([ xX])\]\s+")
_LETTER = re.compile(r"\(?([a-hA-H])[.)]\s+")
_ALERT = re.compile(r"\[!(\w{3,20})\]\s*")
_QUOTED = re.compile(r"\"([^\"\n]{1,300})\"\s*$")
_SAID = re.compile(r"(?:\S+ ){5}.*[.!][\"”»)]?$")  # a sentence over a ruled line
_UNDERLINE = re.compile(r"[ \t>]*(?:={2,}|-{2,})\s*")
_FORMULA_TAIL = re.compile(r"[\s.,;:]*(?:\([\w.-]{1,20}\))?[\s.,;:]*")


@dataclass(frozen=True, slots=True)
class Heading(Block):
    """Heading that begins a section; `level` counts from 1."""

    level: int
    title: str


class BlockReader:
    """Reader of the blocks of one text."""

    def __init__(self, text: str, source: str) -> None:
        self._text = text
        self._source = source
        self._parser = MarkdownParser(source)
        self._lines = [0]
        for line in source.split("\n"):
            self._lines.append(self._lines[-1] + len(line) + 1)

    def read(self) -> list[Block]:
        """The blocks of the text in order, at the top level only."""
        return list(self._blocks(SyntaxTreeNode(self._parser.block_tokens).children))

    def _blocks(self, nodes: Sequence[SyntaxTreeNode]) -> Iterator[Block]:
        for node in nodes:
            start, end = self._offsets(node)
            match node.type:
                case "heading":
                    yield from self._heading(node, start, end)
                case "paragraph":
                    yield from self._paragraph(node, start, end)
                case "bullet_list" | "ordered_list":
                    items = tuple(self._item(item) for item in node.children)
                    yield ListBlock(start, end, node.type == "ordered_list", items)
                case "blockquote":
                    yield self._box(node, start, end)
                case "admonition":
                    yield self._admonition(node, start, end)
                case "table":
                    yield from self._table(node, start, end)
                case "code_block" | "fence":
                    yield read_directive(node.info, node.content, start, end, self._spans)
                case "formula":
                    yield Formula(start, end, node.content)
                case "dl":
                    yield from self._definitions(node)
                case "footnote_reference":
                    yield Footnote(start, end, str(node.meta["label"]), self._inner(node, start, end))

    def _inner(self, node: SyntaxTreeNode, start: int, end: int) -> tuple[Block, ...]:
        """The blocks within; a heading is a paragraph in bold, and what is nested too deep is plain text."""
        blocks = tuple(join_neighbours(self._text, [_as_paragraph(block) for block in self._blocks(node.children)]))
        raw = self._text[start:end].strip()
        if blocks or not raw.strip("-*+>.)0123456789 \t\n"):
            return blocks
        return (Paragraph(start, end, tidy_spans([Span(" ".join(raw.split()))])),)

    def _offsets(self, node: SyntaxTreeNode) -> tuple[int, int]:
        first, after = node.map or (0, 0)
        start = self._lines[first]
        end = min(self._lines[max(after, first + 1)] - 1, len(self._text))
        raw = self._source[start:end]
        return start + len(raw) - len(raw.lstrip()), max(start, start + len(raw.rstrip()))

    def _text_offsets(self, content: str, start: int, end: int) -> tuple[int, int]:
        """The offsets of inline text within its block, behind the marks of lists and boxes around it."""
        first_line = content.split("\n", 1)[0]
        found = self._source.find(first_line, start, end)
        return (found if found >= 0 else start), end

    def _inline(self, node: SyntaxTreeNode) -> tuple[str, InlineText]:
        content = next((child.content for child in node.children if child.type == "inline"), "")
        return content, inline_text(self._parser.inline_tokens(content), keeps_lines=_is_line_list(content))

    def _spans(self, content: str) -> Spans:
        return inline_text(self._parser.inline_tokens(content)).spans

    def _heading(self, node: SyntaxTreeNode, start: int, end: int) -> Iterator[Block]:
        content, inline = self._inline(node)
        title = text_of_spans(inline.spans)
        underlined = node.markup in ("=", "-")
        if underlined and not self._is_underlined_title(content, title, start, end):
            if inline.spans:
                yield Paragraph(start, end, inline.spans)
        elif any(map(str.isalnum, title)):
            yield Heading(start, end, int(node.tag[1:]), title)

    def _is_underlined_title(self, content: str, title: str, start: int, end: int) -> bool:
        underline = self._source[start:end].rsplit("\n", 1)[-1]
        one_line = "\n" not in content.strip()
        named = len(title.split()) <= LONGEST_UNDERLINED_WORDS and not _SAID.search(title)
        return one_line and named and bool(_UNDERLINE.fullmatch(underline))

    def _paragraph(self, node: SyntaxTreeNode, start: int, end: int) -> Iterator[Block]:
        content, inline = self._inline(node)
        start, end = self._text_offsets(content, start, end)
        if rows := _tabbed_rows(content):
            cells = [tuple(self._spans(cell) for cell in row) for row in rows]
            yield Table(start, end, cells[0], tuple(cells[1:]))
            return
        formula = _only_formula(inline.spans)
        if formula:
            yield Formula(start, end, formula)
        elif inline.is_caption or (inline.images and not inline.spans):
            if any(inline.images) or inline.spans:
                yield Figure(start, end, " ".join(filter(None, inline.images)), inline.spans)
            if inline.below:
                yield Paragraph(start, end, inline.below)
        elif inline.spans:
            yield Paragraph(start, end, inline.spans)
            if alt := " ".join(filter(None, inline.images)):
                yield Figure(start, end, alt)

    def _item(self, node: SyntaxTreeNode) -> ListItem:
        start, end = self._offsets(node)
        written = _MARKER.match(self._text, start, end)
        marker = written[0].strip(" \t>") if written else "-"
        blocks = self._inner(node, start, end)
        for pattern in (_CHECKBOX, _LETTER):
            if blocks and (shorter := _without_start(blocks[0], pattern)):
                marker, blocks = shorter[0], (*([shorter[1]] if shorter[1].spans else []), *blocks[1:])
                break
        return ListItem(start, end, marker, blocks)

    def _box(self, node: SyntaxTreeNode, start: int, end: int) -> Box:
        blocks = self._inner(node, start, end)
        first = blocks[0] if blocks else None
        if first and (alert := _without_start(first, _ALERT)):
            rest = (*([alert[1]] if alert[1].spans else []), *blocks[1:])
            return Box(start, end, alert[0].strip("[]!").capitalize(), rest)
        titled = len(blocks) > 1 and isinstance(first, Paragraph) and _is_bold(first.spans)
        if titled and isinstance(first, Paragraph):
            return Box(start, end, text_of_spans(first.spans), blocks[1:])
        return Box(start, end, "", blocks)

    def _admonition(self, node: SyntaxTreeNode, start: int, end: int) -> Box:
        written = _QUOTED.search(
            self._text[start:end].split("\n", 1)[0]
        )  # without a kind before it, the parser cuts it
        titles = [child for child in node.children if child.type == "admonition_title"]
        title = written[1] if written else self._inline(titles[0])[0] if titles else ""
        return Box(start, end, text_of_spans(self._spans(title)), self._inner(node, start, end))

    def _table(self, node: SyntaxTreeNode, start: int, end: int) -> Iterator[Block]:
        """A table; one of a single column is but a frame around paragraphs."""
        lines = [row for part in node.children for row in part.children]
        rows = [tuple(self._inline(cell)[1].spans for cell in row.children) for row in lines]
        if len(rows[0]) == 1:
            framed = [(self._offsets(line), row[0]) for line, row in zip(lines, rows, strict=True) if row[0]]
            yield from (Paragraph(*offsets, spans) for offsets, spans in framed)
        else:
            yield Table(start, end, rows[0], tuple(row for row in rows[1:] if any(row)))

    def _definitions(self, node: SyntaxTreeNode) -> Iterator[Block]:
        term: tuple[int, int, Spans] = (0, 0, ())
        meanings: list[tuple[Block, ...]] = []
        for child in node.children:
            start, end = self._offsets(child)
            if child.type == "dt":
                if meanings:
                    yield Definition(term[0], term[1], term[2], tuple(meanings))
                term, meanings = (start, end, self._inline(child)[1].spans), []
            else:
                meanings.append(self._inner(child, start, end))
                term = (term[0], end, term[2])
        yield Definition(term[0], term[1], term[2], tuple(meanings))


def _as_paragraph(block: Block) -> Block:
    if isinstance(block, Heading):
        return Paragraph(block.start, block.end, (Span(block.title, SpanKind.STRONG),))
    return block


def _is_bold(spans: Spans) -> bool:
    return len(spans) == 1 and spans[0].kind is SpanKind.STRONG


def _tabbed_rows(content: str) -> list[list[str]]:
    """The cells of lines that all have the same number of tabs, as a spreadsheet gives them; empty for other text."""
    if "\t" not in content:
        return []
    rows = [line.strip(" ").split("\t") for line in content.split("\n")]
    width = len(rows[0])
    return rows if len(rows) > 1 and width > 1 and all(len(row) == width for row in rows) else []


def _only_formula(spans: Spans) -> str:
    """The formula that a paragraph consists of, but for punctuation and a number in parentheses; else empty."""
    formulas = [span.text for span in spans if span.kind is SpanKind.FORMULA]
    rest = "".join(span.text for span in spans if span.kind is not SpanKind.FORMULA)
    return formulas[0] if len(formulas) == 1 and _FORMULA_TAIL.fullmatch(rest) else ""


def _without_start(block: Block, pattern: re.Pattern[str]) -> tuple[str, Paragraph] | None:
    """What the pattern finds at a paragraph's start, and the paragraph without it."""
    if not isinstance(block, Paragraph) or not block.spans or block.spans[0].kind is not SpanKind.PLAIN:
        return None
    first = block.spans[0].text.replace(FILLER, "")
    found = pattern.match(f"{first} " if len(block.spans) > 1 or len(first) < 12 else first)
    if not found:
        return None
    spans = tidy_spans([Span(first[found.end() :]), *block.spans[1:]])
    return found[0].strip().lower() if pattern is _CHECKBOX else found[0].strip(), Paragraph(
        block.start, block.end, spans
    )


def _is_line_list(content: str) -> bool:
    """List test of bare lines: few end as text does, and most had room for the next word."""
    lines = [line.strip() for line in content.split("\n")]
    breaks = list(pairwise(lines))
    if len(lines) < LEAST_LINES or sum(line.endswith((".", ",", ";")) for line in lines) > TEXT_LINES * len(lines):
        return False
    width = max(map(len, lines))
    roomy = sum(len(line) + 1 + len(after.split(" ", 1)[0]) <= width for line, after in breaks)
    return roomy >= ROOMY_BREAKS * len(breaks)
