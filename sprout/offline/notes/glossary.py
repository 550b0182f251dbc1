"""Glossaries of notes: what a document itself says to be its terms and their meanings, as definitions."""

import re
from collections.abc import Iterator, Sequence

from sprout.learning.structure.heading_roles import Role, named_role
from sprout.learning.structure.plain_entries import LED
from sprout.learning.structure.plain_view import text_of_spans
from sprout.learning.structure.tree import Block, Definition, ListBlock, ListItem, Paragraph, Span, Table
from sprout.offline.notes.language import table_heads

LEAST_ENTRIES = 3
ALL_ENTRIES = 0.8  # of the blocks of text that only explains terms
ENTRY_SHARE = 0.6  # of a glossary's blocks, from which on they are entries

_NAMED = re.compile(r"(?i)\b(?:gloss(?:ary|ar|aire|ario|ário)|glosario|lexique)\b")
_ASIDE = re.compile(r"\s*\([^()]*\)")


def is_glossary(title: str) -> bool:
    """Glossary test of a heading: terms with their meanings stand under it."""
    named = named_role(title)
    return bool(_NAMED.search(title)) or (named is not None and named.role is Role.GLOSSARY)


def entries_in(blocks: Sequence[Block]) -> tuple[str, ...]:
    """The terms of text that only explains terms, one after the other; empty for any other text.

    A few blocks may be others: the rest of an entry that began in the passage before.
    """
    terms = tuple(text_of_spans(block.term) for block in blocks if isinstance(block, Definition))
    return terms if len(terms) >= ALL_ENTRIES * len(blocks) else ()


def with_definitions(blocks: Sequence[Block], *, in_glossary: bool, heading: str = "") -> list[Block]:
    """The blocks, with the rows of tables of terms as definitions, and the entries of a glossary, if most are.

    Args:
        heading: what the text under it explains, where each term of a glossary has a heading of its own.
    """
    found: list[Block] = [one for block in blocks for one in (_rows(block) or [block])]
    if in_glossary:
        units = [unit for block in found for unit in _units(block)]
        read = [(_entry(unit) or unit) for unit in units]
        defined = sum(isinstance(one, Definition) for one in read)
        if defined >= max(LEAST_ENTRIES, ENTRY_SHARE * len(read)):
            return read
        if heading and found and isinstance(found[0], Paragraph):
            return [Definition(found[0].start, found[0].end, (Span(heading),), ((found[0],),)), *found[1:]]
    return found


def _rows(block: Block) -> Sequence[Block]:
    """The rows of a table whose head says that they are terms and meanings."""
    if not isinstance(block, Table) or len(block.head) < 2:
        return []
    heads = [text_of_spans(cell).casefold().strip(" :") for cell in block.head[:2]]
    terms, meanings = table_heads()
    if heads[0] not in terms or heads[1] not in meanings:
        return []
    return [Definition(block.start, block.end, row[0], (_said(block, text_of_spans(row[1])),)) for row in block.rows]


def _units(block: Block) -> Iterator[Block]:
    """Possible entries: blocks that are no list, and items; of an item that is none, the blocks in it."""
    for item in block.items if isinstance(block, ListBlock) else [block]:
        if isinstance(item, ListItem) and not _entry(item):
            yield from (unit for inner in item.blocks for unit in _units(inner))
        else:
            yield item


def _entry(block: Block) -> Definition | None:
    """An item or paragraph that says what a term means: "Demand – what buyers want"."""
    said = block.blocks[0] if isinstance(block, ListItem) and block.blocks else block
    led = LED.fullmatch(text_of_spans(said.spans)) if isinstance(said, Paragraph) else None
    if led is None:
        return None
    term = _ASIDE.sub("", led["term"]) or led["term"]
    return Definition(block.start, block.end, (Span(term),), (_said(block, led["meaning"]),))


def _said(block: Block, meaning: str) -> tuple[Block, ...]:
    return (Paragraph(block.start, block.end, (Span(meaning),)),)
