"""The rungs of compaction: each makes a smaller excerpt of an excerpt, and parts no call from its result."""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import replace
from html import escape

from sprout.loop.cutting import content_text, cut_block, cut_in_the_middle, longest, text_bytes
from sprout.loop.excerpt import Excerpt, Exchange, Kept, Pin
from sprout.loop.model import Block, Message, Text, ToolResult
from sprout.loop.notices import notice


def cleared(excerpt: Excerpt, *, keep: int) -> Excerpt:
    """Results before the last `keep` messages give way to a marker."""
    return _edited(excerpt, max(len(excerpt.kept) - keep, 0), _cleared)


def pruned(excerpt: Excerpt, *, keep_pairs: int, max_bytes: int, keep_task: bool) -> Excerpt:
    """C9: results above `max_bytes` before the last pairs become head and tail; without `keep_task` the task too."""
    task = () if keep_task else excerpt.task

    def edited(block: Block) -> Block:
        if isinstance(block, ToolResult):
            return _pruned(block, max_bytes)
        return cut_block(block, max_bytes) if any(block is own for own in task) else block

    shorter = _edited(excerpt, max(len(excerpt.kept) - 2 * keep_pairs, 0), edited)
    return shorter if keep_task else replace(shorter, task=tuple(edited(block) for block in excerpt.task))


def told(excerpt: Excerpt, at: int, summary: str | None, *, deep: bool = False) -> Excerpt:
    """Everything before `at` gives way to a summary, or without one to a notice; the latest results are pinned."""
    dropped = _dropped(excerpt, at)
    if summary is not None:
        dropped = replace(dropped, summary=summary, told=len(dropped.gone))
    return _headed(replace(dropped, pins=_pins(dropped), deep=deep, head_bytes=None))


def collapsed(excerpt: Excerpt, fits: Callable[[Excerpt], bool]) -> Excerpt:
    """Whole groups go from the middle, as few as it takes to fit; the head and the last group stay."""
    starts = [at for at, item in enumerate(excerpt.kept) if at > excerpt.first and item.sent.role == "assistant"]
    if not starts:
        return excerpt
    found = bisect_left(starts, True, key=lambda at: fits(_collapsed_before(excerpt, at)))
    return _collapsed_before(excerpt, starts[min(found, len(starts) - 1)])


def cut_to_fit(excerpt: Excerpt, fits: Callable[[Excerpt], bool], *, least_bytes: int, keep_task: bool) -> Excerpt:
    """The longest texts, results and inputs are cut, all to one length, as little as it takes to fit.

    Lengths are halved from the longest one down to `least_bytes`; below `PICTURE_BYTES` pictures go as well.
    """
    most = max((longest(block) for item in excerpt.kept for block in item.sent.content), default=0)
    shorter = excerpt
    while most > least_bytes and not fits(shorter):
        most = max(most // 2, least_bytes)
        shorter = _cut_down(excerpt, most, keep_task=keep_task)
    return shorter


def _edited(excerpt: Excerpt, before: int, edit: Callable[[Block], Block]) -> Excerpt:
    """The excerpt with `edit` made to each block before a message; messages that do not change stay the same."""
    kept = [_edited_item(item, edit) if at < before else item for at, item in enumerate(excerpt.kept)]
    return replace(excerpt, kept=tuple(kept))


def _edited_item(item: Kept, edit: Callable[[Block], Block]) -> Kept:
    blocks = tuple(edit(block) for block in item.sent.content)
    if all(new is old for new, old in zip(blocks, item.sent.content, strict=True)):
        return item
    return Kept(Message(item.sent.role, blocks), item.was)


def _cleared(block: Block) -> Block:
    if not isinstance(block, ToolResult):
        return block
    length = text_bytes(content_text(block.content))
    marker = notice("cleared_result", bytes=length)
    return block if isinstance(block.content, str) and length <= len(marker) else replace(block, content=marker)


def _pruned(block: ToolResult, max_bytes: int) -> ToolResult:
    if longest(block) <= max_bytes:
        return block
    return replace(block, content=cut_in_the_middle(content_text(block.content), max_bytes))


def _pins(excerpt: Excerpt, *, among: frozenset[str] | None = None) -> tuple[Pin, ...]:
    """The latest success of each tool that is not sent word for word; errors never (C4)."""
    latest: dict[str, Exchange] = {}
    for exchange in excerpt.exchanges():
        if not exchange.result.is_error and (among is None or exchange.call.name in among):
            latest.pop(exchange.call.name, None)
            latest[exchange.call.name] = exchange
    return tuple(
        Pin(name, content_text(exchange.result.content)) for name, exchange in latest.items() if not exchange.intact
    )


def _dropped(excerpt: Excerpt, at: int) -> Excerpt:
    going = tuple(item.was for item in excerpt.kept[excerpt.first : at])
    if beside := excerpt.beside_the_task:
        going = (Message("user", beside), *going)
    head = Kept(Message("user", excerpt.task), Message("user", excerpt.task))
    return replace(excerpt, gone=excerpt.gone + going, kept=(head, *excerpt.kept[at:]))


def _collapsed_before(excerpt: Excerpt, at: int) -> Excerpt:
    dropped = _dropped(excerpt, at)
    pins = _pins(dropped, among=frozenset(pin.tool for pin in excerpt.pins)) if excerpt.pins else ()
    return _headed(replace(dropped, pins=pins))


def _headed(excerpt: Excerpt) -> Excerpt:
    """The excerpt with its head made anew from its fields."""
    asked = () if excerpt.asked_stands else tuple(_within(excerpt, block) for block in excerpt.asked)
    blocks = (*excerpt.task, Text(_record(excerpt, with_question=bool(asked))), *asked)
    return replace(excerpt, kept=(Kept(Message("user", blocks), excerpt.kept[0].was), *excerpt.kept[1:]))


def _within(excerpt: Excerpt, block: Block) -> Block:
    return block if excerpt.head_bytes is None else cut_block(block, excerpt.head_bytes)


def _record(excerpt: Excerpt, *, with_question: bool) -> str:
    def fenced(tag: str, text: str, **attributes: str) -> str:
        shown = "".join(f' {name}="{escape(value)}"' for name, value in attributes.items())
        within = text if excerpt.head_bytes is None else cut_in_the_middle(text, excerpt.head_bytes)
        return f"<{tag}{shown}>\n{escape(within, quote=False)}\n</{tag}>"

    parts: list[str] = []
    if excerpt.deep:
        parts.append(notice("deep_pruned"))
    if excerpt.summary is not None:
        parts += [notice("earlier_summary"), fenced("record", excerpt.summary)]
    if (untold := len(excerpt.gone) - excerpt.told) > 0:
        parts.append(notice("left_out", count=untold))
    if excerpt.pins:
        parts.append(notice("pinned_results"))
        parts += [fenced("result", pin.text, tool=pin.tool) for pin in excerpt.pins]
    if with_question and excerpt.question.strip():
        parts += [notice("last_question"), fenced("said", excerpt.question)]
    return "\n".join(parts)


def _cut_down(excerpt: Excerpt, most: int, *, keep_task: bool) -> Excerpt:
    def edited(block: Block) -> Block:
        return block if keep_task and any(block is own for own in excerpt.task) else cut_block(block, most)

    shorter = _edited(excerpt, len(excerpt.kept), edited)
    shorter = replace(shorter, task=tuple(map(edited, excerpt.task)), head_bytes=most)
    return _headed(shorter) if excerpt.gone else shorter
