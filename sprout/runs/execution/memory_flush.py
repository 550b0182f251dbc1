"""Memory flush: what results say of the learner is remembered before a compaction takes them out of the view."""

import json
import logging
from collections.abc import Sequence
from typing import Protocol

from pydantic import JsonValue

from sprout.learning.actor import Actor
from sprout.learning.lessons.memories import MAX_MEMORY
from sprout.learning.text.normalization import one_line
from sprout.loop.context.keeper import Flush
from sprout.loop.model import Message, ToolResult, ToolUse
from sprout.loop.tools import ResultMemory, Tool

log = logging.getLogger(__name__)


class LearnerMemories(Protocol):
    """Memories of the learners, to which a run adds."""

    async def remember(self, text: str, *, actor: Actor) -> object:
        """Store a text; the same words again change nothing. Raises BadInput: nothing more is kept."""
        ...


def memory_flush(tools: Sequence[Tool], memories: LearnerMemories, actor: Actor) -> Flush:
    """A hook for the loop that stores one memory for each result of which its tool makes one.

    It raises what `remember` raises; the loop then goes on, and passes the same results again at its next compaction.
    """
    readers = {tool.name: tool.memory for tool in tools if tool.memory is not None}

    async def flush(messages: Sequence[Message]) -> None:
        blocks = [block for message in messages for block in message.content]
        names = {block.id: block.name for block in blocks if isinstance(block, ToolUse)}
        for block in blocks:
            if isinstance(block, ToolResult) and not block.is_error and (name := names.get(block.call_id)) in readers:
                text = _memory_text(name, readers[name], block)
                if text:
                    await memories.remember(text, actor=actor)

    return flush


def _memory_text(name: str, read: ResultMemory, result: ToolResult) -> str:
    """The memory of a result; empty where it says nothing of the learner."""
    if not isinstance(result.content, str):
        return ""
    try:
        text = one_line(read(_parsed(result.content)) or "")
    except Exception:
        # Tools may come from outside: a fault of theirs costs the memory, not the run.
        log.exception("agent.memory.broke", extra={"tool": name})
        return ""
    return text if len(text) <= MAX_MEMORY else f"{text[: MAX_MEMORY - 1].rstrip()}…"


def _parsed(content: str) -> JsonValue:
    """The result as JSON; a text that is none, and a result that was cut, as the text that it is."""
    try:
        parsed: JsonValue = json.loads(content)
    except ValueError:
        return content
    return parsed
