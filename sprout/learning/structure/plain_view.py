"""Plain text of spans and blocks, for reading aloud and for searching; formulas stand between dollars."""

from collections.abc import Iterable
from itertools import zip_longest

from sprout.learning.structure.tree import (
    Block,
    Box,
    Code,
    Definition,
    Figure,
    Footnote,
    Formula,
    ListBlock,
    ListItem,
    Paragraph,
    Section,
    SpanKind,
    Spans,
    Table,
    children_of,
)


def text_of_spans(spans: Spans) -> str:
    """The text without markup and footnote references; a formula keeps its dollars."""
    parts = []
    for span in spans:
        if span.kind is SpanKind.FORMULA:
            parts.append(f"${span.text}$")
        elif span.kind is not SpanKind.FOOTNOTE:
            parts.append(span.text)
    return "".join(parts).strip()


def text_of(block: Block) -> str:
    """The text of a block and all within it; items, rows and inner blocks each on lines of their own."""
    match block:
        case Paragraph():
            return text_of_spans(block.spans)
        case Formula():
            return f"$${block.latex}$$"
        case Code():
            return block.text
        case Figure():
            return text_of_spans(block.caption) or block.alt
        case Table():
            return _lines([text_of_spans(block.caption), *table_rows(block)])
        case Definition():
            term = text_of_spans(block.term)
            return _lines([f"{term}: {_lines(text_of(inner) for inner in meaning)}" for meaning in block.meanings])
        case Box():
            return _lines([block.title, *map(text_of, block.blocks)])
        case Section():
            return _lines([block.title, *map(text_of, block.blocks), *map(text_of, block.subsections)])
        case ListBlock() | ListItem() | Footnote():
            return _lines(map(text_of, children_of(block)))
        case _:
            raise TypeError(type(block).__name__)


def table_rows(table: Table) -> list[str]:
    """The rows as they are read aloud: the first cell, then the others with what their column is called."""
    heads = [text_of_spans(cell) for cell in table.head]
    found = []
    for row in table.rows:
        cells = [text_of_spans(cell) for cell in row]
        named = [
            f"{head}: {cell}" if head and len(heads) > 2 else cell
            for head, cell in zip_longest(heads[1:], cells[1:], fillvalue="")
            if cell
        ]
        found.append(": ".join(filter(None, [cells[0], "; ".join(named)])))
    return found


def _lines(texts: Iterable[str]) -> str:
    return "\n".join(filter(None, texts))
