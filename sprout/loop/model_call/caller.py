"""Model caller: one reply of the model, with retries, escalation, compaction and fallback."""

from asyncio import sleep
from collections.abc import AsyncGenerator, Awaitable, Collection, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

from sprout.errors import ModelFailure, ModelFailureKind
from sprout.events import Event, Guardrail, ModelRetry, ModelSwitched, Usage, UsageReported
from sprout.ids import new_id
from sprout.loop.context.compacted import blocks_without_thinking
from sprout.loop.context.keeper import ContextKeeper, View
from sprout.loop.context.normalisation import beginning_with_user, normalised, without_oldest_image
from sprout.loop.human import context_question
from sprout.loop.model import ChatModel, Message, ModelRequest, Text
from sprout.loop.model_call.reply_builder import ReplyBuilder
from sprout.loop.model_call.retry import Retry, RetryPolicy, SwitchModel
from sprout.loop.model_notices import notice
from sprout.loop.model_reply import CUT, TRUNCATED, ModelReply
from sprout.loop.state import TurnState
from sprout.loop.stop import Stopped
from sprout.loop.tool_calls.batch import Batch
from sprout.loop.tool_calls.calls import ToolCalls
from sprout.loop.turn_options import TurnSettings
from sprout.loop.turn_steps import Step, ViewCompacted

PARTS_AT_ONCE = 4  # of a reply that came in one piece, before others have their turn: its readers, and other runs


@dataclass(frozen=True, slots=True)
class CallFinished:
    """The last item of a model call: the reply, and the state after it."""

    reply: ModelReply
    state: TurnState


@dataclass(frozen=True, slots=True)
class _Recovery:
    """Recovery from a failure: the events that report it, the wait, and the view to send then, if any."""

    state: TurnState
    events: Sequence[Event]
    view: View | None = None
    delay_s: float = 0.0


class ModelCaller:
    """Calls the model for one turn.

    Args:
        request: what stays the same for the whole turn: model, system prompt, tools.
        journal: messages that stand before the live ones.
        used_ids: of the calls of earlier turns; a call that repeats one gets a new id.
        resumed: whether the turn goes on after another worker; its view has no thinking then.
    """

    def __init__(
        self,
        model: ChatModel,
        request: ModelRequest,
        settings: TurnSettings,
        keeper: ContextKeeper,
        calls: ToolCalls,
        *,
        journal: Sequence[Message] = (),
        used_ids: Collection[str] = (),
        resumed: TurnState | None = None,
    ) -> None:
        policy, options = settings.policy, settings.options
        self._model = model
        self._request = replace(request, spoken=frozenset(settings.spoken))
        self._settings = settings
        self._stop = settings.stop
        self._keeper = keeper
        self._calls = calls
        self._max_tokens = (policy.max_output_tokens, max(policy.max_output_tokens, policy.escalated_output_tokens))
        self._retry_policy = RetryPolicy(
            policy,
            fallback_model=options.fallback_model,
            clock=settings.limits.clock,
            on_fallback=resumed is not None and resumed.on_fallback,
        )
        self._journal = tuple(journal)
        self._used_ids = set(used_ids)
        self._prefix = new_id()[-12:]
        self._attempts = 0
        self._rewritten = resumed is not None
        self._prompted = False

    async def call(
        self, state: TurnState, batch: Batch, *, choice: str = "auto"
    ) -> AsyncGenerator[Step | CallFinished, None]:
        """Stream one reply; its calls go to the batch as soon as they are complete. The last item is a CallFinished.

        Args:
            choice: "auto", "none", or the tool that the reply must call, where the model can be forced.
        """
        state, reply = self._back_to_primary(state), ModelReply(())
        view = await self._unless_stopped(self._keeper.build_view(state.transcript, iteration=state.iterations))
        while view is not None:
            state = state.with_usage(view.usage)
            for step in _compaction_steps(view, state.iterations):
                yield step
            state = self._ended_before_call(state, view)
            if state.ending is not None:
                break
            view = replace(view, compactions=(), usage=Usage(), state=None)  # yielded and counted
            builder = self._new_builder(_own_words(state))
            error: Stopped | ModelFailure | None = None
            try:
                async with aclosing(self._model.reply(self._request_for(state, view, choice))) as parts:
                    taken = 0
                    while (part := await self._stop.guard(anext(parts, None))) is not None:
                        taken += 1
                        if taken % PARTS_AT_ONCE == 0:
                            await sleep(0)
                        for event in builder.take(part):
                            yield event
                        for step in self._start_and_finish_calls(builder, batch, state.iterations):
                            yield step
                _raise_if_incomplete(builder)
            except (Stopped, ModelFailure) as raised:
                error = raised
            state = state.with_usage(builder.usage)
            yield UsageReported(usage=builder.usage)
            recovery = await self._after_attempt(state, error, builder, batch, view)
            for event in recovery.events:
                yield event
            await self._wait(recovery.delay_s)
            view, reply = await self._next_view(state, recovery, builder), self._reply_of(builder)
            state = recovery.state
        yield CallFinished(reply, state)

    def _reply_of(self, builder: ReplyBuilder) -> ModelReply:
        """The reply; without its thinking where that came after words that no later request has."""
        reply = builder.reply()
        return replace(reply, blocks=blocks_without_thinking(reply.blocks)) if self._prompted else reply

    async def _unless_stopped(self, built: Awaitable[View | None]) -> View | None:
        """A view; None as soon as a stop is requested, since a summary may take its time."""
        try:
            return await self._stop.guard(built)
        except Stopped:
            return None

    async def _after_attempt(
        self,
        state: TurnState,
        error: Stopped | ModelFailure | None,
        builder: ReplyBuilder,
        batch: Batch,
        view: View,
    ) -> _Recovery:
        if isinstance(error, Stopped):
            return _Recovery(state.with_transition("aborted_streaming"), builder.end_open_blocks())
        if error is not None:
            return await self._after_failure(state, error, builder, view)
        return self._after_success(state, builder, batch, view)

    async def _next_view(self, before: TurnState, recovery: _Recovery, builder: ReplyBuilder) -> View | None:
        """The view for another attempt; None if the reply stands, or there is to be none."""
        state = recovery.state
        if not builder.void or state.failure is not None or self._stop.requested or recovery.view is None:
            return None
        if (state.on_fallback, state.images_left_out) == (before.on_fallback, before.images_left_out):
            return recovery.view
        return await self._unless_stopped(self._keeper.build_view(state.transcript, iteration=state.iterations))

    async def _wait(self, delay_s: float) -> None:
        if not delay_s:
            return
        try:
            await self._stop.guard(sleep(delay_s))
        except Stopped:
            return

    def _ended_before_call(self, state: TurnState, view: View) -> TurnState:
        """The state; ended, if a person must be asked first or a budget has no room for the call."""
        self._rewritten = self._rewritten or bool(view.compactions)
        if view.ask_human and self._settings.asks:
            return state.ended("waiting_on_human", question=context_question())
        if view.ask_human:
            return state.ended("stuck", problems=(notice("why_context"),))
        spent = self._settings.limits.exhausted_budget(state.usage, self._keeper.tokens)
        return state if spent is None else state.ended("budget", reached_limit=spent)

    def _new_builder(self, own_words: str) -> ReplyBuilder:
        self._attempts += 1
        make_filter = self._settings.hooks.output_filter
        return ReplyBuilder(
            f"{self._prefix}.{self._attempts}",
            self._settings.options.voice,
            self._used_ids,
            self._settings.spoken,
            None if make_filter is None else make_filter(),
            own_words=own_words,
        )

    def _model_name(self, state: TurnState) -> str:
        return (state.on_fallback and self._settings.options.fallback_model) or self._request.model

    def _request_for(self, state: TurnState, view: View, choice: str) -> ModelRequest:
        """The request for a view, with the room that is left for its reply."""
        messages = view.messages
        if self._journal:
            live_from = 1 if self._keeper.begins_with_record else 0
            messages = normalised((*messages[:live_from], *self._journal, *messages[live_from:]))
        self._prompted = bool(self._rewritten and messages and messages[-1].role == "assistant")
        if self._prompted:
            # The server knows a paused turn only as it was.
            messages = (*messages, Message("user", (Text(notice("go_on")),)))
        for _ in range(state.images_left_out):
            messages = without_oldest_image(messages) or messages
        traits = self._settings.options.traits
        room = self._reply_tokens(state, self._max_tokens[state.escalated])
        forced = choice in ("auto", "none") or (traits.forces_tools and not state.on_fallback)
        return replace(
            self._request,
            model=self._model_name(state),
            messages=beginning_with_user(messages),
            max_tokens=max(1, room),
            tool_choice=choice if forced else "auto",
        )

    def _reply_tokens(self, state: TurnState, limit: int) -> int:
        """Most tokens of a reply: the limit, or fewer where the model, its window or a budget has no more."""
        wanted = min(limit, self._settings.options.traits.max_output, self._keeper.room)
        return self._settings.limits.reply_tokens(state.usage, self._keeper.tokens, wanted)

    def _start_and_finish_calls(self, builder: ReplyBuilder, batch: Batch, iteration: int) -> Iterator[Step]:
        """The steps of calls that are complete now, and of calls that have ended meanwhile."""
        for call in builder.ready():
            yield from self._calls.start(
                call,
                batch,
                builder.blocks,
                iteration=iteration,
                withheld=builder.withheld_calls.get(call.id),
                block_id=builder.spoken_blocks.get(call.id),
            )
        for done in batch.pop_ended():
            yield from self._calls.finish(done, batch)

    def _after_success(self, state: TurnState, builder: ReplyBuilder, batch: Batch, view: View) -> _Recovery:
        """A truncated reply of which no tool ran is requested once more, where a larger limit gives it more room."""
        self._retry_policy.reset()
        self._keeper.record_usage(builder.usage)
        self._rewritten = False
        usual, larger = (self._reply_tokens(state, limit) for limit in self._max_tokens)
        if builder.stop_reason != TRUNCATED or state.escalated or usual >= larger:
            return _Recovery(state, (), view)
        state = replace(state, escalated=True)
        if not batch.is_empty:
            return _Recovery(state, (), view)
        return _Recovery(state.with_transition("max_output_tokens_escalate"), builder.withdraw(), view)

    async def _after_failure(
        self, state: TurnState, failure: ModelFailure, builder: ReplyBuilder, view: View
    ) -> _Recovery:
        match failure.kind:
            case ModelFailureKind.PROMPT_TOO_LONG:
                shrunk = self._keeper.shrink_after_overflow(
                    state.transcript, iteration=state.iterations, window=failure.window
                )
                return self._with_smaller_view(state, failure, builder, await self._unless_stopped(shrunk))
            case ModelFailureKind.REQUEST_TOO_LARGE:
                return self._without_image(state, failure, builder, view)
            case _:
                return self._retry(state, failure, builder, view)

    def _with_smaller_view(
        self, state: TurnState, failure: ModelFailure, builder: ReplyBuilder, view: View | None
    ) -> _Recovery:
        withdrawn = builder.withdraw()
        if view is None:
            return _Recovery(self._failed(state, failure), withdrawn)
        collapsed = any(event.rung == "collapse" for event in view.compactions)
        return _Recovery(
            state.with_transition("collapse_retry" if collapsed else "reactive_compact_retry"), withdrawn, view
        )

    def _without_image(self, state: TurnState, failure: ModelFailure, builder: ReplyBuilder, view: View) -> _Recovery:
        withdrawn = builder.withdraw()
        if state.images_left_out or without_oldest_image(view.messages) is None:
            return _Recovery(self._failed(state, failure), withdrawn)
        self._drop_thinking()
        left_out = "The oldest picture was left out, because the request was too large for the model's server."
        state = replace(state.with_transition("image_error"), images_left_out=1)
        return _Recovery(state, [*withdrawn, Guardrail(level=0, tool=None, noticed=left_out)], view)

    def _failed(self, state: TurnState, failure: ModelFailure) -> TurnState:
        return state if self._stop.requested else replace(state, failure=failure)

    def _retry(self, state: TurnState, failure: ModelFailure, builder: ReplyBuilder, view: View) -> _Recovery:
        """Keep the complete blocks, or withdraw the reply so that it is requested again; or give up."""
        decision = self._retry_policy.next_step(failure)
        if isinstance(decision, Retry) and decision.delay_s > self._settings.limits.seconds_left:
            failure = _retry_later(failure, decision.delay_s)
            decision = None
        keep = builder.has_substance
        withdrawn = builder.drop_open_blocks() if keep or decision is None else builder.withdraw()
        if decision is None:
            return _Recovery(replace(state, failure=failure), withdrawn)
        if keep:
            builder.stop_reason = CUT
        if isinstance(decision, SwitchModel):
            switched = ModelSwitched(from_model=self._model_name(state), to_model=decision.model, **_why(failure))
            self._drop_thinking()
            state = replace(state.with_transition("fallback_model"), on_fallback=True)
            return _Recovery(state, [*withdrawn, switched], view)
        if not keep:
            state = state.with_transition("model_error_retry")
        delay_ms = round(decision.delay_s * 1000)
        retry = ModelRetry(attempt=decision.attempt, of=decision.of, delay_ms=delay_ms, **_why(failure))
        return _Recovery(state, [*withdrawn, retry], view, decision.delay_s)

    def _drop_thinking(self) -> None:
        """Take all thinking so far out of the view, which is another one then."""
        self._keeper.drop_thinking()
        self._rewritten = True

    def _back_to_primary(self, state: TurnState) -> TurnState:
        """After some time with the fallback model the primary one is tried again."""
        if not state.on_fallback or not self._retry_policy.end_cooldown():
            return state
        self._drop_thinking()
        return replace(state, on_fallback=False)


def _own_words(state: TurnState) -> str:
    """What the loop itself has said to the model last; empty where the last words are a person's, or results."""
    last = state.transcript[-1:]
    if state.iterations < 2 or not last or last[0].role != "user":
        return ""
    return " ".join(block.text for block in last[0].content if isinstance(block, Text))


def _raise_if_incomplete(builder: ReplyBuilder) -> None:
    if builder.stop_reason is None:
        raise ModelFailure(ModelFailureKind.CUT, "The connection to the model broke off.")
    if builder.stop_reason == "model_context_window_exceeded" and not builder.has_substance:
        raise ModelFailure(ModelFailureKind.PROMPT_TOO_LONG, "The conversation is too long for the model.")


def _compaction_steps(view: View, iteration: int) -> list[Step]:
    """The steps of a view that was compacted; last its state, to be stored."""
    steps: list[Step] = [*view.compactions]
    if view.usage != Usage():
        steps.append(UsageReported(usage=view.usage))
    if view.state is not None:
        steps.append(ViewCompacted(view.state, iteration))
    return steps


def _retry_later(failure: ModelFailure, delay_s: float) -> ModelFailure:
    """A failure whose wait would outlast the run: says when to try again."""
    minutes = max(1, round(delay_s / 60))
    return ModelFailure(
        failure.kind,
        "{why} It asks to wait for {minutes} min, which is longer than this run may take: try again then.",
        retry_after_s=delay_s,
        detail=failure.detail,
        code="retry_later",
        why=str(failure),
        minutes=minutes,
    )


def _why(failure: ModelFailure) -> dict[str, Any]:
    """Fields of an event about the failure."""
    return {"why": str(failure), "code": failure.code, "params": failure.params}
