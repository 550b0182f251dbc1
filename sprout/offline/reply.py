"""Reply of the offline model: blocks and a stop reason."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Body = Mapping[str, Any]
StopReason = Literal[
    "end_turn", "max_tokens", "stop_sequence", "tool_use", "pause_turn", "refusal", "model_context_window_exceeded"
]


@dataclass(frozen=True, slots=True)
class TextOut:
    text: str


@dataclass(frozen=True, slots=True)
class ThinkingOut:
    """Thinking as the reader sees it; it is signed when it is sent."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolOut:
    """A tool call. `raw_json`, where given, is sent as it stands, broken or not; `whole`: at once, not in pieces."""

    name: str
    input: Mapping[str, Any] = field(default_factory=dict)
    raw_json: str | None = None
    whole: bool = False

    def json(self) -> str:
        """The text that travels in input_json_delta events; empty for an empty input."""
        if self.raw_json is not None:
            return self.raw_json
        return json.dumps(self.input, ensure_ascii=False) if self.input else ""


Block = TextOut | ThinkingOut | ToolOut


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply. Without a stop reason it is `tool_use` where a tool is called, else `end_turn`.

    Args:
        usage: fields that replace the counted ones, by their name on the wire.
        stop_details: for refusals, e.g. `{"type": "refusal", "category": "cyber", "explanation": None}`.
    """

    blocks: Sequence[Block] = ()
    stop_reason: StopReason | None = None
    usage: Mapping[str, int] | None = None
    stop_sequence: str | None = None
    stop_details: Mapping[str, Any] | None = None

    @property
    def reason(self) -> StopReason:
        if self.stop_reason is not None:
            return self.stop_reason
        return "tool_use" if any(isinstance(block, ToolOut) for block in self.blocks) else "end_turn"

    @property
    def tool_calls(self) -> list[ToolOut]:
        return [block for block in self.blocks if isinstance(block, ToolOut)]


def output_text(block: Block) -> str:
    """The characters of a block that count as output."""
    return block.name + block.json() if isinstance(block, ToolOut) else block.text
