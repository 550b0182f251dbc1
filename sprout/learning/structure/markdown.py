"""Structure of a stored text: Markdown, or plain text of any kind, as one tree of sections and blocks."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from sprout.learning.structure.blocks import BlockReader, Heading
from sprout.learning.structure.captions import join_neighbours
from sprout.learning.structure.inline import tidy_spans
from sprout.learning.structure.item_headings import with_item_headings
from sprout.learning.structure.plain_entries import with_plain_entries
from sprout.learning.structure.plain_headings import with_plain_headings
from sprout.learning.structure.repeated_headings import levels_of
from sprout.learning.structure.source import rewrite_source
from sprout.learning.structure.tree import Block, Paragraph, Section, Span

MAX_LINES = 100_000


def read_structure(text: str, page_starts: Sequence[int] = (), *, finds_headings: bool = True) -> Section:
    """The document as a section of level 0, titled as its front matter says; its blocks stand before any heading.

    The offsets of all blocks are those of `text`. Nothing raises, whatever the text.

    Args:
        page_starts: where each page begins, in order; an empty page begins where the next one does.
        finds_headings: whether headings that nothing marks are looked for where next to none is marked.
    """
    readable = _readable_length(text)
    source = rewrite_source(text[:readable])
    blocks = with_plain_entries(text, BlockReader(text, source.text).read())
    blocks = with_plain_headings(text, blocks) if finds_headings else blocks
    blocks = [*with_item_headings(blocks)]
    if rest := text[readable:].strip():
        start = text.index(rest, readable)
        blocks.append(Paragraph(start, start + len(rest), tidy_spans([Span(" ".join(rest.split()))])))
    return _Builder(0, len(text), source.title).build(text, blocks, page_starts)


def _readable_length(text: str) -> int:
    """The characters of the first 100,000 lines; text beyond them is one plain paragraph.

    A line takes 20 to 100 µs, and a document of 2,000,000 characters has a tenth of these lines.
    """
    at = -1
    for _ in range(MAX_LINES):
        at = text.find("\n", at + 1)
        if at < 0:
            return len(text)
    return at + 1


@dataclass(slots=True)
class _Builder:
    """A section whose end is not known yet."""

    start: int
    end: int
    title: str
    level: int = 0
    page: int | None = None
    blocks: list[Block] = field(default_factory=list)
    subsections: list[Section] = field(default_factory=list)

    def build(self, text: str, blocks: Sequence[Block], page_starts: Sequence[int]) -> Section:
        """The tree of the blocks, with this section as its root."""
        open_sections = [self]
        levels = iter(levels_of([(block.level, block.title) for block in blocks if isinstance(block, Heading)]))
        for block in blocks:
            if isinstance(block, Heading):
                level = next(levels)
                while open_sections[-1].level >= level:
                    _close(text, open_sections)
                page = bisect_right(page_starts, block.start) if page_starts else None
                open_sections.append(_Builder(block.start, block.end, block.title, level, page))
            else:
                open_sections[-1].blocks.append(block)
        while len(open_sections) > 1:
            _close(text, open_sections)
        return self.finished(text)

    def finished(self, text: str) -> Section:
        blocks = tuple(join_neighbours(text, self.blocks))
        ends = [each.end for each in (*blocks, *self.subsections)]
        return Section(
            self.start, max([self.end, *ends]), self.title, self.level, blocks, tuple(self.subsections), self.page
        )


def _close(text: str, open_sections: list[_Builder]) -> None:
    closed = open_sections.pop()
    open_sections[-1].subsections.append(closed.finished(text))
