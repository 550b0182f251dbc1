"""Conversations to be made smaller, and what every view of them must be."""

from collections.abc import Sequence

from sprout.loop.context.summary import SummaryResult
from sprout.loop.model import Block, Message, RedactedThinking, Text, Thinking, ToolResult, ToolUse
from sprout.loop.policy import LoopPolicy

SMALL = LoopPolicy(reserve_tokens=1_000, buffer_tokens=1_000)
WINDOW = 10_000  # threshold 7,000, ceiling 8,000


def user_message(text: str) -> Message:
    return Message("user", (Text(text),))


def words(count: int, word: str = "word") -> str:
    return f" {word}" * count


def step(number: int, result: str, *, tool: str = "look", is_error: bool = False) -> tuple[Message, Message]:
    """One iteration: a call and its result."""
    call = ToolUse(f"call_{number}", tool, {"at": number})
    return Message("assistant", (call,)), Message("user", (ToolResult(call.id, result, is_error),))


def steps(count: int, *, tokens: int, start: int = 0, tool: str = "look") -> list[Message]:
    return [
        message
        for number in range(start, start + count)
        for message in step(number, f"result {number}" + words(tokens), tool=tool)
    ]


class Summariser:
    """Answers with what a test says, and keeps what it was given."""

    def __init__(self, *answers: str | None, then: str | None = "A short record.") -> None:
        self._answers = list(answers)
        self._then = then
        self.given: list[tuple[Message, ...]] = []

    async def __call__(self, messages: Sequence[Message]) -> SummaryResult:
        self.given.append(tuple(messages))
        return SummaryResult(self._answers.pop(0) if self._answers else self._then)


def flat(messages: Sequence[Message]) -> list[tuple[str, Block]]:
    """All blocks with their roles, in order."""
    return [(message.role, block) for message in messages for block in message.content]


def all_text(messages: Sequence[Message]) -> str:
    return "\n".join(repr(block) for _, block in flat(messages))


def thinks(messages: Sequence[Message]) -> bool:
    return any(isinstance(block, (Thinking, RedactedThinking)) for _, block in flat(messages))


def assert_pairs_fit(messages: Sequence[Message]) -> None:
    """Roles alternate, nothing is empty, and each call is answered in the next message, first, in order, once."""
    for at, message in enumerate(messages):
        assert message.content
        if at:
            assert message.role != messages[at - 1].role
        results = [block.call_id for block in message.content if isinstance(block, ToolResult)]
        before = messages[at - 1].content if at else ()
        calls = [block.id for block in before if isinstance(block, ToolUse)]
        if message.role == "user":
            assert results == calls
            assert [isinstance(block, ToolResult) for block in message.content[: len(results)]] == [True] * len(results)
        else:
            assert not results
    assert not any(isinstance(block, ToolUse) for block in messages[-1].content)
