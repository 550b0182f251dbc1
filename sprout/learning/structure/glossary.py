"""Glossary of a document: the terms and definitions of the sections that list them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sprout.learning.structure.heading_roles import Role
from sprout.learning.structure.plain_view import text_of, text_of_spans
from sprout.learning.structure.roles import ClassifiedSection, iter_classified
from sprout.learning.structure.tree import Block, Definition, ListBlock, Paragraph, SpanKind, Spans, Table

MOST_TERM_WORDS = 8

_BETWEEN = re.compile(r"\s*(?::|：|\s[–—-]|=)\s+|：")
_LEADING = re.compile(r"^[\s:：–—=-]+")


@dataclass(frozen=True, slots=True)
class GlossaryEntry:
    """Term with its definition, between the characters `start` and `end` of the stored text."""

    term: str
    definition: str
    start: int
    end: int


def glossary_entries(document: ClassifiedSection) -> list[GlossaryEntry]:
    """The entries of all glossaries of a document, and of its definition lists, in its order."""
    return [
        entry
        for section in iter_classified(document)
        for each in section.blocks
        if each.role is Role.GLOSSARY
        for entry in _entries(each.block)
    ]


def _entries(block: Block) -> Iterator[GlossaryEntry]:
    match block:
        case Definition():
            meaning = "\n".join(text_of(inner) for blocks in block.meanings for inner in blocks)
            yield from _entry(block, text_of_spans(block.term), meaning)
        case ListBlock():
            for item in block.items:
                first = item.blocks[0] if item.blocks else None
                if isinstance(first, Paragraph):
                    yield from _split_entry(item, first.spans)
        case Paragraph():
            yield from _split_entry(block, block.spans)
        case Table() if len(block.head) == 2:
            for row in block.rows:
                yield from _entry(block, text_of_spans(row[0]), text_of_spans(row[1]))


def _split_entry(block: Block, spans: Spans) -> Iterator[GlossaryEntry]:
    """An entry of running text: its term is marked, or ends at the first colon or dash."""
    text = text_of_spans(spans)
    if spans and spans[0].kind in (SpanKind.STRONG, SpanKind.EMPHASIS):
        term = spans[0].text
        yield from _entry(block, term.rstrip(" :：–—-"), _LEADING.sub("", text[len(term) :]))
    elif between := _BETWEEN.search(text[:200]):
        yield from _entry(block, text[: between.start()], text[between.end() :])


def _entry(block: Block, term: str, definition: str) -> Iterator[GlossaryEntry]:
    if term and definition and len(term.split()) <= MOST_TERM_WORDS:
        yield GlossaryEntry(term, definition, block.start, block.end)
