"""One turn of model and tools: ask, run what it calls, tell it the results, until it is done."""

import time
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from contextlib import aclosing

from sprout.errors import ModelFailure, ModelFailureKind
from sprout.loop.asking import CUT, Asking
from sprout.loop.attempt import Attempt, Voice, is_said
from sprout.loop.calls import Calls
from sprout.loop.checks import Onward, StopChecks
from sprout.loop.context import ContextKeeper, Flush
from sprout.loop.estimate import fixed_tokens, text_tokens
from sprout.loop.execution import Batch, CallDone
from sprout.loop.guard import Guard, Verdict
from sprout.loop.human import HumanQuestion, ask_human, context_question
from sprout.loop.journal import Journal
from sprout.loop.limits import Clock, Limits
from sprout.loop.model import (
    ChatModel,
    Message,
    ModelRequest,
    ModelTraits,
    Text,
    ToolResult,
    ToolUse,
)
from sprout.loop.notices import notice
from sprout.loop.permissions import Approval, Permissions
from sprout.loop.policy import LoopPolicy
from sprout.loop.result import (
    CallRecord,
    CallStarted,
    Forbid,
    MessageAdded,
    Step,
    StopCheck,
    TurnResult,
)
from sprout.loop.stop import Stop
from sprout.loop.strategy import Auto, Strategy
from sprout.loop.summary import Summarise
from sprout.loop.tools import Tool

__all__ = [
    "CallDone",
    "CallRecord",
    "CallStarted",
    "Forbid",
    "MessageAdded",
    "Step",
    "StopCheck",
    "TurnResult",
    "run_turn",
]

TARGET_SHARE = 0.9
MID_TEXT = frozenset({"max_output_tokens_recovery", "partial_turn_kept"})


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
    clock: Clock = time.monotonic,
) -> AsyncGenerator[Step, None]:
    """Run the loop; yields events as they happen, the steps that are worth recording, and last a TurnResult.

    The loop goes on only when the next step is asked for. So whoever stores a step before asking again can rely on
    it: a tool starts after its CallStarted was stored.

    Messages may end with a reply whose calls have no results yet, as one that waited for a person does: those calls
    are run first, but for the ones whose results are `known`.

    Args:
        traits: what the model can do; cautious assumptions where nothing is said.
        stop: asks the loop to stop from outside.
        stop_checks: look at a result before a normal end; each may send a correction to the model, twice at most.
        fallback_model: takes over while the model stays overloaded.
        voice: whether the model's text is reasoning or words to the learner.
        strategy: how the conversation is kept within the window.
        summarise: makes a summary by a small model; without it old messages are cut deterministically.
        flush: is given the messages with results that a compaction is about to cut.
        approvals: calls that a person has allowed.
        can_wait: whether the turn may end to wait for a person.
        journal: what the agent noted down in an earlier run: its gist ends the system prompt, all of it stands before
            the live messages.
        lookup: the agent's tool for looking things up; it is what a model that goes in circles is made to call.
        token_target: output tokens of which at least nine tenths are wanted before the end.
    """
    policy, traits, stop = policy or LoopPolicy(), traits or ModelTraits(), stop or Stop()
    journal = journal or Journal()
    system = f"{system}\n\n{digest}" if (digest := journal.digest()) else system
    standing = journal.as_messages()
    request = ModelRequest(model_name, system, (), tuple(tool.spec for tool in tools), policy.max_output_tokens)
    by_name = {tool.name: tool for tool in tools}
    limits = Limits(policy, traits, clock)
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
        spoken={tool.name: tool.spoken for tool in tools if tool.spoken is not None},
        used_ids=[block.id for message in messages for block in message.content if isinstance(block, ToolUse)],
        standing=standing,
    )
    guard = Guard(policy, by_name, lookup=lookup, asks=ask_human.name in by_name and can_wait)
    checks = StopChecks(stop_checks)
    turn = _Turn(by_name, list(messages), policy, stop, limits, calls, asking, guard, checks, token_target)
    async with aclosing(turn.steps({result.call_id: result for result in known})) as steps:
        async for step in steps:
            yield step


class _Turn:
    def __init__(
        self,
        tools: Mapping[str, Tool],
        transcript: list[Message],
        policy: LoopPolicy,
        stop: Stop,
        limits: Limits,
        calls: Calls,
        asking: Asking,
        guard: Guard,
        checks: StopChecks,
        token_target: int | None,
    ) -> None:
        self._tools = tools
        self._transcript = transcript
        self._policy = policy
        self._stop = stop
        self._limits = limits
        self._calls = calls
        self._asking = asking
        self._guard = guard
        self._checks = checks
        self._token_target = token_target
        self._iterations = 0
        self._continuations = 0
        self._text = ""
        self._goes_on_in_mid_text = False
        self._ending: str | None = None
        self._problems: tuple[str, ...] = ()
        self._question: HumanQuestion | None = None
        self._known: tuple[ToolResult, ...] = ()

    async def steps(self, known: Mapping[str, ToolResult]) -> AsyncGenerator[Step, None]:
        """All steps of the turn; `known` are results by call id."""
        if open_calls := self._open_calls():
            async with aclosing(self._resumed(open_calls, known)) as resumed:
                async for step in resumed:
                    yield step
        while (ending := self._ending or self._ending_before_a_call()) is None:
            self._iterations += 1
            async with aclosing(self._iteration()) as iteration:
                async for step in iteration:
                    yield step
        if ending == "soft_limit":
            async with aclosing(self._last_words()) as last_words:
                async for step in last_words:
                    yield step
        self._asking.transitions.append(ending)
        yield self._result(ending)

    async def _iteration(self) -> AsyncGenerator[Step, None]:
        """One model call and the batch that it asked for, and what is said before the next; or `_ending` is set."""
        tokens_before, calls_before = self._asking.usage.output_tokens, len(self._calls.records)
        batch = Batch(self._policy, self._stop)
        try:
            reply = self._asking.reply(self._transcript, batch, iteration=self._iterations, choice=self._guard.choice)
            async with aclosing(reply) as steps:
                async for step in steps:
                    yield step
            while (done := await batch.next_ended()) is not None:
                yield self._calls.noted(done)
                yield done
            results = batch.results()
        finally:
            await batch.close()
        attempt = self._asking.attempt
        while attempt.blocks and not is_said(attempt.blocks[-1]):
            attempt.blocks.pop()  # thinking and empty text, where a reply was cut or is nothing else
        if attempt.blocks:
            yield self._added(Message("assistant", tuple(attempt.blocks)))
        if self._waits_for_person():
            self._known = results
            return
        if results:
            yield self._added(Message("user", results))
        following = await self._following(attempt, results)
        if isinstance(following, str):
            self._ending = following
            return
        self._asking.transitions.append(following.code)
        self._goes_on_in_mid_text = not results and following.code in MID_TEXT
        tokens = self._asking.usage.output_tokens - tokens_before
        verdict = self._guard.after(attempt, self._calls.records[calls_before:], tokens)
        if verdict.event is not None:
            yield verdict.event
        for words in (following.say, verdict.say):
            if words is not None:
                yield self._added(Message("user", (Text(words),)))
        self._ending = self._ending_by(verdict)

    async def _resumed(
        self, open_calls: Sequence[ToolUse], known: Mapping[str, ToolResult]
    ) -> AsyncGenerator[Step, None]:
        """Run the calls of a reply from before that have no results yet."""
        batch = Batch(self._policy, self._stop)
        try:
            for call in open_calls:
                if call.id in known:
                    batch.know(known[call.id])
                    continue
                for step in self._calls.begun(call, None, batch):
                    yield step
            while (done := await batch.next_ended()) is not None:
                yield self._calls.noted(done)
                yield done
            results = batch.results()
        finally:
            await batch.close()
        if self._waits_for_person():
            self._known = results
        else:
            yield self._added(Message("user", results))

    async def _last_words(self) -> AsyncGenerator[Step, None]:
        """S1: one more call that may only speak, so that the person gets what there is."""
        yield self._added(Message("user", (Text(notice("soft_limit")),)))
        over = Stop()
        over.request()
        batch = Batch(self._policy, over)  # a call that comes all the same is answered and not run
        try:
            reply = self._asking.reply(self._transcript, batch, iteration=self._iterations, choice="none")
            async with aclosing(reply) as steps:
                async for step in steps:
                    if not isinstance(step, CallStarted):
                        yield step
            while (done := await batch.next_ended()) is not None:
                yield self._calls.noted(done)
                yield done
        finally:
            await batch.close()
        said = tuple(block for block in self._asking.attempt.blocks if isinstance(block, Text))
        self._text = "".join(block.text for block in said) or self._text
        if said:
            yield self._added(Message("assistant", said))

    def _open_calls(self) -> list[ToolUse]:
        if not self._transcript or self._transcript[-1].role != "assistant":
            return []
        return [block for block in self._transcript[-1].content if isinstance(block, ToolUse)]

    def _waits_for_person(self) -> bool:
        """Whether a person has to say something before anything goes on; then that is the ending."""
        if self._calls.question is not None:
            self._question = self._calls.question
        elif self._asking.wants_human:
            self._question = context_question()
        if self._question is not None:
            self._ending = "waiting_on_human"
        return self._question is not None

    def _ending_before_a_call(self) -> str | None:
        if self._stop.requested:
            return "cancelled"
        if self._limits.seconds_left <= 0:
            return "soft_limit"
        if self._iterations >= self._policy.max_iterations:
            return "max_iterations"
        return None

    async def _following(self, attempt: Attempt, results: Sequence[ToolResult]) -> str | Onward:
        """What comes after an iteration: an ending, or why and with which words the loop goes on."""
        said = "".join(block.text for block in attempt.blocks if isinstance(block, Text))
        self._text = (self._text if self._goes_on_in_mid_text else "") + said or self._text
        if self._stop.requested:
            if results and self._asking.transitions[-1:] != ["aborted_streaming"]:
                self._asking.transitions.append("aborted_tools")
            return "cancelled"
        if self._asking.spent is not None:
            self._problems = (self._asking.spent,)
            return "budget"
        if self._asking.failure is not None:
            return "failed"
        if results:
            return await self._after_results(attempt, results)
        match attempt.stop_reason:
            case "cut":
                return Onward("partial_turn_kept", notice("connection_cut"))
            case "pause_turn":
                return Onward("pause_turn")
            case "refusal":
                return "refusal"
            case "max_tokens" if self._continuations < self._policy.max_continuations:
                self._continuations += 1
                return Onward("max_output_tokens_recovery", notice("cut_input" if attempt.cut_in_a_call else "go_on"))
            case "max_tokens":
                return self._failed(ModelFailureKind.BAD_REQUEST, "The model's reply was cut off again and again.")
            case "model_context_window_exceeded":
                return Onward("partial_turn_kept", notice("go_on"))
            case reason:
                return await self._after_words(attempt, "stop_sequence" if reason == "stop_sequence" else "end_turn")

    async def _after_results(self, attempt: Attempt, results: Sequence[ToolResult]) -> str | Onward:
        called = [self._tools.get(block.name) for block in attempt.blocks if isinstance(block, ToolUse)]
        if any(tool and tool.ends_turn for tool in called) and not any(result.is_error for result in results):
            return await self._normal_end("end_turn")
        say = notice("cut_input") if attempt.cut_in_a_call else None
        return Onward("partial_turn_kept" if attempt.stop_reason == CUT else "next_turn", say)

    async def _after_words(self, attempt: Attempt, ending: str) -> str | Onward:
        answers_results = any(isinstance(block, ToolResult) for block in self._transcript[-1].content)
        if not attempt.has_substance and answers_results and "empty_retry" not in self._asking.transitions:
            return Onward("empty_retry", notice("answer_please"))
        if self._guard.question is not None:
            self._question = self._guard.question
            return "waiting_on_human"
        done = self._asking.usage.output_tokens
        if self._token_target is not None and done < TARGET_SHARE * self._token_target:
            return Onward("token_target_continuation", notice("keep_working", done=done, target=self._token_target))
        return await self._normal_end(ending)

    async def _normal_end(self, ending: str) -> str | Onward:
        """L13: the end, unless a check of the agent has something to say to the model first."""
        objection = await self._checks.objection(self._result(ending))
        self._problems = self._checks.problems
        return objection or ending

    def _ending_by(self, verdict: Verdict) -> str | None:
        if verdict.failure is not None:
            self._asking.failure = verdict.failure
            return "failed"
        if verdict.question is not None:
            self._question = verdict.question
            return "waiting_on_human"
        if verdict.stalled:
            self._problems = (notice("no_progress"),)
            return "end_turn"
        return None

    def _failed(self, kind: ModelFailureKind, message: str) -> str:
        self._asking.failure = ModelFailure(kind, message)
        return "failed"

    def _added(self, message: Message) -> MessageAdded:
        self._transcript.append(message)
        return MessageAdded(message, self._iterations)

    def _result(self, reason: str) -> TurnResult:
        return TurnResult(
            text=self._text,
            reason=reason,
            calls=tuple(self._calls.records),
            messages=tuple(self._transcript),
            usage=self._asking.usage,
            iterations=self._iterations,
            transitions=tuple(self._asking.transitions),
            problems=self._problems,
            failure=self._asking.failure,
            question=self._question,
            known=self._known,
        )


def _texts(messages: Sequence[Message]) -> list[str]:
    return [block.text for message in messages for block in message.content if isinstance(block, Text)]
