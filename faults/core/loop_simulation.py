"""The loop on a clock that is played: waits take no time, chance comes from a seed, and a seed gives the same log."""

import asyncio
import hashlib
import random
import time
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from faults.core.loop_faults import ProofFigure
from harness.simulation.event_loop import run_each_twice, run_simulated
from sprout.errors import ModelFailure, ModelFailureKind, ToolFailure
from sprout.events import Usage
from sprout.loop.model import (
    BlockDone,
    Message,
    ModelRequest,
    ReplyEnded,
    ReplyPart,
    Text,
    TextPart,
    Thinking,
    ToolUse,
    UsagePart,
)
from sprout.loop.policy import LoopPolicy
from sprout.loop.tools import Effect, Tool, tool
from sprout.loop.turn import TurnHooks, TurnResult, run_turn

SEEDS = 2_000
RUNS_AT_ONCE = 3
LONGEST_S = 3_600.0  # on the played clock
FAILURES = tuple(kind for kind in ModelFailureKind if kind is not ModelFailureKind.BUDGET_SPENT)
POLICY = LoopPolicy(max_iterations=8, soft_limit_s=300.0, hard_limit_s=400.0)


@dataclass(slots=True)
class LoopSimulation:
    """One seed: the hash of its log, how its runs ended, what was wrong, and how long it was on the played clock."""

    digest: str
    steps: int
    endings: Counter[str] = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)
    simulated_s: float = 0.0


async def simulated(seed: int = 1, seeds: int = SEEDS) -> list[ProofFigure]:
    """Three runs of the loop side by side on a played clock, each seed twice; the log must be the same."""
    began_s = time.monotonic()
    differ, wrong, ended, steps, played_s = 0, [], Counter[str](), 0, 0.0
    async for number, one, again in run_each_twice(play, range(seed, seed + seeds)):
        differ += one.digest != again.digest
        wrong += [f"seed {number}: {violation}" for violation in one.violations]
        ended += one.endings
        steps, played_s = steps + one.steps, played_s + one.simulated_s
    took_s = time.monotonic() - began_s
    return [
        ProofFigure("simulated", "seeds, each twice; seeds a minute", f"{seeds:,}, {2 * seeds / took_s * 60:,.0f}"),
        ProofFigure("simulated", "steps, hours on the played clock", f"{steps:,}, {played_s / 3600:,.0f}"),
        *(ProofFigure("simulated", f"ended: {reason}", f"{times:,}") for reason, times in ended.most_common()),
        ProofFigure("simulated", "seeds whose log was another the second time", f"{differ}", differ == 0),
        ProofFigure("simulated", "violations", f"{len(wrong)}", not wrong),
        *(ProofFigure("simulated", "violation", violation, False) for violation in wrong[:20]),
    ]


def play(seed: int) -> LoopSimulation:
    """Play one seed in a loop of its own, from its first step to its last."""
    return run_simulated(seed, lambda _: _run_concurrently(seed), longest_s=LONGEST_S)


async def _run_concurrently(seed: int) -> LoopSimulation:
    log: list[str] = []
    found = LoopSimulation("", 0)
    async with asyncio.TaskGroup() as tasks:
        for number in range(RUNS_AT_ONCE):
            tasks.create_task(_run(number, random.Random(f"{seed}:{number}"), log, found))
    found.digest, found.steps = hashlib.sha256("\n".join(log).encode()).hexdigest(), len(log)
    found.simulated_s = asyncio.get_running_loop().time()
    return found


async def _run(number: int, chance: random.Random, log: list[str], found: LoopSimulation) -> None:
    clock, effects, results = asyncio.get_running_loop().time, Counter[str](), 0
    turn = run_turn(
        RandomModel(chance),
        model_name="played",
        system="You are played.",
        messages=(Message("user", (Text("Begin."),)),),
        tools=_tools(chance, effects),
        policy=POLICY,
        hooks=TurnHooks(clock=clock),
    )
    async for step in turn:
        log.append(f"{clock():.6f} {number} {step!r}")
        if isinstance(step, TurnResult):
            results += 1
            found.endings[step.reason] += 1
            made = [one.id for one in _calls(step.messages)]
            if len(made) != len(set(made)) or not effects.keys() <= set(made):
                found.violations.append(f"run {number}: calls {made}, effects {dict(effects)}")
    if results != 1:
        found.violations.append(f"run {number}: {results} ends")
    if any(times > 1 for times in effects.values()):
        found.violations.append(f"run {number}: effects {dict(effects)}")


def _calls(messages: tuple[Message, ...] | list[Message]) -> Iterator[ToolUse]:
    yield from (block for message in messages for block in message.content if isinstance(block, ToolUse))


class RandomModel:
    """A model that says, calls, waits, breaks off and fails as chance will have it."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._made = 0

    async def reply(self, request: ModelRequest) -> AsyncGenerator[ReplyPart, None]:
        chance = self._chance
        await asyncio.sleep(chance.expovariate(1.0))
        if chance.random() < 0.25:
            raise ModelFailure(chance.choice(FAILURES), "played", retry_after_s=chance.choice([None, 0.5, 7.0]))
        blocks = chance.randint(0, 3)
        for index in range(blocks):
            await asyncio.sleep(chance.expovariate(5.0))
            if chance.random() < 0.08:
                raise ModelFailure(ModelFailureKind.CUT, "played in the middle")
            block = self._block()
            if isinstance(block, Text):
                for at in range(0, len(block.text), 20):
                    yield TextPart(index, block.text[at : at + 20])
                    await asyncio.sleep(0.01)
            yield BlockDone(index, block)
        yield UsagePart(Usage(input_tokens=100, output_tokens=10 * blocks))
        yield ReplyEnded(chance.choice(["end_turn", "end_turn", "tool_use", "max_tokens"]))

    def _block(self) -> Text | Thinking | ToolUse:
        chance = self._chance
        match chance.randint(0, 4):
            case 0:
                return Text("Light goes straight on, until something is in its way. ")
            case 1:
                return Text(f"And now for number {chance.randint(1, 99)}. ")
            case _:
                self._made += 1
                given: Mapping[str, Any] = {"at": chance.choice("abc")}
                return ToolUse(f"call_{self._made}", chance.choice(["look", "keep", "lok", "nothing"]), given)


def _tools(chance: random.Random, effects: Counter[str]) -> list[Tool]:
    @tool(repeatable=True)
    async def look(at: str) -> str:
        """Look."""
        await asyncio.sleep(chance.expovariate(0.2))
        if chance.random() < 0.2:
            raise ToolFailure("busy", transient=True)
        return f"seen {at}"

    @tool(effect=Effect.WRITE)
    async def keep(at: str, call: ToolUse) -> str:
        """Keep."""
        await asyncio.sleep(chance.expovariate(1.0))
        effects[call.id] += 1
        return f"kept {at}"

    return [look, keep]


PROOFS: dict[str, Callable[..., Awaitable[list[ProofFigure]]]] = {"simulated": simulated}
