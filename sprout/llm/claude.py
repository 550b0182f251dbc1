"""A ChatModel that speaks the Messages API through the anthropic SDK, with our own strict reading of the stream."""

import asyncio
import json
import re
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, cast

import anthropic
import httpx2
from anthropic import AsyncAnthropic, AsyncStream, DefaultAioHttpClient
from pydantic_core import from_json

from sprout.events import Usage
from sprout.llm.catalogue import ModelFacts, facts_of
from sprout.llm.failures import StreamError, model_failure_of, stream_failure
from sprout.llm.mended_json import read_value, sanitised
from sprout.llm.request_body import Family, request_body
from sprout.llm.tagged_thinking import TaggedThinking, without_thinking
from sprout.loop.encoding.surrogates import replace_surrogates
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

CONNECT_TIMEOUT_S = 5.0
COUNT_TOKENS_FIELDS = frozenset({"model", "system", "messages", "tools", "tool_choice", "thinking"})
MAX_NAME = 128
INVALID_NAME_CHARACTER = re.compile(r"[^a-zA-Z0-9_-]")
REPLY_TIMEOUT_S = 1_200.0
MAX_CHARACTERS_PER_TOKEN = 16  # far more than any text has on average: who sends more does not heed `max_tokens`
MAX_BYTES_PER_TOKEN = 2_000  # as an event of its own, and then some
MAX_OVERHEAD_BYTES = 1024 * 1024
MAX_REPORTED_TOKENS = 10**12


def claude_client(
    *, api_key: str, base_url: str | None, idle_s: float, first_byte_s: float | None = None
) -> AsyncAnthropic:
    """An SDK client whose retries are off and whose streams die after `idle_s` seconds without a byte.

    Both ways of sending the key are used, since compatible servers read one or the other.

    Args:
        first_byte_s: how long a reply may take to begin; then `Claude` needs the same `idle_s`.
    """
    timeout = httpx2.Timeout(REPLY_TIMEOUT_S, connect=CONNECT_TIMEOUT_S, read=first_byte_s or idle_s)
    return AsyncAnthropic(
        api_key=api_key,
        base_url=base_url,
        max_retries=0,
        timeout=timeout,
        default_headers={"x-api-key": api_key} if base_url else None,
        http_client=DefaultAioHttpClient(timeout=timeout, verify=_tls_context()),
    )


@cache
def _tls_context() -> ssl.SSLContext:
    """The trusted certificates. All clients share them: parsing them takes a tenth of a second."""
    return httpx2.create_ssl_context()


class Claude:
    """Any model behind the Messages API.

    Args:
        idle_s: how long a stream that has begun may be silent; None: as long as the client waits for any byte.
    """

    def __init__(
        self, client: AsyncAnthropic, *, thinking_tokens: Mapping[Family, int], idle_s: float | None = None
    ) -> None:
        self._client = client
        self._thinking_tokens = thinking_tokens
        self._idle_s = idle_s

    async def reply(self, request: ModelRequest) -> AsyncGenerator[ReplyPart, None]:
        facts = facts_of(request.model)
        body = request_body(request, facts, self._thinking_tokens)
        reading = _StreamParser(facts, request.spoken, most_characters=body["max_tokens"] * MAX_CHARACTERS_PER_TOKEN)
        try:
            stream = await self._client.messages.create(**body, stream=True)
            async with stream:
                # Raw events: making the SDK's objects of them would cost half of a run's CPU.
                bounded = cast(
                    httpx2.Response, _BoundedResponse(stream.response, _most_bytes(body["max_tokens"]), self._idle_s)
                )
                async for sse in AsyncStream.raw_events(bounded):
                    for part in reading.parts(_parsed(sse.data)):
                        yield part
                    if reading.over_limit:
                        for part in reading.truncated_parts():
                            yield part
                        return
        except StreamError as told:
            raise stream_failure(told, model=request.model) from told
        except (
            anthropic.AnthropicError,
            httpx2.TransportError,
            ValueError,
            TypeError,
            LookupError,
            RecursionError,
        ) as error:
            raise model_failure_of(error, model=request.model, streaming=reading.started) from error

    async def prompt_tokens(self, request: ModelRequest) -> int:
        """Number of tokens that the provider counts in a prompt: exact, but a call over the network.

        Raises ModelFailure, also if the server does not count tokens.
        """
        body = request_body(request, facts_of(request.model), self._thinking_tokens)
        asked = {name: value for name, value in body.items() if name in COUNT_TOKENS_FIELDS}
        try:
            return (await self._client.messages.count_tokens(**asked)).input_tokens
        except (anthropic.AnthropicError, httpx2.TransportError, ValueError) as error:
            raise model_failure_of(error, model=request.model, streaming=False) from error


class _BoundedResponse:
    """The bytes of a response, up to so many: a line without end would be gathered until there is no memory left.

    Once they have begun to come, they may not pause for longer than `idle_s`.
    """

    def __init__(self, response: httpx2.Response, most_bytes: int, idle_s: float | None) -> None:
        self._response = response
        self._left = most_bytes
        self._idle_s = idle_s

    async def aiter_bytes(self) -> AsyncGenerator[bytes, None]:
        pieces, wait_s = aiter(self._response.aiter_bytes()), None
        while (piece := await _next_piece(pieces, wait_s)) is not None:
            self._left -= len(piece)
            if self._left < 0:
                raise ValueError("the reply is longer than any reply can be")
            yield piece
            wait_s = self._idle_s


async def _next_piece(pieces: AsyncIterator[bytes], wait_s: float | None) -> bytes | None:
    """The next bytes; None at their end. Raises httpx2.ReadTimeout."""
    try:
        async with asyncio.timeout(wait_s):
            return await anext(pieces, None)
    except TimeoutError:
        raise httpx2.ReadTimeout(f"no byte for {wait_s} s") from None


def _most_bytes(max_tokens: int) -> int:
    return max_tokens * MAX_BYTES_PER_TOKEN + MAX_OVERHEAD_BYTES


@dataclass(slots=True)
class _OpenBlock:
    """A block that is still coming; tool input is collected as the text it is sent as."""

    kind: str
    tool_id: str = ""
    tool_name: str = ""
    initial_input: Any = None
    signature: str = ""
    data: str = ""
    chunks: list[str] = field(default_factory=list)
    thinking: TaggedThinking = field(default_factory=TaggedThinking)


class _StreamParser:
    """Turns raw stream events into parts: a block counts when its end was seen, the reply when `message_stop` was."""

    def __init__(self, facts: ModelFacts, spoken: frozenset[str], *, most_characters: int) -> None:
        self.started = False
        self._left = most_characters
        self._facts = facts
        self._spoken = spoken
        self._open: dict[int, _OpenBlock] = {}
        self._usage = Usage()
        self._stop_reason: str | None = None

    @property
    def over_limit(self) -> bool:
        """Whether more has come than the request had room for."""
        return self._left < 0

    def truncated_parts(self) -> list[ReplyPart]:
        """Parts with which a server that heeds `max_tokens` would have ended the reply now."""
        closed = [part for index, block in self._open.items() for part in _finished_parts(index, block)]
        return [*closed, ReplyEnded("max_tokens")]

    def parts(self, event: object) -> list[ReplyPart]:
        """Parts that an event adds; none for an event of an unknown kind.

        Raises StreamError; TypeError, ValueError or LookupError for what is no event at all.
        """
        event = _mapping(event)
        match event["type"]:
            case "content_block_delta":
                return self._delta(_index(event), _mapping(event["delta"]))
            case "content_block_start":
                index, block = _index(event), _mapping(event["content_block"])
                self._open[index] = _open_block(block)
                return self._append_text(index, "text", block["text"]) if block.get("text") else []
            case "content_block_stop":
                ended = self._open.pop(_index(event), None)
                return [] if ended is None else _finished_parts(_index(event), ended)
            case "message_start":
                self.started = True
                return self._update_usage(_mapping(_mapping(event["message"]).get("usage") or {}))
            case "message_delta":
                if reason := _mapping(event["delta"]).get("stop_reason"):
                    self._stop_reason = _text(reason)
                return self._update_usage(_mapping(event.get("usage") or {}))
            case "message_stop" if self._stop_reason:
                return [ReplyEnded(self._stop_reason)]
            case "error":
                raise StreamError(_mapping(event["error"]))
        return []

    def _delta(self, index: int, delta: Mapping[str, Any]) -> list[ReplyPart]:
        block = self._open.get(index)
        if block is None:
            return []
        match delta["type"]:
            case "text_delta":
                return self._append_text(index, "text", delta["text"])
            case "thinking_delta":
                return self._append_text(index, "thinking", delta["thinking"])
            case "signature_delta":
                block.signature += _text(delta["signature"])
            case "input_json_delta":
                piece = _text(delta["partial_json"])
                self._left -= len(piece)
                block.chunks.append(piece)
                if block.tool_name in self._spoken:
                    return [InputPart(index, block.tool_name, piece)]
        return []

    def _append_text(self, index: int, kind: str, said: object) -> list[ReplyPart]:
        text = _text(said)
        self._left -= len(text)
        block = self._open[index]
        block.chunks.append(text)
        if kind == "thinking":
            return [ThinkingPart(index, text)]
        thought_before = block.thinking.begun
        answer = block.thinking.feed(text)
        begins: list[ReplyPart] = [ThinkingPart(index, "")] if block.thinking.begun and not thought_before else []
        return [*begins, *([TextPart(index, answer)] if answer else [])]

    def _update_usage(self, usage: Mapping[str, Any]) -> list[ReplyPart]:
        """Totals so far; a field that a message leaves out keeps its last value."""
        fresh = {
            "input_tokens": usage.get("input_tokens"),
            "output_tokens": usage.get("output_tokens"),
            "cache_write_tokens": usage.get("cache_creation_input_tokens"),
            "cache_read_tokens": usage.get("cache_read_input_tokens"),
        }
        known = {
            name: value for name, value in fresh.items() if type(value) is int and 0 <= value <= MAX_REPORTED_TOKENS
        }
        self._usage = self._facts.priced(self._usage.model_copy(update=known))
        return [UsagePart(self._usage)]


def _open_block(block: Mapping[str, Any]) -> _OpenBlock:
    if block["type"] in ("tool_use", "server_tool_use"):
        name = (
            INVALID_NAME_CHARACTER.sub("_", str(block["name"]))[:MAX_NAME] or "_"
        )  # history must be fit to be sent again
        return _OpenBlock("tool_use", tool_id=_text(block["id"]), tool_name=name, initial_input=block.get("input"))
    signature, data = _text(block.get("signature") or ""), _text(block.get("data") or "")
    return _OpenBlock(_text(block["type"]), signature=signature, data=data)


def _parsed(data: str) -> object:
    """An event's data. Raises ValueError, RecursionError."""
    try:
        return from_json(data)  # in a third of the time of the standard library
    except ValueError:
        return json.loads(data)  # takes halves of surrogate pairs too, which some servers send one by one


def _mapping(value: object) -> Mapping[str, Any]:
    """The value, which is an object. Raises TypeError."""
    if isinstance(value, dict):
        return value
    raise TypeError(f"an object is needed, not {type(value).__name__}")


def _index(event: Mapping[str, Any]) -> int:
    """Which block an event is about. Raises TypeError, LookupError."""
    index = event["index"]
    if type(index) is int:
        return index
    raise TypeError(f"a number is needed, not {type(index).__name__}")


def _text(value: object) -> str:
    """The value, which is text, as it can be stored. Raises TypeError."""
    if isinstance(value, str):
        return replace_surrogates(value)
    raise TypeError(f"text is needed, not {type(value).__name__}")


def _finished_parts(index: int, block: _OpenBlock) -> list[ReplyPart]:
    text = "".join(block.chunks)
    match block.kind:
        case "text":
            return [BlockDone(index, Text(without_thinking(text)))]
        case "thinking":
            return [BlockDone(index, Thinking(text, block.signature))]
        case "redacted_thinking":
            return [BlockDone(index, RedactedThinking(block.data))]
        case "tool_use":
            return [_tool_use(index, block, text)]
    return []


def _tool_use(index: int, block: _OpenBlock, raw: str) -> BlockDone:
    """Strict where the SDK's own helper is not: it takes JSON that was cut off for whole."""
    problem: str | None = None
    given: Any = block.initial_input or {}
    try:
        given = read_value(raw) if raw.strip() else sanitised(given)
    except (ValueError, RecursionError) as error:
        problem = str(error)
    if problem is None and not isinstance(given, dict):
        problem = f"an object is needed, not {type(given).__name__}"
    return BlockDone(index, ToolUse(block.tool_id, block.tool_name, {} if problem else given), problem)
