"""Labels within the text of a section: short lines and bold beginnings that say what the next of it is about."""

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from sprout.learning.structure.heading_roles import named_role
from sprout.learning.structure.plain_view import text_of
from sprout.learning.structure.titles import without_numbering
from sprout.learning.structure.tree import Block, ListBlock, ListItem, Paragraph, SpanKind
from sprout.learning.text.language import frequent_words
from sprout.offline.notes.document import Part
from sprout.offline.notes.headings import names_subject, tells
from sprout.offline.notes.words import words_of

MOST_WORDS = 7
MOST_ANNOUNCING = 4  # words of a line that ends with a colon: longer ones are sentences
LEAST_LETTERS = 4

_ENDS = re.compile(r"[.!?:;。！？…][\"'”’»)\]]*$")
_NO_NAME = re.compile(r"[.!?;,…]$|^\d|[$=<>{}\\|^_→⇒⊂⊆∈≤≥≠∞]|\b\w, \w\b")  # cut off, or a formula, or code


def cut_at_labels(part: Part) -> list[tuple[str, tuple[Block, ...]]]:
    """Runs of the section's own blocks, each from a label to the next, with it; the first may have none."""
    found: list[tuple[str, tuple[Block, ...]]] = []
    for block, label in _with_labels(part.blocks):
        if label or not found:
            found.append((label, (block,)))
        else:
            name, blocks = found[-1]
            found[-1] = (name, (*blocks, block))
    return found


def _with_labels(blocks: Sequence[Block]) -> Iterator[tuple[Block, str]]:
    """Each block with its label, but for lines that go on with a sentence, and the second of two that follow one
    another: a list of names."""
    was_line = goes_on = False
    for block, after in zip_longest(blocks, blocks[1:]):
        is_line = isinstance(block, Paragraph) and bool(_name(text_of(block)))
        yield block, "" if is_line and (was_line or goes_on or after is None) else _label(block)
        was_line = is_line
        goes_on = isinstance(block, Paragraph) and not is_line and not _ENDS.search(text_of(block))


def _label(block: Block) -> str:
    match block:
        case Paragraph(spans=spans):
            begins = next((span for span in spans if span.text.strip()), None)
            bold = begins.text if begins is not None and begins.kind is SpanKind.STRONG else ""
            return _name(text_of(block)) or _name(bold.rstrip(" ."))
        case ListBlock(lead_in=Paragraph() as lead_in):
            return _name(text_of(lead_in))
        case ListBlock(items=(ListItem(blocks=(ListBlock() as inner, *_)),)):
            return _label(inner)
    return ""


def _name(line: str) -> str:
    """The line as a name; empty where it is none."""
    line = without_numbering(line.strip())
    name = line.rstrip(" :–-")
    words = words_of(name)
    told = any(len(word) >= LEAST_LETTERS for word in words) and words[-1] not in frequent_words()
    short = 0 < len(name.split()) <= (MOST_ANNOUNCING if line.endswith(":") else MOST_WORDS)
    is_name = short and told and name[:1] == name[:1].upper() and not _NO_NAME.search(name)
    return name if is_name and names_subject(name) and tells(name) and named_role(name) is None else ""
