"""Conversation as the demo model reads it: the request, the calls, and their results."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sprout.offline.api.prompt import content_blocks
from sprout.offline.demo.tagged_request import Tag, parse_request
from sprout.offline.reply import Block, Body, ToolOut

JOURNAL_TAG = "<run_journal>"
UPDATE_JOURNAL = "update_run_journal"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One tool call of the assistant; `failed` where its result is an error."""

    name: str
    input: dict[str, Any]
    failed: bool
    result: str
    turn: int


@dataclass(frozen=True, slots=True)
class Conversation:
    """A request body, read once.

    Args:
        corrected: the last reply was answered by words, such as what is missing.
        texts: of each message its role and its blocks of text, none where it has only others.
    """

    request: Tag
    first_text: str
    last_text: str
    tools: frozenset[str]
    calls: tuple[ToolCall, ...]
    turns: int
    may_call: bool
    corrected: bool
    texts: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def note_down(self, **fields: object) -> list[Block]:
        """The call that writes these fields of the journal, where the agent has one and they are not written yet."""
        return self.without_repeats([ToolOut(UPDATE_JOURNAL, fields)] if UPDATE_JOURNAL in self.tools else [])

    def calls_to(self, tool: str) -> list[ToolCall]:
        return [call for call in self.calls if call.name == tool]

    def without_repeats(self, blocks: Sequence[Block]) -> list[Block]:
        """Those of the calls that were not made yet: a reply may have been cut off in their midst."""
        made = [(call.name, call.input) for call in self.calls]
        return [block for block in blocks if not isinstance(block, ToolOut) or (block.name, block.input) not in made]

    @property
    def failures(self) -> list[ToolCall]:
        """The failed calls of the latest turn."""
        return [call for call in self.calls if call.failed and call.turn == self.turns]

    @property
    def has_repaired(self) -> bool:
        """Return True if an earlier turn had failures too: one reply of repairs is enough."""
        return any(call.failed and call.turn < self.turns for call in self.calls)


def read_conversation(body: Body) -> Conversation:
    """The conversation of a validated body."""
    messages = _without_journal(body["messages"])
    first = _text(messages[0])
    users = [message for message in messages if message["role"] == "user"]
    return Conversation(
        parse_request(first),
        first,
        next((text for message in reversed(users) if (text := _text(message))), first),
        frozenset(tool["name"] for tool in body.get("tools") or ()),
        tuple(_calls(messages)),
        sum(message["role"] == "assistant" for message in messages),
        (body.get("tool_choice") or {}).get("type") != "none" and bool(body.get("tools")),
        len(users) > 1 and bool(_text(users[-1])),
        tuple((message["role"], tuple(_texts(message))) for message in messages),
    )


def shorten_calls(calls: Sequence[ToolCall], limits: Mapping[str, int]) -> list[ToolOut]:
    """The calls once more with their texts cut to `limits` characters; those that had nothing to cut are left out."""
    again = [
        ToolOut(call.name, {key: _truncate(value, limits.get(key)) for key, value in call.input.items()})
        for call in calls
    ]
    return [new for new, call in zip(again, calls, strict=True) if new.input != call.input]


def _calls(messages: Sequence[dict[str, Any]]) -> Iterator[ToolCall]:
    results: dict[str, dict[str, Any]] = {
        block["tool_use_id"]: block
        for message in messages
        for block in content_blocks(message["content"])
        if block["type"] == "tool_result"
    }
    turn = 0
    for message in messages:
        turn += message["role"] == "assistant"
        for block in content_blocks(message["content"]):
            if block["type"] == "tool_use":
                result = results.get(block["id"], {})
                text = _text({"content": result.get("content") or ""})
                yield ToolCall(block["name"], block["input"], bool(result.get("is_error")), text, turn)


def _without_journal(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages without the notes of an earlier run and the assistant's reply to them."""
    at = next((at for at, message in enumerate(messages[:-2]) if JOURNAL_TAG in _text(message)), None)
    return [*messages] if at is None else [*messages[:at], *messages[at + 2 :]]


def _text(message: dict[str, Any]) -> str:
    return "\n".join(_texts(message))


def _texts(message: dict[str, Any]) -> Iterator[str]:
    return (block["text"] for block in content_blocks(message["content"]) if block["type"] == "text")


def _truncate(value: Any, limit: int | None) -> Any:
    if not isinstance(value, str) or limit is None or len(value) <= limit:
        return value
    return value[: limit - 2].rsplit(" ", 1)[0] + " …"
