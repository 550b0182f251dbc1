"""A ChatModel that speaks the Messages API through the anthropic SDK, with our own strict reading of the stream."""

import json
import re
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import anthropic
import httpx2
from anthropic import AsyncAnthropic, AsyncStream, DefaultAioHttpClient

from sprout.events import Usage
from sprout.llm.catalogue import ModelFacts, facts_of
from sprout.llm.failures import FailureInStream, as_failure, failure_in_stream
from sprout.llm.wire import Family, request_body
from sprout.loop.characters import whole_characters
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
MAX_DEPTH = 64
COUNTED = frozenset({"model", "system", "messages", "tools", "tool_choice", "thinking"})
MAX_NAME = 128
NOT_IN_A_NAME = re.compile(r"[^a-zA-Z0-9_-]")
WHOLE_REPLY_S = 1_200.0
CHARACTERS_OF_A_TOKEN = 16  # far more than any text has on average: who sends more does not heed `max_tokens`
BYTES_OF_A_TOKEN = 2_000  # as an event of its own, and then some
BYTES_OF_THE_REST = 1024 * 1024
MOST_COUNTED = 10**12


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
        reading = _Reading(facts, request.spoken, most_characters=body["max_tokens"] * CHARACTERS_OF_A_TOKEN)
        try:
            stream = await self._client.messages.create(**body, stream=True)
            async with stream:
                # Raw events: making the SDK's objects of them would cost half of a run's CPU.
                bounded = cast(httpx2.Response, _Bounded(stream.response, _most_bytes(body["max_tokens"])))
                async for sse in AsyncStream.raw_events(bounded):
                    for part in reading.parts(sse.json()):
                        yield part
                    if reading.outran:
                        for part in reading.ended_here():
                            yield part
                        return
        except FailureInStream as told:
            raise failure_in_stream(told, model=request.model) from told
        except (
            anthropic.AnthropicError,
            httpx2.TransportError,
            ValueError,
            TypeError,
            LookupError,
            RecursionError,
        ) as error:
            raise as_failure(error, model=request.model, streaming=reading.begun) from error

    async def prompt_tokens(self, request: ModelRequest) -> int:
        """How many tokens the provider counts in a prompt: exact, but a call over the network.

        Raises ModelFailure, also where the server does not count.
        """
        body = request_body(request, facts_of(request.model), self._thinking_tokens)
        asked = {name: value for name, value in body.items() if name in COUNTED}
        try:
            return (await self._client.messages.count_tokens(**asked)).input_tokens
        except (anthropic.AnthropicError, httpx2.TransportError, ValueError) as error:
            raise as_failure(error, model=request.model, streaming=False) from error


class _Bounded:
    """The bytes of a response, up to so many: a line without end would be gathered until there is no memory left."""

    def __init__(self, response: httpx2.Response, most_bytes: int) -> None:
        self._response = response
        self._left = most_bytes

    async def aiter_bytes(self) -> AsyncGenerator[bytes, None]:
        async for piece in self._response.aiter_bytes():
            self._left -= len(piece)
            if self._left < 0:
                raise ValueError("the reply is longer than any reply can be")
            yield piece


def _most_bytes(max_tokens: int) -> int:
    return max_tokens * BYTES_OF_A_TOKEN + BYTES_OF_THE_REST


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

    def __init__(self, facts: ModelFacts, spoken: frozenset[str], *, most_characters: int) -> None:
        self.begun = False
        self._left = most_characters
        self._facts = facts
        self._spoken = spoken
        self._open: dict[int, _Open] = {}
        self._usage = Usage()
        self._stop_reason: str | None = None

    @property
    def outran(self) -> bool:
        """Whether more has come than the request had room for."""
        return self._left < 0

    def ended_here(self) -> list[ReplyPart]:
        """What a server that heeds `max_tokens` would have sent now."""
        closed = [part for index, block in self._open.items() for part in _closed(index, block)]
        return [*closed, ReplyEnded("max_tokens")]

    def parts(self, event: object) -> list[ReplyPart]:
        """What an event adds; events of kinds that are not known add nothing.

        Raises FailureInStream; TypeError, ValueError or LookupError for what is no event at all.
        """
        event = _mapping(event)
        match event["type"]:
            case "content_block_delta":
                return self._delta(_index(event), _mapping(event["delta"]))
            case "content_block_start":
                index, block = _index(event), _mapping(event["content_block"])
                self._open[index] = _opened(block)
                return self._grown(index, "text", block["text"]) if block.get("text") else []
            case "content_block_stop":
                ended = self._open.pop(_index(event), None)
                return [] if ended is None else _closed(_index(event), ended)
            case "message_start":
                self.begun = True
                return self._counted(_mapping(_mapping(event["message"]).get("usage") or {}))
            case "message_delta":
                if reason := _mapping(event["delta"]).get("stop_reason"):
                    self._stop_reason = _text(reason)
                return self._counted(_mapping(event.get("usage") or {}))
            case "message_stop" if self._stop_reason:
                return [ReplyEnded(self._stop_reason)]
            case "error":
                raise FailureInStream(_mapping(event["error"]))
        return []

    def _delta(self, index: int, delta: Mapping[str, Any]) -> list[ReplyPart]:
        block = self._open.get(index)
        if block is None:
            return []
        match delta["type"]:
            case "text_delta":
                return self._grown(index, "text", delta["text"])
            case "thinking_delta":
                return self._grown(index, "thinking", delta["thinking"])
            case "signature_delta":
                block.signature += _text(delta["signature"])
            case "input_json_delta":
                piece = _text(delta["partial_json"])
                self._left -= len(piece)
                block.pieces.append(piece)
                if block.tool_name in self._spoken:
                    return [InputPart(index, block.tool_name, piece)]
        return []

    def _grown(self, index: int, kind: str, said: object) -> list[ReplyPart]:
        text = _text(said)
        self._left -= len(text)
        self._open[index].pieces.append(text)
        return [ThinkingPart(index, text) if kind == "thinking" else TextPart(index, text)]

    def _counted(self, usage: Mapping[str, Any]) -> list[ReplyPart]:
        """Totals so far; a field that a message leaves out keeps its last value."""
        fresh = {
            "input_tokens": usage.get("input_tokens"),
            "output_tokens": usage.get("output_tokens"),
            "cache_write_tokens": usage.get("cache_creation_input_tokens"),
            "cache_read_tokens": usage.get("cache_read_input_tokens"),
        }
        known = {name: value for name, value in fresh.items() if type(value) is int and 0 <= value <= MOST_COUNTED}
        self._usage = self._facts.priced(self._usage.model_copy(update=known))
        return [UsagePart(self._usage)]


def _opened(block: Mapping[str, Any]) -> _Open:
    if block["type"] in ("tool_use", "server_tool_use"):
        name = NOT_IN_A_NAME.sub("_", str(block["name"]))[:MAX_NAME] or "_"  # history must be fit to be sent again
        return _Open("tool_use", tool_id=_text(block["id"]), tool_name=name, given_input=block.get("input"))
    signature, data = _text(block.get("signature") or ""), _text(block.get("data") or "")
    return _Open(_text(block["type"]), signature=signature, data=data)


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
        return whole_characters(value)
    raise TypeError(f"text is needed, not {type(value).__name__}")


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


def _cleaned(value: Any, depth: int) -> Any:
    """A value whose texts can be stored. Raises ValueError where it is nested deeper than anything sensible."""
    if not depth:
        raise ValueError(f"it is nested more than {MAX_DEPTH} levels deep")
    match value:
        case str():
            return whole_characters(value)
        case list():
            return [_cleaned(item, depth - 1) for item in value]
        case dict():
            return {whole_characters(name): _cleaned(item, depth - 1) for name, item in value.items()}
    return value


def _tool_use(index: int, block: _Open, raw: str) -> BlockDone:
    """Strict where the SDK's own helper is not: it takes JSON that was cut off for whole."""
    problem: str | None = None
    given: Any = block.given_input or {}
    try:
        given = _cleaned(json.loads(raw) if raw.strip() else given, MAX_DEPTH)
    except (ValueError, RecursionError) as error:
        problem = str(error)
    if problem is None and not isinstance(given, dict):
        problem = f"an object is needed, not {type(given).__name__}"
    return BlockDone(index, ToolUse(block.tool_id, block.tool_name, {} if problem else given), problem)
