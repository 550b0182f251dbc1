"""A ChatModel that speaks the Messages API through the anthropic SDK, with our own strict reading of the stream."""

import json
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from typing import Any

import anthropic
import httpx2
from anthropic import AsyncAnthropic, DefaultAioHttpClient
from anthropic.types import RawMessageStreamEvent

from sprout.events import Usage
from sprout.llm.catalogue import ModelFacts, facts_of
from sprout.llm.failures import as_failure
from sprout.llm.wire import Family, request_body
from sprout.loop.model import (
    BlockDone,
    InputPart,
    ModelRequest,
    RedactedThinking,
    ReplyEnded,
    ReplyPart,
    Text,
    TextPart,
    Thinking,
    ThinkingPart,
    ToolUse,
    UsagePart,
)

CONNECT_S = 5.0
WHOLE_REPLY_S = 1_200.0


def claude_client(*, api_key: str, base_url: str | None, idle_s: float) -> AsyncAnthropic:
    """An SDK client whose retries are off and whose streams die after `idle_s` seconds without a byte.

    Both ways of sending the key are used, since compatible servers read one or the other.
    """
    timeout = httpx2.Timeout(WHOLE_REPLY_S, connect=CONNECT_S, read=idle_s)
    return AsyncAnthropic(
        api_key=api_key,
        base_url=base_url,
        max_retries=0,
        timeout=timeout,
        default_headers={"x-api-key": api_key} if base_url else None,
        http_client=DefaultAioHttpClient(timeout=timeout),
    )


class Claude:
    """Any model behind the Messages API."""

    def __init__(self, client: AsyncAnthropic, *, thinking_tokens: Mapping[Family, int]) -> None:
        self._client = client
        self._thinking_tokens = thinking_tokens

    async def reply(self, request: ModelRequest) -> AsyncGenerator[ReplyPart, None]:
        facts = facts_of(request.model)
        body = request_body(request, facts, self._thinking_tokens)
        reading = _Reading(facts)
        try:
            stream = await self._client.messages.create(**body, stream=True)
            async with stream:
                async for event in stream:
                    for part in reading.parts(event):
                        yield part
        except (anthropic.AnthropicError, httpx2.TransportError, ValueError) as error:
            raise as_failure(error, model=request.model, streaming=reading.begun) from error


@dataclass(slots=True)
class _Open:
    """A block that is still coming; tool input is collected as the text it is sent as."""

    kind: str
    tool_id: str = ""
    tool_name: str = ""
    given_input: Any = None
    signature: str = ""
    data: str = ""
    pieces: list[str] = field(default_factory=list)


class _Reading:
    """Turns raw stream events into parts: a block counts when its end was seen, the reply when `message_stop` was."""

    def __init__(self, facts: ModelFacts) -> None:
        self.begun = False
        self._facts = facts
        self._open: dict[int, _Open] = {}
        self._usage = Usage()
        self._stop_reason: str | None = None

    def parts(self, event: RawMessageStreamEvent) -> list[ReplyPart]:
        match event.type:
            case "message_start":
                self.begun = True
                return self._counted(event.message.usage)
            case "content_block_start":
                self._open[event.index] = _opened(event.content_block)
                text = getattr(event.content_block, "text", "")
                return self._grown(event.index, "text", text) if text else []
            case "content_block_delta":
                return self._delta(event.index, event.delta)
            case "content_block_stop":
                block = self._open.pop(event.index, None)
                return [] if block is None else _closed(event.index, block)
            case "message_delta":
                self._stop_reason = event.delta.stop_reason or self._stop_reason
                return self._counted(event.usage)
            case "message_stop" if self._stop_reason:
                return [ReplyEnded(self._stop_reason)]
        return []

    def _delta(self, index: int, delta: Any) -> list[ReplyPart]:
        block = self._open.get(index)
        if block is None:
            return []
        match delta.type:
            case "text_delta":
                return self._grown(index, "text", delta.text)
            case "thinking_delta":
                return self._grown(index, "thinking", delta.thinking)
            case "signature_delta":
                block.signature += delta.signature
            case "input_json_delta":
                block.pieces.append(delta.partial_json)
                return [InputPart(index, block.tool_name, delta.partial_json)]
        return []

    def _grown(self, index: int, kind: str, text: str) -> list[ReplyPart]:
        self._open[index].pieces.append(text)
        return [ThinkingPart(index, text) if kind == "thinking" else TextPart(index, text)]

    def _counted(self, usage: Any) -> list[ReplyPart]:
        """Totals so far; a field that a message leaves out keeps its last value."""
        fresh = {
            "input_tokens": getattr(usage, "input_tokens", None),
            "output_tokens": getattr(usage, "output_tokens", None),
            "cache_write_tokens": getattr(usage, "cache_creation_input_tokens", None),
            "cache_read_tokens": getattr(usage, "cache_read_input_tokens", None),
        }
        known = {name: value for name, value in fresh.items() if value is not None}
        self._usage = self._facts.priced(self._usage.model_copy(update=known))
        return [UsagePart(self._usage)]


def _opened(block: Any) -> _Open:
    if block.type in ("tool_use", "server_tool_use"):
        return _Open("tool_use", tool_id=block.id, tool_name=block.name, given_input=block.input)
    return _Open(block.type, signature=getattr(block, "signature", "") or "", data=getattr(block, "data", ""))


def _closed(index: int, block: _Open) -> list[ReplyPart]:
    text = "".join(block.pieces)
    match block.kind:
        case "text":
            return [BlockDone(index, Text(text))]
        case "thinking":
            return [BlockDone(index, Thinking(text, block.signature))]
        case "redacted_thinking":
            return [BlockDone(index, RedactedThinking(block.data))]
        case "tool_use":
            return [_tool_use(index, block, text)]
    return []


def _tool_use(index: int, block: _Open, raw: str) -> BlockDone:
    """Strict where the SDK's own helper is not: it takes JSON that was cut off for whole."""
    problem: str | None = None
    given: Any = block.given_input or {}
    if raw.strip():
        try:
            given = json.loads(raw)
        except ValueError as error:
            problem = str(error)
    if problem is None and not isinstance(given, dict):
        problem = f"an object is needed, not {type(given).__name__}"
    return BlockDone(index, ToolUse(block.tool_id, block.tool_name, {} if problem else given), problem)
