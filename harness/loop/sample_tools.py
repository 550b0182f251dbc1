"""Tools and models that tests of the loop share: they do little, and keep what was done with them."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace

from harness.loop.scripted_turn import ManualClock
from sprout.loop.model import BlockDone, ChatModel, Message, ModelRequest, ReplyPart, Text, ToolResult, ToolUse
from sprout.loop.tools import Effect, Tool, tool
from sprout.offline.reply import Reply, TextOut, ToolOut

PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def look_tool(seen: list[str] | None = None, *, name: str = "look", answer: str = "seen {at}") -> Tool:
    """A read that keeps what it was asked to look at."""

    @tool(name=name)
    async def look(at: str) -> str:
        """Look at something."""
        if seen is not None:
            seen.append(at)
        return answer.format(at=at)

    return look


def keep_tool(written: list[str]) -> Tool:
    """A write that keeps what it was given; never run twice on a guess."""

    @tool(effect=Effect.WRITE)
    async def keep(what: str) -> str:
        """Keep something."""
        written.append(what)
        return f"kept {what}"

    return keep


def wait_tool(clock: ManualClock, seconds: float, *, name: str = "wait") -> Tool:
    """A read that takes so long on the clock, and no time at all otherwise."""

    @tool(name=name)
    async def wait() -> str:
        """Take some time."""
        clock.now_s += seconds
        return f"it is {clock.now_s:g}"

    return wait


def look_at(*places: object) -> Reply:
    """A reply that looks at these places, a call for each."""
    return Reply([ToolOut("look", {"at": str(place)}) for place in places])


def say(text: str) -> Reply:
    return Reply([TextOut(text)])


class SameIdModel:
    """A model whose calls all have one id, as some servers give them."""

    def __init__(self, model: ChatModel, call_id: str = "call_0") -> None:
        self._model = model
        self._id = call_id

    async def reply(self, request: ModelRequest) -> AsyncGenerator[ReplyPart, None]:
        async for part in self._model.reply(request):
            if isinstance(part, BlockDone) and isinstance(part.block, ToolUse):
                part = replace(part, block=replace(part.block, id=self._id))
            yield part


def history(turns: int, *, words: int) -> list[Message]:
    """Earlier turns of a conversation, each with a question, a call, a result of so many words and a short answer."""
    messages: list[Message] = []
    for number in range(turns):
        call = ToolUse(f"toolu_old_{number}", "look", {"at": f"old {number}"})
        messages += [
            Message("user", (Text(f"Question {number}."),)),
            Message("assistant", (call,)),
            Message("user", (ToolResult(call.id, f"result {number}" + " leaf" * words),)),
            Message("assistant", (Text(f"Answer {number}."),)),
        ]
    return messages


def texts_of(messages: Sequence[Message], role: str) -> list[str]:
    """Every text of one role in a transcript, in order."""
    return [
        block.text
        for message in messages
        if message.role == role
        for block in message.content
        if isinstance(block, Text)
    ]
