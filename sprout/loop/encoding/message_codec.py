"""Codec of messages and results: written and read back exactly, or refused."""

import json
from collections.abc import Sequence
from typing import Literal

from pydantic import JsonValue

from sprout.errors import SproutError
from sprout.loop.model import Block, Image, Message, RedactedThinking, Text, Thinking, ToolResult, ToolUse

Content = str | tuple[Text | Image, ...]

# What begins with the mark is not the text itself: a second mark stands for one, a word says what else it is.
MARK = "§"
PARTS = f"{MARK}parts:"
QUOTED = f"{MARK}text:"


class DecodingError(SproutError):
    """Something that was kept cannot be read; the message says what is wrong with it."""


def messages_as_json(messages: Sequence[Message]) -> str:
    """The messages as one line of JSON: each block with the name of its kind."""
    told: list[JsonValue] = [
        {"role": message.role, "content": [block_as_data(block) for block in message.content]} for message in messages
    ]
    return to_json(told)


def messages_from_json(text: str) -> tuple[Message, ...]:
    """The messages again. Raises DecodingError."""
    data = parse_json(text)
    if not isinstance(data, list):
        raise DecodingError(f"messages are a list, and this is {_excerpt_of(data)}")
    return tuple(_message(one) for one in data)


def result_as_text(content: Content) -> str:
    """A result's content as one text that a database takes; a plain text stays as it is, whatever it looks like."""
    if not isinstance(content, str):
        return PARTS + to_json([block_as_data(part) for part in content])
    if not _is_storable(content):
        return QUOTED + json.dumps(content)
    return MARK + content if content.startswith(MARK) else content


def result_from_text(text: str) -> Content:
    """The content again. Raises DecodingError."""
    if text.startswith(MARK + MARK):
        return text[len(MARK) :]
    if text.startswith(QUOTED):
        content = parse_json(text.removeprefix(QUOTED))
        if isinstance(content, str):
            return content
    elif text.startswith(PARTS):
        return _content(parse_json(text.removeprefix(PARTS)))
    elif not text.startswith(MARK):
        return text
    raise DecodingError(f"a result cannot begin like this: {text[:40]!r}")


def texts_as_json(said: Sequence[Text]) -> str:
    """Texts of a reply before a call, as a JSON list."""
    return to_json([block.text for block in said])


def texts_from_json(text: str) -> tuple[Text, ...]:
    """The words again. Raises DecodingError."""
    data = parse_json(text)
    if not isinstance(data, list):
        raise DecodingError(f"what was said is a list, and this is {_excerpt_of(data)}")
    return tuple(Text(_text(one)) for one in data)


def input_from_json(text: str) -> dict[str, JsonValue]:
    """A call's input. Raises DecodingError."""
    data = parse_json(text)
    if not isinstance(data, dict):
        raise DecodingError(f"an input is an object, and this is {_excerpt_of(data)}")
    return data


def to_json(value: JsonValue) -> str:
    """One line of JSON that a database takes: half characters, which a model's JSON may hold, are written escaped."""
    text = json.dumps(value, ensure_ascii=False)
    return text if _is_storable(text) else json.dumps(value)


def parse_json(text: str) -> JsonValue:
    """Value of the JSON text. Raises DecodingError."""
    try:
        data: JsonValue = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DecodingError(f"this is no JSON: {error}") from None
    return data


def block_as_data(block: Block) -> JsonValue:
    """A block as JSON can say it."""
    match block:
        case Text(text):
            return {"block": "Text", "text": text}
        case Thinking(text, signature):
            return {"block": "Thinking", "text": text, "signature": signature}
        case RedactedThinking(data):
            return {"block": "RedactedThinking", "data": data}
        case Image(media_type, data):
            return {"block": "Image", "media_type": media_type, "data": data}
        case ToolUse(call_id, name, given, problem):
            use: dict[str, JsonValue] = {"block": "ToolUse", "id": call_id, "name": name, "input": dict(given)}
            return use if problem is None else {**use, "problem": problem}
        case ToolResult(call_id, content, is_error):
            told = content if isinstance(content, str) else [block_as_data(part) for part in content]
            return {"block": "ToolResult", "call_id": call_id, "content": told, "is_error": is_error}


def block_from_data(data: JsonValue) -> Block:
    """The block again. Raises DecodingError."""
    match data:
        case {"block": "Text", "text": str(text)}:
            return Text(text)
        case {"block": "Thinking", "text": str(text), "signature": str(signature)}:
            return Thinking(text, signature)
        case {"block": "RedactedThinking", "data": str(hidden)}:
            return RedactedThinking(hidden)
        case {"block": "Image", "media_type": str(media_type), "data": str(picture)}:
            return Image(media_type, picture)
        case {"block": "ToolUse", "id": str(call_id), "name": str(name), "input": dict(given), "problem": str(problem)}:
            return ToolUse(call_id, name, given, problem)
        case {"block": "ToolUse", "id": str(call_id), "name": str(name), "input": dict(given)}:
            return ToolUse(call_id, name, given)
        case {"block": "ToolResult", "call_id": str(call_id), "content": content, "is_error": bool(is_error)}:
            return ToolResult(call_id, content if isinstance(content, str) else _content(content), is_error)
        case _:
            raise DecodingError(f"no block is kept as {_excerpt_of(data)}")


def _message(data: JsonValue) -> Message:
    match data:
        case {"role": "user" | "assistant" as role, "content": list(content)}:
            return Message(_role(role), tuple(block_from_data(block) for block in content))
        case _:
            raise DecodingError(f"no message is kept as {_excerpt_of(data)}")


def _role(role: str) -> Literal["user", "assistant"]:
    return "user" if role == "user" else "assistant"


def _content(data: JsonValue) -> tuple[Text | Image, ...]:
    if not isinstance(data, list):
        raise DecodingError(f"a result holds a text or parts, and this is {_excerpt_of(data)}")
    return tuple(_part(part) for part in data)


def _part(data: JsonValue) -> Text | Image:
    match data:
        case {"block": _}:
            block = block_from_data(data)
            if isinstance(block, (Text, Image)):
                return block
        case {"text": str(text)}:  # parts were written without the name of their kind once
            return Text(text)
        case {"media_type": str(media_type), "data": str(picture)}:
            return Image(media_type, picture)
    raise DecodingError(f"no part of a result is kept as {_excerpt_of(data)}")


def _text(data: JsonValue) -> str:
    if not isinstance(data, str):
        raise DecodingError(f"a text is needed, and this is {_excerpt_of(data)}")
    return data


def _excerpt_of(data: JsonValue) -> str:
    return repr(data)[:80]


def _is_storable(text: str) -> bool:
    """Whether a database takes the text: no half characters, no zero bytes."""
    if "\x00" in text:
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
