"""One turn of model and tools: ask, run what it calls, tell it the results, until it is done."""

import time
from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import aclosing

from sprout.loop.asking import Asking
from sprout.loop.attempt import Voice
from sprout.loop.calls import Calls
from sprout.loop.carried import Carried
from sprout.loop.checks import StopChecks
from sprout.loop.context import ContextKeeper, Flush
from sprout.loop.cycle import Cycle
from sprout.loop.estimate import fixed_tokens, text_tokens
from sprout.loop.execution import CallDone, Left
from sprout.loop.following import Following
from sprout.loop.guard import Guard
from sprout.loop.human import ask_human
from sprout.loop.journal import Journal
from sprout.loop.limits import Clock, Limits
from sprout.loop.model import ChatModel, Message, ModelRequest, ModelTraits, Text, ToolResult, ToolUse
from sprout.loop.permissions import Approval, Permissions
from sprout.loop.policy import LoopPolicy
from sprout.loop.result import (
    CallRecord,
    CallStarted,
    Compacted,
    Forbid,
    MessageAdded,
    Step,
    StopCheck,
    TurnResult,
)
from sprout.loop.screen import MakeScreen, Screening
from sprout.loop.stop import Stop
from sprout.loop.strategy import Auto, Strategy
from sprout.loop.summary import Summarise
from sprout.loop.tools import Tool

__all__ = [
    "CallDone",
    "CallRecord",
    "CallStarted",
    "Compacted",
    "Forbid",
    "MessageAdded",
    "Step",
    "StopCheck",
    "TurnResult",
    "run_turn",
]


async def run_turn(
    model: ChatModel,
    *,
    model_name: str,
    system: str,
    messages: Sequence[Message],
    tools: Sequence[Tool] = (),
    policy: LoopPolicy | None = None,
    traits: ModelTraits | None = None,
    stop: Stop | None = None,
    stop_checks: Sequence[StopCheck] = (),
    fallback_model: str | None = None,
    voice: Voice = "reasoning",
    screen: MakeScreen | None = None,
    strategy: Strategy | None = None,
    summarise: Summarise | None = None,
    flush: Flush | None = None,
    permissions: Permissions | None = None,
    approvals: Collection[Approval] = (),
    known: Sequence[ToolResult] = (),
    can_wait: bool = False,
    journal: Journal | None = None,
    lookup: str | None = None,
    token_target: int | None = None,
    carried: Carried | None = None,
    left: Left | None = None,
    clock: Clock = time.monotonic,
) -> AsyncGenerator[Step, None]:
    """Run the loop; yields events as they happen, the steps that are worth recording, and last a TurnResult.

    The loop goes on only when the next step is asked for. So whoever stores a step before asking again can rely on
    it: a tool starts after its CallStarted was stored.

    Messages may end with a reply whose calls have no results yet, as one that waited for a person does: those calls
    are run first, but for the ones whose results are `known`.

    With `carried` the turn goes on where an earlier carrier of the run stood, whose messages these are: limits and
    budgets count on, circles are remembered, and what had come to its end ends without another call. Raises
    KeptUnreadable where `carried.view` is not of this transcript.

    A turn that is closed before its end cancels its reads at once, and lets a change come to its end first.

    Args:
        traits: what the model can do; cautious assumptions where nothing is said.
        stop: asks the loop to stop from outside.
        stop_checks: look at a result before a normal end; each may send a correction to the model, twice at most.
        fallback_model: takes over while the model stays overloaded.
        voice: whether the model's text is reasoning or words to the learner.
        screen: makes what the words of each reply to the learner pass through. What it withholds is asked for again,
            twice at most; then `withheld` of the result says why. Thoughts are not told at all.
        strategy: how the conversation is kept within the window.
        summarise: makes a summary by a small model; without it old messages are cut deterministically.
        flush: is given the messages with results that a compaction is about to cut.
        approvals: calls that a person has allowed.
        can_wait: whether the turn may end to wait for a person.
        journal: what the agent noted down in an earlier run: its gist ends the system prompt, all of it stands before
            the live messages.
        lookup: the agent's tool for looking things up; it is what a model that goes in circles is made to call.
        token_target: output tokens of which at least nine tenths are wanted before the end.
        carried: what was there before; `recalled` makes it of what was kept.
        left: is given the ends of calls that nobody was told of when the turn is closed, so that they can be stored.
    """
    policy, traits, stop = policy or LoopPolicy(), traits or ModelTraits(), stop or Stop()
    journal = journal or Journal()
    system = f"{system}\n\n{digest}" if (digest := journal.digest()) else system
    standing = journal.as_messages()
    request = ModelRequest(model_name, system, (), tuple(tool.spec for tool in tools), policy.max_output_tokens)
    by_name = {tool.name: tool for tool in tools}
    spoken = {tool.name: tool.spoken for tool in tools if tool.spoken is not None}
    limits = Limits(policy, traits, clock, elapsed_s=carried.elapsed_s if carried else 0.0)
    calls = Calls(by_name, permissions or Permissions(), approvals, can_wait=can_wait)
    keeper = ContextKeeper(
        policy,
        window=policy.context_window or traits.window,
        strategy=strategy or Auto(),
        fixed_tokens=fixed_tokens(request.system, request.tools) + sum(text_tokens(said) for said in _texts(standing)),
        summarise=summarise,
        flush=flush,
    )
    asking = Asking(
        model,
        request,
        policy=policy,
        traits=traits,
        stop=stop,
        limits=limits,
        keeper=keeper,
        calls=calls,
        fallback_model=fallback_model,
        voice=voice,
        spoken=spoken,
        used_ids=[block.id for message in messages for block in message.content if isinstance(block, ToolUse)],
        standing=standing,
        screen=screen,
    )
    screening = None if screen is None else Screening(screen, spoken)
    guard = Guard(policy, by_name, lookup=lookup, asks=ask_human.name in by_name and can_wait)
    checks = StopChecks(stop_checks)
    transcript = list(messages)
    following = Following(by_name, transcript, policy, stop, asking, guard, token_target)
    cycle = Cycle(by_name, transcript, policy, stop, limits, calls, asking, guard, checks, following, left)
    if carried is not None:
        keeper.take_up(messages, begun_with=carried.begun_with, state=carried.view)
        cycle.take_up(carried)
    async with aclosing(cycle.steps({result.call_id: result for result in known})) as steps:
        async for step in steps:
            for told in (step,) if screening is None else screening.told(step):
                yield told


def _texts(messages: Sequence[Message]) -> list[str]:
    return [block.text for message in messages for block in message.content if isinstance(block, Text)]
