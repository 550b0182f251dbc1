"""Replies that a resumed run has behind it, with the results of their calls."""

from collections.abc import Sequence
from dataclasses import dataclass

from sprout.loop.model import Message, Text, ToolResult
from sprout.loop.model_reply import ModelReply


@dataclass(frozen=True, slots=True)
class PastReply:
    """One reply; `followed` is whether the conversation went on after it, beyond the results of its calls."""

    reply: ModelReply
    results: tuple[ToolResult, ...] = ()
    followed: bool = False


def past_replies(messages: Sequence[Message]) -> list[PastReply]:
    """The replies of a run, from its own messages."""
    past: list[PastReply] = []
    for message in messages:
        if message.role == "assistant":
            past.append(PastReply(ModelReply(message.content)))
        elif past:
            last = past.pop()
            results = tuple(block for block in message.content if isinstance(block, ToolResult))
            followed = last.followed or any(isinstance(block, Text) for block in message.content)
            past.append(PastReply(last.reply, last.results + results, followed))
    return past
