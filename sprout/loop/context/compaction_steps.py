"""Compaction steps: each makes a smaller transcript, and keeps every call with its result."""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import replace
from html import escape

from sprout.loop.context.compacted import CompactedTranscript, Exchange, PinnedResult, SentMessage
from sprout.loop.context.truncation import content_text, longest_text_bytes, text_bytes, truncate_block, truncate_middle
from sprout.loop.model import Block, Message, Text, ToolResult
from sprout.loop.model_notices import notice


def cleared(compacted: CompactedTranscript, *, keep: int) -> CompactedTranscript:
    """Results before the last `keep` messages give way to a marker."""
    return _edited(compacted, max(len(compacted.items) - keep, 0), _cleared)


def pruned(compacted: CompactedTranscript, *, keep_pairs: int, max_bytes: int, keep_task: bool) -> CompactedTranscript:
    """C9: results above `max_bytes` before the last pairs become head and tail; without `keep_task` the task too."""
    task = () if keep_task else compacted.task

    def edited(block: Block) -> Block:
        if isinstance(block, ToolResult):
            return _pruned(block, max_bytes)
        return truncate_block(block, max_bytes) if any(block is own for own in task) else block

    shorter = _edited(compacted, max(len(compacted.items) - 2 * keep_pairs, 0), edited)
    return shorter if keep_task else replace(shorter, task=tuple(edited(block) for block in compacted.task))


def summarised(
    compacted: CompactedTranscript, at: int, summary: str | None, *, deep: bool = False
) -> CompactedTranscript:
    """Everything before `at` gives way to a summary, or without one to a notice; the latest results are pinned."""
    dropped = _without_before(compacted, at)
    if summary is not None:
        dropped = replace(dropped, summary=summary, summarised_count=len(dropped.removed))
    return _with_new_head(replace(dropped, pins=_pinned_results(dropped), deep_pruned=deep, head_bytes=None))


def collapsed(compacted: CompactedTranscript, fits: Callable[[CompactedTranscript], bool]) -> CompactedTranscript:
    """Whole groups go from the middle, as few as it takes to fit; the head and the last group stay."""
    starts = [
        at
        for at, item in enumerate(compacted.items)
        if at > compacted.first_removable and item.sent.role == "assistant"
    ]
    if not starts:
        return compacted
    found = bisect_left(starts, True, key=lambda at: fits(_collapsed_before(compacted, at)))
    return _collapsed_before(compacted, starts[min(found, len(starts) - 1)])


def truncated_to_fit(
    compacted: CompactedTranscript, fits: Callable[[CompactedTranscript], bool], *, least_bytes: int, keep_task: bool
) -> CompactedTranscript:
    """The longest texts, results and inputs are cut, all to one length, as little as it takes to fit.

    Lengths are halved from the longest one down to `least_bytes`; below `PICTURE_BYTES` pictures go as well.
    """
    most = max((longest_text_bytes(block) for item in compacted.items for block in item.sent.content), default=0)
    shorter = compacted
    while most > least_bytes and not fits(shorter):
        most = max(most // 2, least_bytes)
        shorter = _truncated(compacted, most, keep_task=keep_task)
    return shorter


def _edited(compacted: CompactedTranscript, before: int, edit: Callable[[Block], Block]) -> CompactedTranscript:
    """The transcript with `edit` made to each block before a message; messages that do not change stay the same."""
    kept = [_edited_item(item, edit) if at < before else item for at, item in enumerate(compacted.items)]
    return replace(compacted, items=tuple(kept))


def _edited_item(item: SentMessage, edit: Callable[[Block], Block]) -> SentMessage:
    blocks = tuple(edit(block) for block in item.sent.content)
    if all(new is old for new, old in zip(blocks, item.sent.content, strict=True)):
        return item
    return SentMessage(Message(item.sent.role, blocks), item.original)


def _cleared(block: Block) -> Block:
    if not isinstance(block, ToolResult):
        return block
    length = text_bytes(content_text(block.content))
    marker = notice("cleared_result", bytes=length)
    return block if isinstance(block.content, str) and length <= len(marker) else replace(block, content=marker)


def _pruned(block: ToolResult, max_bytes: int) -> ToolResult:
    if longest_text_bytes(block) <= max_bytes:
        return block
    return replace(block, content=truncate_middle(content_text(block.content), max_bytes))


def _pinned_results(compacted: CompactedTranscript, *, among: frozenset[str] | None = None) -> tuple[PinnedResult, ...]:
    """The latest success of each tool that is not sent verbatim; errors never."""
    latest: dict[str, Exchange] = {}
    for exchange in compacted.exchanges():
        if not exchange.result.is_error and (among is None or exchange.call.name in among):
            latest.pop(exchange.call.name, None)
            latest[exchange.call.name] = exchange
    return tuple(
        PinnedResult(name, content_text(exchange.result.content))
        for name, exchange in latest.items()
        if not exchange.intact
    )


def _without_before(compacted: CompactedTranscript, at: int) -> CompactedTranscript:
    going = tuple(item.original for item in compacted.items[compacted.first_removable : at])
    if beside := compacted.opening_remainder:
        going = (Message("user", beside), *going)
    head = SentMessage(Message("user", compacted.task), Message("user", compacted.task))
    return replace(compacted, removed=compacted.removed + going, items=(head, *compacted.items[at:]))


def _collapsed_before(compacted: CompactedTranscript, at: int) -> CompactedTranscript:
    dropped = _without_before(compacted, at)
    pins = _pinned_results(dropped, among=frozenset(pin.tool for pin in compacted.pins)) if compacted.pins else ()
    return _with_new_head(replace(dropped, pins=pins))


def _with_new_head(compacted: CompactedTranscript) -> CompactedTranscript:
    """The transcript with its head made anew from its fields."""
    asked = () if compacted.request_is_sent else tuple(_limited(compacted, block) for block in compacted.request)
    blocks = (*compacted.task, Text(_head_text(compacted, with_question=bool(asked))), *asked)
    return replace(
        compacted, items=(SentMessage(Message("user", blocks), compacted.items[0].original), *compacted.items[1:])
    )


def _limited(compacted: CompactedTranscript, block: Block) -> Block:
    return block if compacted.head_bytes is None else truncate_block(block, compacted.head_bytes)


def _head_text(compacted: CompactedTranscript, *, with_question: bool) -> str:
    def fenced(tag: str, text: str, **attributes: str) -> str:
        shown = "".join(f' {name}="{escape(value)}"' for name, value in attributes.items())
        within = text if compacted.head_bytes is None else truncate_middle(text, compacted.head_bytes)
        return f"<{tag}{shown}>\n{escape(within, quote=False)}\n</{tag}>"

    parts: list[str] = []
    if compacted.deep_pruned:
        parts.append(notice("deep_pruned"))
    if compacted.summary is not None:
        parts += [notice("earlier_summary"), fenced("record", compacted.summary)]
    if (untold := len(compacted.removed) - compacted.summarised_count) > 0:
        parts.append(notice("left_out", count=untold))
    if compacted.pins:
        parts.append(notice("pinned_results"))
        parts += [fenced("result", pin.text, tool=pin.tool) for pin in compacted.pins]
    if with_question and compacted.preceding_reply.strip():
        parts += [notice("last_question"), fenced("said", compacted.preceding_reply)]
    return "\n".join(parts)


def _truncated(compacted: CompactedTranscript, most: int, *, keep_task: bool) -> CompactedTranscript:
    def edited(block: Block) -> Block:
        return block if keep_task and any(block is own for own in compacted.task) else truncate_block(block, most)

    shorter = _edited(compacted, len(compacted.items), edited)
    shorter = replace(shorter, task=tuple(map(edited, compacted.task)), head_bytes=most)
    return _with_new_head(shorter) if compacted.removed else shorter
