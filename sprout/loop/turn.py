"""One turn of model and tools: call the model, run the calls of its reply, return the results, until it is done."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace

from sprout.loop.context.estimate import fixed_tokens, text_tokens
from sprout.loop.context.keeper import ContextKeeper
from sprout.loop.iteration.turn_loop import TurnLoop
from sprout.loop.limits import Limits
from sprout.loop.model import ChatModel, Message, ModelRequest, Text, ToolUse
from sprout.loop.model_call.caller import ModelCaller
from sprout.loop.model_call.output_filter import StepFilter
from sprout.loop.policy import LoopPolicy
from sprout.loop.progress.loop_guard import LoopGuard
from sprout.loop.resume.state import ResumeState
from sprout.loop.state import TurnState
from sprout.loop.stop import Stop
from sprout.loop.tool_calls.calls import ToolCalls
from sprout.loop.tool_calls.profiles import callable_tools
from sprout.loop.tools import Tool
from sprout.loop.turn_options import TurnHooks, TurnOptions, TurnSettings
from sprout.loop.turn_steps import (
    CallDone,
    CallRecord,
    CallStarted,
    Forbid,
    MessageAdded,
    Step,
    StopCheck,
    TurnResult,
    ViewCompacted,
)

__all__ = [
    "CallDone",
    "CallRecord",
    "CallStarted",
    "Forbid",
    "MessageAdded",
    "ResumeState",
    "Step",
    "StopCheck",
    "TurnHooks",
    "TurnOptions",
    "TurnResult",
    "ViewCompacted",
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
    stop: Stop | None = None,
    options: TurnOptions | None = None,
    hooks: TurnHooks | None = None,
    resume: ResumeState | None = None,
) -> AsyncGenerator[Step, None]:
    """Run the loop; yields events as they happen, the steps to be recorded, and last a TurnResult.

    The loop goes on only when the next step is requested. So a caller that stores each step before it asks for the next
    can rely on it: a tool starts after its CallStarted was stored.

    Messages may end with a reply whose calls have no results yet, as one that waited for a person does: those calls run
    first, except those whose results are in `resume.known_results`.

    A turn that is closed before its end cancels its reads at once, and lets a change finish first.

    Args:
        stop: requests the end of the turn from outside.
        options: how the turn works, beside the numbers of its policy.
        hooks: what the turn calls outside the loop.
        resume: where an earlier worker of the run stood, whose messages these are: limits and budgets count on,
            repeated calls are remembered, and a turn that had ended ends without another call. Raises DecodingError
            if `resume.view` is not of this transcript.
    """
    policy, stop = policy or LoopPolicy(), stop or Stop()
    options, hooks = options or TurnOptions(), hooks or TurnHooks()
    limits = Limits(policy, options.traits, hooks.clock, elapsed_s=resume.elapsed_s if resume else 0.0)
    settings = TurnSettings({tool.name: tool for tool in tools}, policy, stop, limits, options, hooks)
    state = _initial_state(messages, settings, resume)
    request = ModelRequest(model_name, _with_digest(system, options), (), tuple(tool.spec for tool in tools), 0)
    journal = options.journal.as_messages()
    keeper = _context_keeper(settings, request, journal)
    if resume is not None:
        keeper.restore(messages, input_count=resume.input_count, state=resume.view)
    approvals = resume.approvals if resume else ()
    in_profile = callable_tools(tools, options.profile, messages)
    calls = ToolCalls(settings.tools, in_profile, options.permissions, approvals, can_wait=options.can_wait)
    caller = ModelCaller(
        model,
        request,
        settings,
        keeper,
        calls,
        journal=journal,
        used_ids=[block.id for message in messages for block in message.content if isinstance(block, ToolUse)],
        resumed=state if resume else None,
    )
    guard = LoopGuard(
        policy,
        {tool.name: tool for tool in tools if tool.name in in_profile},
        lookup=options.lookup,
        asks=settings.asks,
        can_wait=options.can_wait,
        has_target=options.token_target is not None,
    )
    loop = TurnLoop(settings, state, caller, calls, guard)
    if resume is not None:
        loop.resume(resume)
    step_filter = None if hooks.output_filter is None else StepFilter(hooks.output_filter, settings.spoken)
    async with aclosing(loop.iterations()) as steps:
        async for step in steps:
            for shown in (step,) if step_filter is None else step_filter.filter(step):
                yield shown


def _initial_state(messages: Sequence[Message], settings: TurnSettings, resume: ResumeState | None) -> TurnState:
    if resume is None:
        return TurnState(tuple(messages))
    on_fallback = resume.state.on_fallback and settings.options.fallback_model is not None
    return replace(resume.state, transcript=tuple(messages), on_fallback=on_fallback)


def _with_digest(system: str, options: TurnOptions) -> str:
    digest = options.journal.digest()
    return f"{system}\n\n{digest}" if digest else system


def _context_keeper(settings: TurnSettings, request: ModelRequest, journal: Sequence[Message]) -> ContextKeeper:
    policy, options, hooks = settings.policy, settings.options, settings.hooks
    texts = [block.text for message in journal for block in message.content if isinstance(block, Text)]
    return ContextKeeper(
        policy,
        window=policy.context_window or options.traits.window,
        strategy=options.strategy,
        fixed_tokens=fixed_tokens(request.system, request.tools) + sum(map(text_tokens, texts)),
        summarise=hooks.summarise,
        flush=hooks.flush,
    )
