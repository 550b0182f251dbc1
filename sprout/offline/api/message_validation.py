"""Validation of a request's messages as in the Messages API: roles, blocks, tool calls and their results."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from sprout.offline.api.errors import invalid_request
from sprout.offline.api.prompt import content_blocks

_COMMON = frozenset({"type", "cache_control"})
_BLOCK_FIELDS = {
    "text": _COMMON | {"text", "citations"},
    "image": _COMMON | {"source", "transformations"},
    "document": _COMMON | {"source", "title", "context", "citations"},
    "tool_use": _COMMON | {"id", "name", "input", "caller"},
    "tool_result": _COMMON | {"tool_use_id", "content", "is_error"},
    "thinking": frozenset({"type", "thinking", "signature"}),
    "redacted_thinking": frozenset({"type", "data"}),
}
_ALLOWED = {
    "user": frozenset({"text", "image", "document", "tool_result"}),
    "assistant": frozenset({"text", "tool_use", "thinking", "redacted_thinking"}),
    "system": frozenset({"text"}),
}
_ID = re.compile(r"[a-zA-Z0-9_-]+")
MAX_MESSAGES = 100_000


def check_messages(messages: Any, *, tools_given: bool) -> None:
    """Raise the 400 that the API would answer to these messages; whether they may end so is checked elsewhere."""
    if not isinstance(messages, list):
        raise invalid_request("messages: Input should be a valid list")
    if not messages:
        raise invalid_request("messages: at least one message is required")
    if len(messages) > MAX_MESSAGES:
        raise invalid_request(f"messages: List should have at most {MAX_MESSAGES} items, not {len(messages)}")
    for at, message in enumerate(messages):
        _check_message(message, f"messages.{at}")
    if messages[0]["role"] != "user":
        raise invalid_request('messages: first message must use the "user" role')
    _check_tool_pairs(messages, tools_given)


def check_last_message(messages: Sequence[dict[str, Any]], *, paused: bool) -> None:
    """Raise a 400 for a conversation that ends with the assistant, unless it continues a turn that was paused."""
    if messages[-1]["role"] == "assistant" and not paused:
        raise invalid_request(
            "This model does not support assistant message prefill. The conversation must end with a user message."
        )


def check_text_blocks(blocks: Sequence[Any], at: str) -> None:
    """Raise a 400 unless all are text blocks with text in them."""
    for index, block in enumerate(blocks):
        if not isinstance(block, dict) or block.get("type") != "text":
            raise invalid_request(f"{at}.{index}: Input should be a text block")
        _check_block(block, f"{at}.{index}")


def _check_message(message: Any, at: str) -> None:
    if not isinstance(message, dict):
        raise invalid_request(f"{at}: Input should be a valid dictionary")
    for name in ("role", "content"):
        if name not in message:
            raise invalid_request(f"{at}.{name}: Field required")
    if extra := message.keys() - {"role", "content"}:
        raise invalid_request(f"{at}.{min(extra)}: Extra inputs are not permitted")
    role, content = message["role"], message["content"]
    if role not in _ALLOWED:
        raise invalid_request(f"{at}.role: Input should be 'user', 'assistant' or 'system'")
    if not isinstance(content, str | list):
        raise invalid_request(f"{at}.content: Input should be a valid string or list")
    if not content:
        raise invalid_request(f"{at}: {role} messages must have non-empty content")
    for index, block in enumerate(content_blocks(content)):
        _check_role_of_block(block, role, f"{at}.content.{index}")
        _check_block(block, f"{at}.content.{index}")
    if content_blocks(content)[-1]["type"] in ("thinking", "redacted_thinking"):
        raise invalid_request(f"{at}: The final block in an assistant message cannot be `thinking`.")


def _check_role_of_block(block: Any, role: str, at: str) -> None:
    kind = block.get("type") if isinstance(block, dict) else None
    if kind not in _BLOCK_FIELDS:
        raise invalid_request(f"{at}: Input tag {kind!r} found using 'type' does not match any of the expected tags")
    if kind not in _ALLOWED[role]:
        raise invalid_request(f"{at}: `{kind}` blocks are not allowed in {role} messages")
    if role == "user" and kind == "text" and block.get("citations"):
        raise invalid_request(f"{at}.text.citations: citations are not allowed on user text blocks")


def _check_block(block: dict[str, Any], at: str) -> None:
    kind = block["type"]
    if extra := block.keys() - _BLOCK_FIELDS[kind]:
        raise invalid_request(f"{at}.{kind}.{min(extra)}: Extra inputs are not permitted")
    match kind:
        case "text":
            _check_text(block, at)
        case "tool_use":
            _check_tool_use(block, at)
        case "tool_result":
            _check_tool_result(block, at)
        case "thinking":
            _require_strings(block, ("thinking", "signature"), at)
        case "redacted_thinking":
            _require_strings(block, ("data",), at)
        case _:
            _check_source(block, at)


def _check_text(block: dict[str, Any], at: str) -> None:
    _require_strings(block, ("text",), at)
    if not block["text"] and block.get("cache_control"):
        raise invalid_request(f"{at}.text: cache_control cannot be set for empty text blocks")
    if not block["text"]:
        raise invalid_request("messages: text content blocks must be non-empty")
    if block["text"].isspace():
        raise invalid_request("messages: text content blocks must contain non-whitespace text")


def _check_tool_use(block: dict[str, Any], at: str) -> None:
    _require_strings(block, ("id", "name"), at)
    if not _ID.fullmatch(block["id"]):
        raise invalid_request(f"{at}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'")
    if not 1 <= len(block["name"]) <= 200:
        raise invalid_request(f"{at}.tool_use.name: String should have at least 1 and at most 200 characters")
    if not isinstance(block.get("input"), dict):
        raise invalid_request(f"{at}.tool_use.input: Input should be a valid dictionary")


def _check_tool_result(block: dict[str, Any], at: str) -> None:
    _require_strings(block, ("tool_use_id",), at)
    if not isinstance(block.get("is_error", False), bool):
        raise invalid_request(f"{at}.tool_result.is_error: Input should be a valid boolean")
    content = block.get("content", "")
    if not isinstance(content, str | list):
        raise invalid_request(f"{at}.tool_result.content: Input should be a valid string or list")
    for index, inner in enumerate(content if isinstance(content, list) else ()):
        inner_at = f"{at}.tool_result.content.{index}"
        if not isinstance(inner, dict) or inner.get("type") not in ("text", "image", "document"):
            raise invalid_request(f"{inner_at}: Input tag does not match any of: 'text', 'image', 'document'")
        if block.get("is_error") and inner["type"] != "text":
            raise invalid_request(f'{at}: all content must be type "text" if "is_error" is true')
        _check_block(inner, inner_at)


def _check_source(block: dict[str, Any], at: str) -> None:
    source = block.get("source")
    kind = source.get("type") if isinstance(source, dict) else None
    needed = {
        "base64": ("media_type", "data"), "url": ("url",), "text": ("media_type", "data"), "file": ("file_id",)
    }  # fmt: skip
    if kind not in needed:
        raise invalid_request(f"{at}.{block['type']}.source: Field required or of an unknown type")
    _require_strings(source, needed[kind], f"{at}.{block['type']}.source")


def _require_strings(block: Any, names: Sequence[str], at: str) -> None:
    for name in names:
        if name not in block:
            raise invalid_request(f"{at}.{block.get('type')}.{name}: Field required")
        if not isinstance(block[name], str):
            raise invalid_request(f"{at}.{block.get('type')}.{name}: Input should be a valid string")


def _check_tool_pairs(messages: Sequence[dict[str, Any]], tools_given: bool) -> None:
    seen: set[str] = set()
    called: list[str] = []
    for at, message in enumerate(messages):
        blocks = content_blocks(message["content"])
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        _check_answers(called, results, blocks, at)
        called = [block["id"] for block in blocks if block["type"] == "tool_use"]
        if repeated := [id_ for id_, count in Counter(called).items() if count > 1 or id_ in seen]:
            raise invalid_request(f"messages.{at}: `tool_use` ids must be unique, found again: {', '.join(repeated)}")
        seen.update(called)
    _check_answers(called, [], [], len(messages))
    if seen and not tools_given:
        raise invalid_request("tools: Field required while messages contain `tool_use` or `tool_result` blocks")


def _check_answers(called: list[str], results: list[str], blocks: list[dict[str, Any]], at: int) -> None:
    if missing := [id_ for id_ in called if id_ not in results]:
        raise invalid_request(
            f"messages.{at - 1}: `tool_use` ids were found without `tool_result` blocks immediately after: "
            f"{', '.join(missing)}. Each `tool_use` block must have a corresponding `tool_result` block in the "
            "next message."
        )
    for index, block in enumerate(blocks):
        if block["type"] != "tool_result":
            continue
        if block["tool_use_id"] not in called:
            raise invalid_request(
                f"messages.{at}.content.{index}: unexpected `tool_use_id` found in `tool_result` blocks: "
                f"{block['tool_use_id']}. Each `tool_result` block must have a corresponding `tool_use` block in the "
                "previous message."
            )
        if index >= len(results):
            raise invalid_request(
                f"messages.{at}.content.{index}: `tool_result` blocks must come before any other content"
            )
    if len(set(results)) < len(results):
        raise invalid_request(
            f"messages.{at}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: "
            f"{max(results, key=results.count)}"
        )
