"""A model that is played: what the built-in one would say, with waits, breaks and failures as chance has it."""

import asyncio
import random
from collections.abc import AsyncGenerator, Iterator

from harness.models.small_path import DemoWithSmallPath
from sprout.errors import ModelFailure, ModelFailureKind
from sprout.events import Usage
from sprout.ids import new_id
from sprout.llm.catalogue import facts_of
from sprout.llm.request_body import request_body
from sprout.loop.model import (
    BlockDone,
    InputPart,
    ModelRequest,
    ReplyEnded,
    ReplyPart,
    Text,
    TextPart,
    Thinking,
    ThinkingPart,
    ToolUse,
    UsagePart,
)
from sprout.offline.reply import Block, TextOut, ThinkingOut, ToolOut

MODEL = "sprout-offline"
PIECE = 20  # characters
FAILURES = tuple(kind for kind in ModelFailureKind if kind is not ModelFailureKind.BUDGET_SPENT)


class SimulatedModel:
    """Makes the small path, and is the built-in model to all other agents."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._said = DemoWithSmallPath()

    async def reply(self, request: ModelRequest) -> AsyncGenerator[ReplyPart, None]:
        chance = self._chance
        await asyncio.sleep(chance.expovariate(1.0))
        if chance.random() < 0.06:
            raise ModelFailure(chance.choice(FAILURES), "played", retry_after_s=chance.choice([None, 0.5, 7.0]))
        reply = self._said.answer(request_body(request, facts_of(MODEL), {}))
        for index, block in enumerate(reply.blocks):
            await asyncio.sleep(chance.expovariate(5.0))
            if chance.random() < 0.03:
                raise ModelFailure(ModelFailureKind.CUT, "played in the middle")
            for part in _parts(index, block, request.spoken):
                yield part
                await asyncio.sleep(0.01)
        yield UsagePart(Usage(input_tokens=100, output_tokens=10 * len(reply.blocks)))
        yield ReplyEnded(reply.reason)


def _parts(index: int, block: Block, spoken: frozenset[str]) -> Iterator[ReplyPart]:
    match block:
        case TextOut(text):
            yield from (TextPart(index, piece) for piece in _pieces(text))
            yield BlockDone(index, Text(text))
        case ThinkingOut(text):
            yield ThinkingPart(index, text)
            yield BlockDone(index, Thinking(text, "signed"))
        case ToolOut(name, given):
            if name in spoken:
                yield from (InputPart(index, name, piece) for piece in _pieces(block.json()))
            yield BlockDone(index, ToolUse(f"toolu_{new_id()}", name, dict(given)))


def _pieces(text: str) -> Iterator[str]:
    return (text[at : at + PIECE] for at in range(0, len(text), PIECE))
