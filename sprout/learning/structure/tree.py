"""Structure of a document: sections, blocks and spans, each block with its offsets in the stored text."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class SpanKind(StrEnum):
    """Kind of a run of text."""

    PLAIN = "plain"
    EMPHASIS = "emphasis"
    STRONG = "strong"
    CODE = "code"
    FORMULA = "formula"
    LINK = "link"
    FOOTNOTE = "footnote"


@dataclass(frozen=True, slots=True)
class Span:
    """Run of text of one kind, with white space collapsed; a newline is a break that the author forced.

    Args:
        text: what is read; LaTeX without its delimiters for a formula, the label for a footnote reference.
        target: the address of a link.
    """

    text: str
    kind: SpanKind = SpanKind.PLAIN
    target: str = ""


Spans = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """The characters from `start` to `end` of the stored text, white space at both ends left out."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Paragraph(Block):
    """Paragraph of running text."""

    spans: Spans


@dataclass(frozen=True, slots=True)
class ListItem(Block):
    """Item of a list.

    Args:
        marker: as written: "-", "3.", "b)"; "[x]" or "[ ]" for an item with a box to tick.
    """

    marker: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class ListBlock(Block):
    """List of items; `lead_in` is the paragraph that announces it, within the offsets of the list."""

    ordered: bool
    items: tuple[ListItem, ...]
    lead_in: Paragraph | None = None


@dataclass(frozen=True, slots=True)
class Table(Block):
    """Table of cells; a row has as many cells as the head."""

    head: tuple[Spans, ...]
    rows: tuple[tuple[Spans, ...], ...]
    caption: Spans = ()


@dataclass(frozen=True, slots=True)
class Formula(Block):
    """Displayed formula, as LaTeX without its delimiters."""

    latex: str


@dataclass(frozen=True, slots=True)
class Code(Block):
    """Fenced code; `language` is empty where the fence names none."""

    language: str
    text: str


@dataclass(frozen=True, slots=True)
class Figure(Block):
    """Figure, by its alternative text and its caption; either may be empty."""

    alt: str
    caption: Spans = ()


@dataclass(frozen=True, slots=True)
class Definition(Block):
    """Term of a definition list, with its meanings."""

    term: Spans
    meanings: tuple[tuple[Block, ...], ...]


@dataclass(frozen=True, slots=True)
class Box(Block):
    """Quotation or text set apart, with its title if it begins with one."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Footnote(Block):
    """Text of a footnote; `label` is what its references name."""

    label: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Section(Block):
    """Heading, the blocks under it, and the sections below.

    Args:
        title: the heading's text without markup, as the document numbers it; empty for text before any heading.
        level: 0 for the document itself, else 1 to 6; a subsection's is greater than its parent's.
        page: where the heading stands, from 1; None without pages.
    """

    title: str
    level: int
    blocks: tuple[Block, ...] = ()
    subsections: tuple["Section", ...] = ()
    page: int | None = None


def iter_sections(section: Section) -> Iterator[Section]:
    """The section and all below it, in the order of the document."""
    yield section
    for below in section.subsections:
        yield from iter_sections(below)


def children_of(block: Block) -> tuple[Block, ...]:
    """The blocks directly within a block, in the order of the document."""
    match block:
        case ListBlock():
            return (*([block.lead_in] if block.lead_in else []), *block.items)
        case ListItem() | Box() | Footnote() | Section():
            return block.blocks
        case Definition():
            return tuple(inner for meaning in block.meanings for inner in meaning)
        case _:
            return ()
