"""Tool calls in a fixed form, for models that call no tools: requests that ask for one JSON object, and its calls."""

import json
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

from pydantic import JsonValue

from sprout.agents.prompts import Prompt, read_prompt
from sprout.ids import new_id
from sprout.llm.catalogue import UNKNOWN, facts_of
from sprout.llm.mended_json import read_value
from sprout.loop.model import (
    BlockDone,
    ChatModel,
    Image,
    Message,
    ModelRequest,
    ReplyEnded,
    ReplyPart,
    Text,
    TextPart,
    ToolResult,
    ToolSpec,
    ToolUse,
)
from sprout.runs.model_probes import ModelProbes

CALLS, WORDS, RESULTS = "calls", "words", "results"
NAME, INPUT = "name", "input"
SHAPES = "$defs"
UNREADABLE = "the answer is not one JSON object of words and calls"


class CallsInForm:
    """A ChatModel that asks in the fixed form where a model's last probe says that it needs that."""

    def __init__(self, chat: ChatModel, probes: ModelProbes) -> None:
        self._chat = chat
        self._probes = probes

    async def reply(self, request: ModelRequest) -> AsyncGenerator[ReplyPart, None]:
        may_need = bool(request.tools) and facts_of(request.model) is UNKNOWN
        probe = await self._probes.of(request.model) if may_need else None
        in_form = probe is not None and probe.fitness == "answers_in_form"
        async with aclosing(reply_in_form(self._chat, request) if in_form else self._chat.reply(request)) as parts:
            async for part in parts:
                yield part


async def reply_in_form(chat: ChatModel, request: ModelRequest) -> AsyncGenerator[ReplyPart, None]:
    """A reply whose calls are asked for as one JSON object, as if the model had called the tools."""
    called = False
    async with aclosing(chat.reply(request_in_form(request))) as parts:
        async for part in parts:
            match part:
                case TextPart():  # nothing of the object is words before it is whole
                    continue
                case BlockDone(index, Text(text)):
                    for read in _parts_of(text, request.tools, index):
                        called = called or (isinstance(read, BlockDone) and isinstance(read.block, ToolUse))
                        yield read
                case ReplyEnded("end_turn") if called:
                    yield ReplyEnded("tool_use")
                case _:
                    yield part


def request_in_form(request: ModelRequest) -> ModelRequest:
    """The request without tools: they stand in the system prompt, their calls and results in the messages as JSON."""
    callable_tools = () if request.tool_choice == "none" else request.tools
    names = {block.id: block.name for one in request.messages for block in one.content if isinstance(block, ToolUse)}
    form = calls_prompt().fill(tools="\n\n".join(map(_described, request.tools)))
    return replace(
        request,
        system=f"{request.system}\n\n{form}".strip(),
        messages=tuple(_message_in_form(message, names) for message in request.messages),
        tools=(),
        tool_choice="auto",
        spoken=frozenset(),
        output_schema=_form_schema(callable_tools),
    )


@cache
def calls_prompt() -> Prompt:
    """The prompt that explains the form. Raises SetupError."""
    text = files("sprout.llm").joinpath("calls_in_form.md").read_text(encoding="utf-8")
    return read_prompt("calls_in_form", text)


def _described(tool: ToolSpec) -> str:
    return f"`{tool.name}`: {tool.description}\nInput: {json.dumps(tool.schema, ensure_ascii=False)}"


def _form_schema(tools: Sequence[ToolSpec]) -> dict[str, JsonValue]:
    """The JSON schema of an answer; without tools it has no calls."""
    inputs = {tool.name: _self_contained(tool) for tool in tools}
    each: list[JsonValue] = [_object({NAME: {"const": name}, INPUT: schema}) for name, schema in inputs.items()]
    calls: JsonValue = {"type": "array", "items": {"anyOf": each}} if each else {"type": "array", "maxItems": 0}
    shapes = {name: shape for schema in inputs.values() for name, shape in schema.pop(SHAPES, {}).items()}
    return _object({WORDS: {"type": "string"}, CALLS: calls}) | ({SHAPES: shapes} if shapes else {})


def _self_contained(tool: ToolSpec) -> dict[str, Any]:
    """The schema of a tool's input whose named shapes are those of this tool alone, wherever they stand."""
    written = json.dumps(tool.schema).replace(f'"#/{SHAPES}/', f'"#/{SHAPES}/{tool.name}.')
    schema: dict[str, Any] = json.loads(written)
    if SHAPES in schema:
        schema[SHAPES] = {f"{tool.name}.{name}": shape for name, shape in schema[SHAPES].items()}
    return schema


def _object(properties: dict[str, JsonValue]) -> dict[str, JsonValue]:
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def _message_in_form(message: Message, names: Mapping[str, str]) -> Message:
    """A message whose calls are one JSON object, and so are its results; thinking is left out.

    Args:
        names: the tools of all calls, by the ids of the calls.
    """
    if message.role == "assistant":
        words = "\n".join(block.text for block in message.content if isinstance(block, Text))
        calls: list[JsonValue] = [
            {NAME: block.name, INPUT: dict(block.input)} for block in message.content if isinstance(block, ToolUse)
        ]
        return Message("assistant", (Text(_json({WORDS: words, CALLS: calls})),))
    results = [block for block in message.content if isinstance(block, ToolResult)]
    if not results:
        return message
    told: list[JsonValue] = [
        {NAME: names.get(one.call_id, ""), "result": _text_of(one), "is_error": one.is_error} for one in results
    ]
    pictures = [block for one in results for block in one.content if isinstance(block, Image)]
    others = [block for block in message.content if not isinstance(block, ToolResult)]
    return Message("user", (Text(_json({RESULTS: told})), *pictures, *others))


def _text_of(result: ToolResult) -> str:
    if isinstance(result.content, str):
        return result.content
    return "\n".join(block.text for block in result.content if isinstance(block, Text))


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)


def _parts_of(text: str, tools: Sequence[ToolSpec], index: int) -> Iterator[ReplyPart]:
    """The words and calls of an answer. One that is no object is words; a broken object is a call that failed."""
    answer = _read(text)
    if answer is None:
        yield from _unreadable(text, tools, index)
        return
    words, calls = answer.get(WORDS), answer.get(CALLS)
    if isinstance(words, str) and words.strip():
        yield TextPart(index, words)
        yield BlockDone(index, Text(words))
    for place, call in enumerate(calls if isinstance(calls, list) else (), start=1):
        name, given = (call.get(NAME), call.get(INPUT)) if isinstance(call, dict) else (None, None)
        if isinstance(name, str) and name:
            problem = None if isinstance(given, dict) else "an object is needed as input"
            yield BlockDone(index + place, _call(name, given if isinstance(given, dict) else {}), problem)


def _read(text: str) -> dict[str, Any] | None:
    """The object that an answer is, or nearly; None where it is another value, or none."""
    try:
        found = read_value(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _unreadable(text: str, tools: Sequence[ToolSpec], index: int) -> Iterator[ReplyPart]:
    if not text.lstrip().startswith("{"):
        yield TextPart(index, text)
        yield BlockDone(index, Text(text))
        return
    named = next((tool.name for tool in tools if f'"{tool.name}"' in text), None)
    if named is not None:
        yield BlockDone(index, _call(named, {}), UNREADABLE)


def _call(name: str, given: dict[str, JsonValue]) -> ToolUse:
    return ToolUse(f"call_{new_id()}", name, given)
