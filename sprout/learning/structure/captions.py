"""Neighbours that belong together: a list and its lead-in, a figure or a table and its caption."""

from collections.abc import Sequence
from dataclasses import replace

from sprout.learning.structure.plain_view import text_of_spans
from sprout.learning.structure.tree import Block, Figure, ListBlock, Paragraph, SpanKind, Spans, Table
from sprout.learning.structure.words import caption_pattern

_ANNOUNCES = (":", "：", "?", "？", "؟", "…", "___")
LONGEST_CAPTION = 1_200


def join_neighbours(text: str, blocks: Sequence[Block]) -> list[Block]:
    """The blocks, with lead-ins within their lists and captions within their figures and tables."""
    joined: list[Block] = []
    for block in blocks:
        before = joined[-1] if joined else None
        if before and (whole := _joined(text, before, block)):
            joined[-1] = whole
        elif isinstance(block, Paragraph) and (figure := _caption_alone(block)):
            joined.append(figure)
        else:
            joined.append(block)
    return joined


def is_caption(spans: Spans, kind: str) -> bool:
    """Whether text begins as the caption of a "figure" or a "table" does."""
    return caption_pattern(kind).match(text_of_spans(spans)[:200]) is not None


def _joined(text: str, before: Block, block: Block) -> Block | None:
    whole = _with_paragraph_before(text, before, block) if isinstance(before, Paragraph) else None
    return whole or (_with_caption_after(before, block) if isinstance(block, Paragraph) else None)


def _with_paragraph_before(text: str, before: Paragraph, block: Block) -> Block | None:
    if isinstance(block, ListBlock):
        said = text_of_spans(before.spans)
        adjoining = text[before.end : block.start].count("\n") <= 1 and before.end <= block.start
        if said.endswith(_ANNOUNCES) or adjoining:
            return replace(block, start=before.start, lead_in=before)
    if isinstance(block, Table) and is_caption(before.spans, "table"):
        return replace(block, start=before.start, caption=before.spans)
    return None


def _with_caption_after(before: Block, block: Paragraph) -> Block | None:
    if isinstance(before, Table) and not before.caption and is_caption(block.spans, "table"):
        return replace(before, end=block.end, caption=block.spans)
    italic = len(block.spans) == 1 and block.spans[0].kind is SpanKind.EMPHASIS
    if isinstance(before, Figure) and not before.caption and (italic or is_caption(block.spans, "figure")):
        return replace(before, end=block.end, caption=block.spans)
    return None


def _caption_alone(block: Paragraph) -> Figure | None:
    short = block.end - block.start <= LONGEST_CAPTION
    return Figure(block.start, block.end, "", block.spans) if short and is_caption(block.spans, "figure") else None
