"""Items as sections: a list whose items are long and begin with a title each is read as the sections that it holds."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from sprout.learning.structure.blocks import Heading
from sprout.learning.structure.plain_view import text_of_spans
from sprout.learning.structure.tree import Block, ListBlock, ListItem, Paragraph, Span, SpanKind

LEAST_ITEMS, LONG_ITEM = 3, 250  # items of such a list, and characters of one on average
MOST_WORDS = 8  # of a title
DEEPEST = 6
OWN_PLACE = "#"  # begins the address of a place in the text itself

_COLON = re.compile(r"^\s*[:：]\s*|\s*[:：]\s*$")
_ENDS_SENTENCE = re.compile(r"[.!?;,…。！？]$")
_LETTER = re.compile(r"[^\W\d_]")


def with_item_headings(blocks: Sequence[Block]) -> Iterator[Block]:
    """Blocks of a document, where long items with titles are headings and what stands under them."""
    level, above = 0, 0  # of the heading that the next list stands under; of the items of the last one, 0 for none
    for block in blocks:
        if isinstance(block, Heading):
            level, above = block.level, 0
        items = _titled_items(block) if isinstance(block, ListBlock) else []
        goes_on = above and len(items) == 1 and isinstance(block, ListBlock) and block.ordered
        if len(items) >= LEAST_ITEMS or goes_on:
            assert isinstance(block, ListBlock)
            above = min(level + 1, DEEPEST)
            yield from [block.lead_in] if block.lead_in else []
            for heading, said in items:
                yield replace(heading, level=above)
                yield from said
        else:
            yield block


def _titled_items(block: ListBlock) -> list[tuple[Heading, tuple[Block, ...]]]:
    """The items, each as its title and what it says; none where one has no title, or where they are short."""
    read = [made for item in block.items if (made := _titled(item))]
    long = block.items[-1].end - block.items[0].start >= LONG_ITEM * len(block.items)
    return read if long and len(read) == len(block.items) else []


def _titled(item: ListItem) -> tuple[Heading, tuple[Block, ...]] | None:
    """An item's title, which leads it in or stands in bold before a colon, and the rest of it."""
    first, *others = item.blocks or (None,)
    if isinstance(first, ListBlock) and first.lead_in:
        inner = replace(first, start=first.items[0].start, lead_in=None)
        first, others = first.lead_in, [inner, *others]
    if not isinstance(first, Paragraph):
        return None
    lead, *rest = first.spans
    if lead.target.startswith(OWN_PLACE):
        return None  # an entry of its contents
    is_bold = lead.kind is SpanKind.STRONG
    title = lead.text if is_bold else text_of_spans(first.spans)
    if is_bold and rest and not (_COLON.search(lead.text) or _COLON.match(rest[0].text)):
        return None
    said = [one for one in (_without_colon(rest) if is_bold else ()) if one.text.strip()]
    title = _COLON.sub("", title).strip()
    named = 1 <= len(title.split()) <= MOST_WORDS and "\n" not in title and _LETTER.match(title)
    if not named or not (said or others) or _ENDS_SENTENCE.search(title):
        return None
    own = (Paragraph(first.start, first.end, tuple(said)),) if said else ()
    return Heading(item.start, item.start, 1, title), (*own, *others)


def _without_colon(spans: Sequence[Span]) -> Sequence[Span]:
    return [replace(spans[0], text=_COLON.sub("", spans[0].text)), *spans[1:]] if spans else []
