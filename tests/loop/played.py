"""Runs the loop on the offline model server, through the real SDK over real HTTP."""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, TypedDict, Unpack

from sprout.events import Event
from sprout.llm.claude import Claude, claude_client
from sprout.loop.attempt import Voice
from sprout.loop.carried import Carried
from sprout.loop.context import Flush
from sprout.loop.execution import CallDone
from sprout.loop.limits import Clock
from sprout.loop.model import ChatModel, Message, ModelTraits, Text, ToolResult
from sprout.loop.permissions import Approval, Permissions
from sprout.loop.policy import LoopPolicy
from sprout.loop.screen import MakeScreen
from sprout.loop.stop import Stop
from sprout.loop.strategy import Strategy
from sprout.loop.summary import Summarise
from sprout.loop.tools import Tool
from sprout.loop.turn import CallStarted, Compacted, MessageAdded, Step, StopCheck, TurnResult, run_turn
from sprout.offline.app import OfflineModel, RecordedRequest
from sprout.offline.faults import Faults, Scenario
from sprout.offline.pace import Pace
from sprout.offline.script import Scripted
from sprout.offline.script import Step as ScriptStep
from sprout.offline.server import OfflineServer, running_offline_server

QUICK = LoopPolicy(rate_limit_base_s=0.01, overload_base_s=0.01, overload_cap_s=0.02, tool_backoff_s=(0.01, 0.01))
BEGIN = (Message("user", (Text("Begin."),)),)
LONGEST_S = 30.0


class Arguments(TypedDict, total=False):
    """What may be given to `run_turn` beside the model and the conversation."""

    tools: Sequence[Tool]
    traits: ModelTraits
    stop: Stop
    stop_checks: Sequence[StopCheck]
    fallback_model: str | None
    voice: Voice
    screen: MakeScreen
    strategy: Strategy
    summarise: Summarise
    flush: Flush
    permissions: Permissions
    approvals: Collection[Approval]
    known: Sequence[ToolResult]
    can_wait: bool
    lookup: str | None
    token_target: int
    clock: Clock
    carried: Carried


@dataclass
class Played:
    result: TurnResult
    steps: list[Step]
    requests: list[RecordedRequest]
    events: list[Event] = field(default_factory=list)

    def kinds(self) -> list[str]:
        return [event.kind for event in self.events]

    def of_kind(self, kind: str) -> list[Any]:
        """The events of one kind, in order."""
        return [event for event in self.events if event.kind == kind]

    def sent(self, number: int) -> list[dict[str, Any]]:
        """The messages of a request, counted from 0."""
        messages: list[dict[str, Any]] = self.requests[number].body["messages"]
        return messages


class Hand:
    """A clock that stands still until a test moves it."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


@asynccontextmanager
async def claude_at(server: OfflineServer, *, idle_s: float = 5.0) -> AsyncIterator[Claude]:
    async with claude_client(api_key="any", base_url=server.base_url, idle_s=idle_s) as client:
        yield Claude(client, thinking_tokens=LoopPolicy().thinking_tokens)


async def played(
    script: Sequence[ScriptStep] | OfflineModel,
    *,
    policy: LoopPolicy = QUICK,
    pace: Pace | None = None,
    faults: Faults | None = None,
    idle_s: float = 5.0,
    model_name: str = "sprout-offline",
    system: str = "You are tested.",
    messages: Sequence[Message] = BEGIN,
    through: Callable[[ChatModel], ChatModel] = lambda model: model,
    heard: Callable[[Step], None] = lambda step: None,
    **arguments: Unpack[Arguments],
) -> Played:
    """Play a script against the loop, to its end; a request that the server refuses of its own accord is a failure.

    Args:
        through: wraps the model that the loop asks, for what no reply on the wire can play.
        heard: is given each step as it comes.
    """
    brain = Scripted(script) if isinstance(script, Sequence) else script
    async with (
        asyncio.timeout(LONGEST_S),
        running_offline_server(brain, pace=pace, faults=faults) as server,
        claude_at(server, idle_s=idle_s) as model,
    ):
        turn = run_turn(
            through(model), model_name=model_name, system=system, messages=messages, policy=policy, **arguments
        )
        steps: list[Step] = []
        async for step in turn:
            steps.append(step)
            heard(step)
        requests = server.requests
    assert refused(requests) == []
    return told(steps, requests)


def told(steps: Sequence[Step], requests: Sequence[RecordedRequest] = ()) -> Played:
    """The steps of a turn that has ended, sorted; its result comes once, and last."""
    result = steps[-1]
    assert isinstance(result, TurnResult)
    assert not any(isinstance(step, TurnResult) for step in steps[:-1])
    events = [
        step for step in steps if not isinstance(step, (CallStarted, CallDone, MessageAdded, Compacted, TurnResult))
    ]
    return Played(result, list(steps), list(requests), events)


def refused(requests: Sequence[RecordedRequest]) -> list[int]:
    """The numbers of the requests that were not valid: a 400 that no fault was played for."""
    played_too_long = (Scenario.WINDOW_EXCEEDED,)
    return [one.number for one in requests if one.status == 400 and one.fault not in played_too_long]


def texts_told(events: Sequence[Event]) -> str:
    """What a reader has in front of it at the end: deltas, less what was withdrawn."""
    return "".join(blocks_told(events).values())


def blocks_told(events: Sequence[Event]) -> dict[str, str]:
    """The text of each block that a reader still sees, by its id."""
    blocks: dict[str, str] = {}
    for event in events:
        if event.kind in ("agent_reasoning_delta", "message_delta"):
            blocks[event.block_id] = blocks.get(event.block_id, "") + event.text
        elif event.kind == "message_reset":
            blocks.pop(event.block_id, None)
    return blocks


def changed(policy: LoopPolicy = QUICK, /, **numbers: Any) -> LoopPolicy:
    """A policy with other numbers, checked."""
    return LoopPolicy.model_validate(policy.model_dump() | numbers)


def without_breakpoints(request: RecordedRequest) -> dict[str, Any]:
    """A request's body without its cache breakpoints, which move on from request to request."""
    body = dict(request.body)
    body["messages"] = [
        {
            "role": message["role"],
            "content": [
                {key: value for key, value in block.items() if key != "cache_control"} for block in message["content"]
            ],
        }
        for message in body["messages"]
    ]
    return body


def repeatable(tool: Tool) -> Tool:
    """The tool, declared as one that is called many times."""
    return replace(tool, repeatable=True)


__all__ = [
    "BEGIN",
    "LONGEST_S",
    "QUICK",
    "Arguments",
    "CallStarted",
    "Hand",
    "MessageAdded",
    "Played",
    "blocks_told",
    "changed",
    "claude_at",
    "played",
    "refused",
    "repeatable",
    "texts_told",
    "told",
    "without_breakpoints",
]
