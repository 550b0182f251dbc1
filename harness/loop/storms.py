"""Many runs against a server that fails much of what it is asked, in ways drawn by a seed."""

import asyncio
import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from harness.loop.invariants import Ran, assert_no_text_lost_or_doubled, assert_nothing_ran_twice, tools_of_all_kinds
from harness.loop.scripted_turn import BEGIN, claude_at, policy_with, refused_requests, run_script, sort_steps
from sprout.loop.model import ToolUse
from sprout.loop.turn import TurnOptions, TurnResult, run_turn
from sprout.offline.faults.scenarios import Fault, FaultPlan, parse_fault
from sprout.offline.pace import Pace
from sprout.offline.reply import Block, Body
from sprout.offline.script import Reply, TextOut, ThinkingOut, ToolOut
from sprout.offline.server import OfflineServer, running_offline_server

SHARE = 0.3
SIDE_BY_SIDE = 8
HUNG_S = 30.0
IDLE_S = 0.5
WAYS: list[Fault | str] = [
    "rate_limited",
    "overloaded",
    "overloaded",
    "server_error",
    "bad_gateway_html",
    "reset",
    Fault("reset", after_bytes=900),
    Fault("cut", after_events=3),
    Fault("cut", after_events=9),
    "cut",
    "error_event",
    "stall",
    Fault("stall", after_events=7),
    Fault("slow", pace=Pace(0.01, 4_000)),
    "truncated_text",
    "truncated_tool_json",
    "misspelled_tool",
    "unknown_tool",
    "invalid_tool_input",
    "malformed_tool_json",
    "identical_calls",
    "varying_calls",
    "window_exceeded",
    "refusal",
    "pause_turn",
    "empty_reply",
]
POLICY = policy_with(stream_idle_s=IDLE_S, tool_result_max_bytes=2_000)


class RandomFaults(FaultPlan):
    """About `SHARE` of all requests meet one of `WAYS`; the same seed gives the same plan."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._seed = seed

    async def fault_for(self, number: int) -> Fault | None:
        # Drawn by number, not in order: requests that arrive together must not swap their fates.
        dice = random.Random(f"{self._seed}:{number}")
        return parse_fault(dice.choice(WAYS)) if dice.random() < SHARE else None


class Diligent:
    """A model that thinks, looks, keeps and answers: four steps, counted by the results that it has been sent."""

    def answer(self, body: Body) -> Reply:
        good = [block for block in _results(body) if not block.get("is_error")]
        steps: list[list[Block]] = [
            [ThinkingOut("Where to begin?"), TextOut("First I look."), _call("look", "a"), _call("flaky", "b")],
            [TextOut("Then I keep."), _call("keep", f"{len(good)}")],
            [_call("draw", "c"), _call("keep", f"{len(good)}")],
        ]
        done = len(good) // 2
        return Reply(steps[done] if done < len(steps) else [TextOut("All that was asked for is done.")])


def _call(name: str, at: str) -> ToolOut:
    return ToolOut(name, {"at": at})


def _results(body: Body) -> list[dict[str, Any]]:
    return [block for message in body["messages"] for block in message["content"] if block["type"] == "tool_result"]


@dataclass
class Storm:
    """Outcomes of the runs.

    Args:
        endings: number of runs per reason; `failed` with its kind.
        hung: runs that had not ended after `HUNG_S` seconds.
        poisoned: runs whose conversation a healthy server did not take.
    """

    runs: int
    endings: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    requests: int = 0
    retries: int = 0
    hung: int = 0
    poisoned: int = 0
    invalid: int = 0


async def storm(runs: int, *, seed: int) -> Storm:
    """Play the storm, some runs side by side; what of it must never be is counted too, and not only asserted."""
    weather = Storm(runs)
    plan = RandomFaults(seed)
    async with running_offline_server(Diligent(), faults=plan, keep_requests=runs * 100) as server:
        waiting = list(range(runs))

        async def work() -> None:
            while waiting:
                waiting.pop()
                await _run(server, weather)

        async with asyncio.TaskGroup() as workers:
            for _ in range(SIDE_BY_SIDE):
                workers.create_task(work())
        weather.requests = len(server.requests)
        weather.invalid = len(refused_requests(server.requests))
        weather.faults.update(request.fault.value for request in server.requests if request.fault)
    return weather


async def _run(server: OfflineServer, weather: Storm) -> None:
    ran = Ran()
    tools = tools_of_all_kinds(ran)
    try:
        async with asyncio.timeout(HUNG_S), claude_at(server, idle_s=IDLE_S) as model:
            turn = run_turn(
                model,
                model_name="sprout-offline",
                system="You are tested.",
                messages=BEGIN,
                tools=tools,
                policy=POLICY,
                options=TurnOptions(fallback_model="claude-haiku-5-5"),
            )
            steps = [step async for step in turn]
    except TimeoutError:
        weather.hung += 1
        return
    play = sort_steps(steps)
    assert_nothing_ran_twice(play, ran)
    assert_no_text_lost_or_doubled(play)
    weather.retries += len(play.of_kind("model_retry"))
    weather.endings[_ending(play.result)] += 1
    if not await is_sound(play.result):
        weather.poisoned += 1


def _ending(result: TurnResult) -> str:
    return f"failed: {result.failure.kind}" if result.failure is not None else result.reason


async def is_sound(result: TurnResult) -> bool:
    """Return True if a healthy server accepts the conversation with one more message, and replies."""
    again = await run_script([], tools=tools_of_all_kinds(Ran()), messages=[*result.messages, *BEGIN])
    known = {block.id for message in result.messages for block in message.content if isinstance(block, ToolUse)}
    return again.result.reason == "end_turn" and not known & {call.id for call in again.result.calls}
