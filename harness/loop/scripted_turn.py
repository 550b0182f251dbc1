"""Runs the loop on the offline model server, through the real SDK over real HTTP."""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypedDict, Unpack, cast

from sprout.events import Event
from sprout.llm.claude import Claude, claude_client
from sprout.loop.context.keeper import Flush
from sprout.loop.context.strategy import Strategy
from sprout.loop.context.summary import SummaryFunction
from sprout.loop.journal import Journal
from sprout.loop.limits import Clock
from sprout.loop.model import ChatModel, Message, ModelTraits, Text, ToolResult
from sprout.loop.policy import LoopPolicy
from sprout.loop.resume.state import ResumeState
from sprout.loop.stop import Stop
from sprout.loop.tool_calls.permissions import Approval, Permissions
from sprout.loop.tools import Profile, Tool
from sprout.loop.turn import CallStarted, MessageAdded, Step, StopCheck, TurnResult, ViewCompacted, run_turn
from sprout.loop.turn_options import OutputFilterFactory, TurnHooks, TurnOptions, Voice
from sprout.loop.turn_steps import CallDone, OnUndelivered
from sprout.offline.api.messages_api import OfflineModel, RecordedRequest
from sprout.offline.faults.foreign_errors import FOREIGN_ERRORS
from sprout.offline.faults.scenarios import FaultPlan, Scenario
from sprout.offline.pace import Pace
from sprout.offline.script import Scripted
from sprout.offline.script import Step as ScriptStep
from sprout.offline.server import OfflineServer, running_offline_server

QUICK = LoopPolicy(rate_limit_base_s=0.01, overload_base_s=0.01, overload_cap_s=0.02, tool_backoff_s=(0.01, 0.01))
BEGIN = (Message("user", (Text("Begin."),)),)
LONGEST_S = 30.0


class Arguments(TypedDict, total=False):
    """Arguments of `run_turn` beside the model and the conversation, with those of its groups side by side."""

    tools: Sequence[Tool]
    traits: ModelTraits
    stop: Stop
    stop_checks: Sequence[StopCheck]
    fallback_model: str | None
    voice: Voice
    output_filter: OutputFilterFactory
    strategy: Strategy
    summarise: SummaryFunction
    flush: Flush
    profile: Profile
    permissions: Permissions
    approvals: Collection[Approval]
    known_results: Sequence[ToolResult]
    can_wait: bool
    asks: bool
    lookup: str | None
    token_target: int | None
    clock: Clock
    resume: ResumeState
    journal: Journal
    on_undelivered: OnUndelivered


class Groups(TypedDict, total=False):
    """The arguments of `run_turn` in their groups."""

    tools: Sequence[Tool]
    stop: Stop
    options: TurnOptions
    hooks: TurnHooks
    resume: ResumeState


def grouped(messages: Sequence[Message], arguments: Arguments) -> Groups:
    """The arguments in the groups that `run_turn` takes."""
    given = dict(arguments)

    def group(made: type[Any]) -> dict[str, Any]:
        return {field.name: given.pop(field.name) for field in fields(made) if field.name in given}

    options, hooks = TurnOptions(**group(TurnOptions)), TurnHooks(**group(TurnHooks))
    resumed = group(ResumeState)
    if resumed:
        given["resume"] = ResumeState(**{"input_count": len(messages), **resumed})
    return cast(Groups, given | {"options": options, "hooks": hooks})


@dataclass
class ScriptedTurn:
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


class ManualClock:
    """A clock that stands still until a test moves it."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


@asynccontextmanager
async def claude_at(server: OfflineServer, *, idle_s: float = 5.0) -> AsyncIterator[Claude]:
    async with claude_client(api_key="any", base_url=server.base_url, idle_s=idle_s) as client:
        yield Claude(client, thinking_tokens=LoopPolicy().thinking_tokens)


async def run_script(
    script: Sequence[ScriptStep] | OfflineModel,
    *,
    policy: LoopPolicy = QUICK,
    pace: Pace | None = None,
    faults: FaultPlan | None = None,
    idle_s: float = 5.0,
    model_name: str = "sprout-offline",
    system: str = "You are tested.",
    messages: Sequence[Message] = BEGIN,
    through: Callable[[ChatModel], ChatModel] = lambda model: model,
    heard: Callable[[Step], None] = lambda step: None,
    **arguments: Unpack[Arguments],
) -> ScriptedTurn:
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
            through(model),
            model_name=model_name,
            system=system,
            messages=messages,
            policy=policy,
            **grouped(messages, arguments),
        )
        steps: list[Step] = []
        async for step in turn:
            steps.append(step)
            heard(step)
        requests = server.requests
    assert refused_requests(requests) == []
    return sort_steps(steps, requests)


def sort_steps(steps: Sequence[Step], requests: Sequence[RecordedRequest] = ()) -> ScriptedTurn:
    """The steps of a turn that has ended, sorted; its result comes once, and last."""
    result = steps[-1]
    assert isinstance(result, TurnResult)
    assert not any(isinstance(step, TurnResult) for step in steps[:-1])
    events = [
        step for step in steps if not isinstance(step, (CallStarted, CallDone, MessageAdded, ViewCompacted, TurnResult))
    ]
    return ScriptedTurn(result, list(steps), list(requests), events)


def refused_requests(requests: Sequence[RecordedRequest]) -> list[int]:
    """The numbers of the requests that were not valid: a 400 that no fault was played for."""
    played_too_long = (Scenario.WINDOW_EXCEEDED, *FOREIGN_ERRORS)
    return [one.number for one in requests if one.status == 400 and one.fault not in played_too_long]


def visible_text(events: Sequence[Event]) -> str:
    """Text displayed at the end: deltas less withdrawn blocks."""
    return "".join(visible_blocks(events).values())


def visible_blocks(events: Sequence[Event]) -> dict[str, str]:
    """The text of each block that a reader still sees, by its id."""
    blocks: dict[str, str] = {}
    for event in events:
        if event.kind in ("agent_reasoning_delta", "message_delta"):
            blocks[event.block_id] = blocks.get(event.block_id, "") + event.text
        elif event.kind == "message_reset":
            blocks.pop(event.block_id, None)
    return blocks


def policy_with(policy: LoopPolicy = QUICK, /, **numbers: Any) -> LoopPolicy:
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
    "ManualClock",
    "MessageAdded",
    "ScriptedTurn",
    "claude_at",
    "grouped",
    "policy_with",
    "refused_requests",
    "repeatable",
    "run_script",
    "sort_steps",
    "visible_blocks",
    "visible_text",
    "without_breakpoints",
]
