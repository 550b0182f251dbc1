"""Cost of a loop iteration as the conversation grows; the model answers at once and costs nothing."""

import time
from collections.abc import AsyncGenerator

from sprout.events import Usage
from sprout.loop.model import (
    BlockDone,
    Message,
    ModelRequest,
    ModelTraits,
    ReplyEnded,
    ReplyPart,
    Text,
    ToolUse,
    UsagePart,
)
from sprout.loop.policy import LoopPolicy
from sprout.loop.tools import tool
from sprout.loop.turn import TurnOptions, run_turn

LENGTHS = (10, 100, 1_000)
ITERATIONS = 50
TEXT = "What the learner said, and what the tutor answered, in some forty words of text. " * 3


@tool(repeatable=True)
async def look(at: int) -> str:
    """Look."""
    return f"seen {at}"


class _CallingModel:
    """Calls the tool again and again."""

    def __init__(self) -> None:
        self._calls = 0

    async def reply(self, request: ModelRequest) -> AsyncGenerator[ReplyPart, None]:
        self._calls += 1
        yield BlockDone(0, ToolUse(f"toolu_{self._calls}", look.name, {"at": self._calls}))
        yield UsagePart(Usage(input_tokens=1, output_tokens=600))
        yield ReplyEnded("tool_use")


async def loop_cpu_ms(length: int) -> float:
    """Milliseconds of CPU per iteration after `length` messages; the first, which counts them, is left out."""
    messages = [Message("user" if at % 2 == 0 else "assistant", (Text(f"{at}. {TEXT}"),)) for at in range(length - 1)]
    steps = run_turn(
        _CallingModel(),
        model_name="none",
        system="Be brief.",
        messages=[*messages, Message("user", (Text("Go on."),))],
        tools=[look],
        policy=LoopPolicy(max_iterations=ITERATIONS + 1),
        options=TurnOptions(traits=ModelTraits(window=1_000_000)),
    )
    began = 0.0
    async for step in steps:
        if began == 0.0 and getattr(step, "kind", "") == "tool_result":
            began = time.process_time()
    return (time.process_time() - began) * 1_000 / ITERATIONS
