"""The view that is sent to the model, made from the transcript, which itself is never touched."""

from collections.abc import Iterable, Sequence

from sprout.loop.model import Block, Message, Text, ToolResult, ToolUse
from sprout.loop.notices import notice


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
