"""Blocks of a Markdown-like text: headings, paragraphs and fenced code, each with its offsets.

Not markdown-it-py: passages need exact character offsets, which it has only as line numbers; and plain text of any
kind comes here, whose quotes, lists and indented lines are to stay in one block with the paragraph around them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

MAX_FRONT_MATTER_LINES = 60

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?")
_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})[ \t]*")


@dataclass(frozen=True, slots=True)
class Block:
    """The characters from `start` to `end`, without the newline after them; a heading has its level and title."""

    start: int
    end: int
    kind: Literal["heading", "text", "code"] = "text"
    level: int = 0
    title: str = ""


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    text: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def parse_blocks(text: str) -> Iterator[Block]:
    """The blocks in order; between them stands nothing but white space."""
    lines = list(_iter_lines(text))
    at = _front_matter_length(lines)
    if at:
        yield Block(lines[0].start, lines[at - 1].end)
    while at < len(lines):
        if not lines[at].text.strip():
            at += 1
            continue
        block, at = _block_at(lines, at)
        yield block


def _iter_lines(text: str) -> Iterator[_Line]:
    start = 0
    for line in text.split("\n"):
        yield _Line(start, line)
        start += len(line) + 1


def _front_matter_length(lines: list[_Line]) -> int:
    """Number of lines of a YAML header between two `---` at the very start; 0 without a header."""
    if lines[0].text.rstrip() != "---":
        return 0
    for at, line in enumerate(lines[1:MAX_FRONT_MATTER_LINES], start=2):
        if line.text.rstrip() == "---":
            return at
        if not line.text.strip():
            return 0
    return 0


def _block_at(lines: list[_Line], at: int) -> tuple[Block, int]:
    line = lines[at]
    if _FENCE.match(line.text):
        return _fence(lines, at)
    heading = _HEADING.fullmatch(line.text)
    if heading:
        title = (heading[2] or "").strip().rstrip("#").strip()
        return Block(line.start, line.end, "heading", len(heading[1]), title), at + 1
    if at + 1 < len(lines) and (underline := _UNDERLINE.fullmatch(lines[at + 1].text)):
        level = 1 if underline[1].startswith("=") else 2
        return Block(line.start, lines[at + 1].end, "heading", level, line.text.strip()), at + 2
    return _paragraph(lines, at)


def _fence(lines: list[_Line], at: int) -> tuple[Block, int]:
    opening = _FENCE.match(lines[at].text)
    mark = opening[1] if opening else ""
    for after in range(at + 1, len(lines)):
        closing = lines[after].text.strip()
        if len(closing) >= len(mark) and set(closing) == {mark[0]}:
            return Block(lines[at].start, lines[after].end, "code"), after + 1
    return Block(lines[at].start, lines[-1].end, "code"), len(lines)


def _paragraph(lines: list[_Line], at: int) -> tuple[Block, int]:
    after = at + 1
    while after < len(lines) and lines[after].text.strip() and not _interrupts_paragraph(lines[after].text):
        after += 1
    return Block(lines[at].start, lines[after - 1].end), after


def _interrupts_paragraph(line: str) -> bool:
    return bool(_FENCE.match(line) or _HEADING.fullmatch(line))
