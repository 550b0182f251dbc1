"""Truncation of messages to a length, with a marker for what was cut."""

from collections.abc import Iterator
from dataclasses import replace

from pydantic import JsonValue

from sprout.loop.model import Block, Image, Text, ToolResult, ToolUse
from sprout.loop.model_notices import notice

PICTURE_BYTES = 4_000  # a picture goes when texts of this length would be cut


def content_text(content: str | tuple[Text | Image, ...]) -> str:
    """A result's content as text; pictures are only named."""
    if isinstance(content, str):
        return content
    return "\n".join(part.text if isinstance(part, Text) else notice("a_picture") for part in content)


def truncate_middle(text: str, max_bytes: int) -> str:
    """About `max_bytes` of head and tail of a longer text, with how much was taken out between them."""
    raw = text.encode("utf-8", "surrogatepass")
    if len(raw) <= max_bytes:
        return text
    half = max_bytes // 2
    head = raw[:half].decode("utf-8", "ignore")
    tail = raw[len(raw) - half :].decode("utf-8", "ignore")
    shorter = head + notice("pruned", bytes=len(raw) - 2 * half) + tail
    return shorter if len(shorter.encode()) < len(raw) else text


def truncate_block(block: Block, max_bytes: int) -> Block:
    """The block with each text in it cut to about `max_bytes`; the same block where nothing is cut."""
    match block:
        case Text(text):
            shorter = truncate_middle(text, max_bytes)
            return block if shorter == text else Text(shorter)
        case Image():
            return Text(notice("dropped_picture")) if max_bytes < PICTURE_BYTES else block
        case ToolResult():
            return _truncate_result(block, max_bytes)
        case ToolUse(_, _, given):
            smaller = {name: _truncate_value(value, max_bytes) for name, value in given.items()}
            return block if smaller == given else replace(block, input=smaller)
        case _:
            return block


def longest_text_bytes(block: Block) -> int:
    """The bytes of the longest text that `truncate_block` could cut; a picture counts as a text that is about to go."""
    match block:
        case Text(text):
            return text_bytes(text)
        case Image():
            return 2 * PICTURE_BYTES
        case ToolResult(_, content):
            parts = (Text(content),) if isinstance(content, str) else content
            return max((longest_text_bytes(part) for part in parts), default=0)
        case ToolUse(_, _, given):
            return max((text_bytes(text) for text in _strings(dict(given))), default=0)
        case _:
            return 0


def text_bytes(text: str) -> int:
    """The length in UTF-8; half characters, which a model's JSON may hold, count too."""
    return len(text.encode("utf-8", "surrogatepass"))


def _truncate_result(result: ToolResult, max_bytes: int) -> ToolResult:
    if isinstance(result.content, str):
        shorter = truncate_middle(result.content, max_bytes)
        return result if shorter == result.content else replace(result, content=shorter)
    parts = tuple(truncate_block(part, max_bytes) for part in result.content)
    if parts == result.content:
        return result
    return replace(result, content=tuple(part for part in parts if isinstance(part, (Text, Image))))


def _truncate_value(value: JsonValue, max_bytes: int) -> JsonValue:
    match value:
        case str():
            return truncate_middle(value, max_bytes)
        case list():
            return [_truncate_value(item, max_bytes) for item in value]
        case dict():
            return {name: _truncate_value(item, max_bytes) for name, item in value.items()}
        case _:
            return value


def _strings(value: JsonValue) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for item in value:
                yield from _strings(item)
        case dict():
            for item in value.values():
                yield from _strings(item)
