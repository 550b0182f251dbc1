"""Runs the loop on the offline model server, through the real SDK over real HTTP."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from sprout.events import Event
from sprout.llm.claude import Claude, claude_client
from sprout.loop.execution import CallDone
from sprout.loop.model import Message, Text
from sprout.loop.policy import LoopPolicy
from sprout.loop.stop import Stop
from sprout.loop.tools import Tool
from sprout.loop.turn import CallStarted, MessageAdded, Step, StopCheck, TurnResult, run_turn
from sprout.offline.app import RecordedRequest
from sprout.offline.pace import Pace
from sprout.offline.script import Scripted
from sprout.offline.script import Step as ScriptStep
from sprout.offline.server import OfflineServer, running_offline_server

QUICK = LoopPolicy(rate_limit_base_s=0.01, overload_base_s=0.01, overload_cap_s=0.02, tool_backoff_s=(0.01, 0.01))


@dataclass
class Played:
    result: TurnResult
    steps: list[Step]
    requests: list[RecordedRequest]
    events: list[Event] = field(default_factory=list)

    def kinds(self) -> list[str]:
        return [event.kind for event in self.events]


@asynccontextmanager
async def claude_at(server: OfflineServer, *, idle_s: float = 5.0) -> AsyncIterator[Claude]:
    async with claude_client(api_key="any", base_url=server.base_url, idle_s=idle_s) as client:
        yield Claude(client, thinking_tokens=LoopPolicy().thinking_tokens)


async def played(
    script: Sequence[ScriptStep],
    *,
    tools: Sequence[Tool] = (),
    policy: LoopPolicy = QUICK,
    stop: Stop | None = None,
    stop_checks: Sequence[StopCheck] = (),
    fallback_model: str | None = None,
    pace: Pace | None = None,
    idle_s: float = 5.0,
    model_name: str = "sprout-offline",
    system: str = "You are tested.",
    messages: Sequence[Message] = (Message("user", (Text("Begin."),)),),
) -> Played:
    """Play a script against the loop, to its end."""
    async with running_offline_server(Scripted(script), pace=pace) as server, claude_at(server, idle_s=idle_s) as model:
        turn = run_turn(
            model,
            model_name=model_name,
            system=system,
            messages=messages,
            tools=tools,
            policy=policy,
            stop=stop,
            stop_checks=stop_checks,
            fallback_model=fallback_model,
        )
        steps = [step async for step in turn]
        requests = server.requests
    result = steps[-1]
    assert isinstance(result, TurnResult)
    events = [step for step in steps if not isinstance(step, (CallStarted, CallDone, MessageAdded, TurnResult))]
    return Played(result, steps, requests, events)


def texts_told(events: Sequence[Event]) -> str:
    """What a reader has in front of it at the end: deltas, less what was withdrawn."""
    blocks: dict[str, str] = {}
    for event in events:
        if event.kind in ("agent_reasoning_delta", "message_delta"):
            blocks[event.block_id] = blocks.get(event.block_id, "") + event.text
        elif event.kind == "message_reset":
            blocks.pop(event.block_id, None)
    return "".join(blocks.values())


__all__ = ["QUICK", "CallStarted", "MessageAdded", "Played", "claude_at", "played", "texts_told"]
