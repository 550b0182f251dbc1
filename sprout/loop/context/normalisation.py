"""Normalisation of messages: a valid request for the model from any transcript, which itself is unchanged."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sprout.loop.model import Block, Image, Message, Text, ToolResult, ToolUse
from sprout.loop.model_notices import notice


def normalised(transcript: Sequence[Message]) -> tuple[Message, ...]:
    """The transcript as a provider accepts it.

    Every call is answered in the next user message, in the order of the calls; a call without a result gets an error
    result, a result without a call is dropped; neighbours of the same role are one message; empty text is left out.
    """
    view: list[Message] = []
    for message in transcript:
        blocks = tuple(block for block in message.content if not _is_empty(block))
        if view and view[-1].role == message.role:
            blocks = view.pop().content + blocks
        if message.role == "user":
            blocks = _answered(_open_calls(view), blocks)
        elif view and _open_calls(view):
            view.append(Message("user", _answered(_open_calls(view), ())))
        if blocks:
            view.append(Message(message.role, blocks))
    if unanswered := _open_calls(view):
        view.append(Message("user", _answered(unanswered, ())))
    return tuple(view)


def _is_empty(block: Block) -> bool:
    return isinstance(block, Text) and not block.text.strip()


def _open_calls(view: Sequence[Message]) -> list[ToolUse]:
    if not view or view[-1].role != "assistant":
        return []
    return [block for block in view[-1].content if isinstance(block, ToolUse)]


def _answered(calls: Iterable[ToolUse], blocks: Sequence[Block]) -> tuple[Block, ...]:
    results = {block.call_id: block for block in blocks if isinstance(block, ToolResult)}
    answers = [results.get(call.id) or ToolResult(call.id, notice("lost_result"), is_error=True) for call in calls]
    return (*answers, *(block for block in blocks if not isinstance(block, ToolResult)))


def beginning_with_user(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages with a word before them where the assistant has the first: providers want it the other way."""
    if messages and messages[0].role == "assistant":
        return (Message("user", (Text(notice("conversation_begins")),)), *messages)
    return tuple(messages)


def without_oldest_image(messages: Sequence[Message]) -> tuple[Message, ...] | None:
    """The messages with a word in place of the first picture; None where there is none."""
    for position, message in enumerate(messages):
        for index, block in enumerate(message.content):
            if (bare := _without_image(block)) is not block:
                content = (*message.content[:index], bare, *message.content[index + 1 :])
                return (*messages[:position], replace(message, content=content), *messages[position + 1 :])
    return None


def _without_image(block: Block) -> Block:
    left_out = Text(notice("picture_left_out"))
    if isinstance(block, Image):
        return left_out
    if isinstance(block, ToolResult) and any(isinstance(part, Image) for part in block.content):
        told = tuple(
            left_out if isinstance(part, Image) else part for part in block.content if not isinstance(part, str)
        )
        return replace(block, content=told)
    return block
