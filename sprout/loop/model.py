"""Model interface of the loop: messages, blocks, requests, and the parts of a reply."""

from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from pydantic import JsonValue

from sprout.events import Usage


@dataclass(frozen=True, slots=True)
class Text:
    text: str


@dataclass(frozen=True, slots=True)
class Thinking:
    """Thinking with the provider's signature; valid only while everything before it stays byte for byte the same."""

    text: str
    signature: str


@dataclass(frozen=True, slots=True)
class RedactedThinking:
    data: str


@dataclass(frozen=True, slots=True)
class Image:
    """A picture for the model; `data` is base64."""

    media_type: str
    data: str


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A call; `problem` says why its input could not be read, where it could not."""

    id: str
    name: str
    input: Mapping[str, JsonValue]
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class ToolResult:
    call_id: str
    content: str | tuple[Text | Image, ...]
    is_error: bool = False


Block = Text | Thinking | RedactedThinking | Image | ToolUse | ToolResult


@dataclass(frozen=True, slots=True)
class Message:
    role: Literal["user", "assistant"]
    content: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as the model sees it; `schema` is a JSON schema of an object."""

    name: str
    description: str
    schema: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class ModelTraits:
    """Traits of a model that the loop depends on.

    Args:
        window: most tokens of prompt and reply together.
        max_output: most tokens of one reply.
        forces_tools: whether a reply can be forced to call one particular tool.
        priced: returns a usage with its cost filled in.
    """

    window: int = 200_000
    max_output: int = 64_000
    forces_tools: bool = False
    priced: Callable[[Usage], Usage] = lambda usage: usage


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One call.

    Args:
        model: the provider's id.
        tool_choice: "auto", "none" or a tool's name.
        spoken: the tools whose input is wanted piece by piece as it is written; of others only the whole comes.
        output_schema: a JSON schema that the text of the reply must fit, where the server heeds it.
    """

    model: str
    system: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...]
    max_tokens: int
    tool_choice: str = "auto"
    spoken: frozenset[str] = frozenset()
    output_schema: Mapping[str, JsonValue] | None = None


@dataclass(frozen=True, slots=True)
class TextPart:
    """Some more text of the block at `index`."""

    index: int
    text: str


@dataclass(frozen=True, slots=True)
class ThinkingPart:
    index: int
    text: str


@dataclass(frozen=True, slots=True)
class InputPart:
    """Some more JSON of the input of a spoken tool; not parseable by itself."""

    index: int
    name: str
    json: str


@dataclass(frozen=True, slots=True)
class BlockDone:
    """A block has ended as the provider means it; `problem` says why a tool's input could not be read."""

    index: int
    block: Text | Thinking | RedactedThinking | ToolUse
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class UsagePart:
    """Usage of this call so far: totals, not increments."""

    usage: Usage


@dataclass(frozen=True, slots=True)
class ReplyEnded:
    """The reply is whole; a stream without this part was cut."""

    stop_reason: str


ReplyPart = TextPart | ThinkingPart | InputPart | BlockDone | UsagePart | ReplyEnded


class ChatModel(Protocol):
    def reply(self, request: ModelRequest) -> AsyncGenerator[ReplyPart, None]:
        """Stream one reply; closing the generator stops the model. Raises ModelFailure."""
        ...
