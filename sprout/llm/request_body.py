"""A ModelRequest as the Messages API takes it, with cache breakpoints where the prefix stays the same."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from sprout.llm.catalogue import ModelFacts
from sprout.loop.model import (
    Block,
    Image,
    Message,
    ModelRequest,
    RedactedThinking,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
)

Family = Literal["opus", "sonnet", "haiku"]

CACHE = {"type": "ephemeral"}
CACHED_MESSAGES = 2
MIN_THINKING_TOKENS = 1_024


def request_body(request: ModelRequest, facts: ModelFacts, thinking_tokens: Mapping[Family, int]) -> dict[str, Any]:
    """The body of a call, for the SDK's `messages.create`.

    Breakpoints: one after tools and system, one at the end of each of the last two user messages. What they close is
    the same bytes in the next call of the turn, and two of them span a step with many tool results.
    """
    messages = [_message(message) for message in request.messages]
    system: dict[str, Any] = {"type": "text", "text": request.system}
    if facts.caching:
        system["cache_control"] = CACHE
        for message in [message for message in messages if message["role"] == "user"][-CACHED_MESSAGES:]:
            message["content"][-1]["cache_control"] = CACHE
    max_tokens = min(request.max_tokens, facts.max_output)
    thinking = _thinking(request.model, facts, max_tokens, thinking_tokens)
    body: dict[str, Any] = {"model": request.model, "max_tokens": max_tokens, "messages": messages}
    if request.system:
        body["system"] = [system]
    if request.tools:
        body["tools"] = [
            {"name": spec.name, "description": spec.description, "input_schema": dict(spec.schema)}
            for spec in request.tools
        ]
        body["tool_choice"] = _tool_choice(request.tool_choice, thinks=thinking is not None)
    if thinking is not None:
        body["thinking"] = thinking
    if request.output_schema is not None:
        body["output_config"] = {"format": {"type": "json_schema", "schema": dict(request.output_schema)}}
    return body


def _tool_choice(choice: str, *, thinks: bool) -> dict[str, str]:
    """No model can be made to call a tool while it thinks: then its instructions have to suffice."""
    if choice in ("auto", "none"):
        return {"type": choice}
    return {"type": "auto"} if thinks else {"type": "tool", "name": choice}


def _thinking(
    model: str, facts: ModelFacts, max_tokens: int, thinking_tokens: Mapping[Family, int]
) -> dict[str, Any] | None:
    """Thinking with its summary shown: otherwise the words between tool calls would be empty."""
    if facts.thinking == "adaptive":
        return {"type": "adaptive", "display": "summarized"}
    family = next((name for name in thinking_tokens if name in model), None)
    if facts.thinking == "none" or family is None:
        return None
    budget = min(thinking_tokens[family], max_tokens // 2)
    return {"type": "enabled", "budget_tokens": budget} if budget >= MIN_THINKING_TOKENS else None


def _message(message: Message) -> dict[str, Any]:
    return {"role": message.role, "content": [_block(block) for block in message.content]}


def _block(block: Block) -> dict[str, Any]:
    match block:
        case Text(text):
            return {"type": "text", "text": text}
        case Thinking(text, signature):
            return {"type": "thinking", "thinking": text, "signature": signature}
        case RedactedThinking(data):
            return {"type": "redacted_thinking", "data": data}
        case Image(media_type, data):
            return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}}
        case ToolUse(call_id, name, given):
            return {"type": "tool_use", "id": call_id, "name": name, "input": dict(given)}
        case ToolResult(call_id, content, is_error):
            return {
                "type": "tool_result",
                "tool_use_id": call_id,
                "content": _result_content(content),
                "is_error": is_error,
            }


def _result_content(content: str | Sequence[Text | Image]) -> str | list[dict[str, Any]]:
    return content if isinstance(content, str) else [_block(block) for block in content]
