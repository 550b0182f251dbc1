"""Reply store: replies of models on disk, each by a hash of all that it depends on."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from pydantic import ValidationError

from sprout.evaluation.replies.stored_files import read_stored, write_stored
from sprout.events import Usage
from sprout.loop.encoding.message_codec import DecodingError, block_as_data, block_from_data, messages_as_json
from sprout.loop.model import (
    BlockDone,
    ModelRequest,
    RedactedThinking,
    ReplyEnded,
    ReplyPart,
    Text,
    TextPart,
    Thinking,
    ToolUse,
    UsagePart,
)

# Fences carry a random attribute, so that no text can close them; it says nothing to the model.
_NONCE = re.compile(r' n=\\*"[0-9a-f]{8}\\*"')
_BLOCKS = (Text, Thinking, RedactedThinking, ToolUse)


@dataclass(frozen=True, slots=True)
class StoredReply:
    """A whole reply."""

    blocks: tuple[BlockDone, ...]
    usage: Usage
    stop_reason: str

    def parts(self) -> Iterator[ReplyPart]:
        """The reply as a model sends it, each block in one piece."""
        yield UsagePart(self.usage)
        for one in self.blocks:
            if isinstance(one.block, Text):
                yield TextPart(one.index, one.block.text)
            yield one
        yield ReplyEnded(self.stop_reason)


def request_key(request: ModelRequest, *, server: str, repeat: int) -> str:
    """The hash of a request.

    Args:
        server: which server answers: two of them may call different models by one name.
        repeat: how often an item has made the same request before: a second sample is another reply.
    """
    written = json.dumps(
        {
            "server": server,
            "repeat": repeat,
            "model": request.model,
            "system": request.system,
            "messages": messages_as_json(request.messages),
            "tools": [[one.name, one.description, one.schema] for one in request.tools],
            "max_tokens": request.max_tokens,
            "tool_choice": request.tool_choice,
        },
        sort_keys=True,
    )
    return sha256(_NONCE.sub("", written).encode()).hexdigest()


class ReplyStore:
    """A folder of replies."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, key: str) -> StoredReply | None:
        """The stored reply; None if there is none, or if its file makes no sense: it is asked for again then.

        Raises SetupError.
        """
        text = read_stored(self._path(key))
        try:
            return None if text is None else _decoded(text)
        except (DecodingError, ValidationError):
            return None

    def save(self, key: str, reply: StoredReply) -> None:
        """Store a reply. Raises SetupError: the folder cannot be written."""
        write_stored(self._path(key), _encoded(reply))

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key}.json"


def _encoded(reply: StoredReply) -> str:
    blocks = [{"index": one.index, "block": block_as_data(one.block), "problem": one.problem} for one in reply.blocks]
    return json.dumps({"blocks": blocks, "usage": reply.usage.model_dump(), "stop_reason": reply.stop_reason})


def _decoded(text: str) -> StoredReply:
    """The reply. Raises DecodingError, ValidationError."""
    try:
        data = json.loads(text)
        blocks = tuple(_block(one["index"], one["block"], one["problem"]) for one in data["blocks"])
        return StoredReply(blocks, Usage.model_validate(data["usage"]), str(data["stop_reason"]))
    except (ValueError, KeyError, TypeError) as error:
        if isinstance(error, ValidationError):
            raise
        raise DecodingError(f"this is no stored reply: {error}") from None


def _block(index: int, data: object, problem: str | None) -> BlockDone:
    block = block_from_data(data)  # type: ignore[arg-type]
    if not isinstance(block, _BLOCKS):
        raise DecodingError("a reply holds no such block")
    return BlockDone(index, block, problem)
