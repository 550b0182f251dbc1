"""One reply of the model, through every failure that can be overcome."""

from asyncio import sleep
from collections.abc import AsyncGenerator, Awaitable, Collection, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace

from sprout.errors import ModelFailure, ModelFailureKind
from sprout.events import Event, Guardrail, ModelRetry, ModelSwitched, Usage, UsageReported
from sprout.ids import new_id
from sprout.loop.attempt import Attempt, Voice
from sprout.loop.calls import Calls
from sprout.loop.context import ContextKeeper, View
from sprout.loop.execution import Batch
from sprout.loop.limits import Limits
from sprout.loop.model import ChatModel, Message, ModelRequest, ModelTraits, Text
from sprout.loop.notices import notice
from sprout.loop.policy import LoopPolicy
from sprout.loop.recovery import Recovery, Retry, Switch
from sprout.loop.replied import CUT, TRUNCATED
from sprout.loop.result import Compacted, Step
from sprout.loop.screen import MakeScreen
from sprout.loop.stop import Stop, Stopped
from sprout.loop.view import begun_by_user, normalised, without_oldest_image


class Asking:
    """Asks the model; after `reply` has ended, `attempt` is what it brought and `failure` why there is no more.

    Args:
        request: what stays the same for the whole turn: model, system prompt, tools.
        fallback_model: takes over while the model is overloaded.
        standing: what stands before the live messages, whatever becomes of those.
        screen: makes what the words of one reply to the learner pass through.
        used_ids: of the calls of earlier turns; a call that repeats one gets a new id.
    """

    def __init__(
        self,
        model: ChatModel,
        request: ModelRequest,
        *,
        policy: LoopPolicy,
        traits: ModelTraits,
        stop: Stop,
        limits: Limits,
        keeper: ContextKeeper,
        calls: Calls,
        fallback_model: str | None,
        voice: Voice,
        spoken: Mapping[str, str],
        used_ids: Collection[str] = (),
        standing: Sequence[Message] = (),
        screen: MakeScreen | None = None,
    ) -> None:
        self.attempt = Attempt("", voice, set(), spoken)
        self.failure: ModelFailure | None = None
        self.usage = Usage()
        self.transitions: list[str] = []
        self.wants_human = False
        self.spent: str | None = None
        self._model = model
        self._request = replace(request, max_tokens=policy.max_output_tokens, spoken=frozenset(spoken))
        self._primary = request.model
        self._longest = max(policy.max_output_tokens, policy.escalated_output_tokens)
        self._policy = policy
        self._traits = traits
        self._stop = stop
        self._limits = limits
        self._keeper = keeper
        self._calls = calls
        self._recovery = Recovery(policy, fallback_model=fallback_model, clock=limits.clock)
        self._voice: Voice = voice
        self._spoken = spoken
        self._prefix = new_id()[-12:]
        self._attempts = 0
        self._used_ids = set(used_ids)
        self._images_left_out = 0
        self._rewritten = False
        self._standing = tuple(standing)
        self._screen = screen

    def take_up(self, usage: Usage, *, escalated: bool) -> None:
        """Go on where another carrier stood.

        Args:
            usage: what was spent so far; budgets count on.
            escalated: whether a reply was truncated before, and the next has the larger limit.
        """
        self.usage = usage
        self._rewritten = True  # a view that is made anew has no thinking in it
        if escalated:
            self._request = replace(self._request, max_tokens=self._longest)

    async def reply(
        self, transcript: Sequence[Message], batch: Batch, *, iteration: int, choice: str = "auto"
    ) -> AsyncGenerator[Step, None]:
        """Stream one reply; its calls go to the batch as soon as they are whole.

        Args:
            choice: "auto", "none", or the tool that the reply must call, where the model can be forced.
        """
        self.attempt = Attempt("", self._voice, self._used_ids, self._spoken)
        self._back_to_primary()
        view = await self._unless_stopped(self._keeper.view(transcript, iteration=iteration))
        while view is not None:
            for step in self._compacted(view, iteration):
                yield step
            self._rewritten = self._rewritten or bool(view.compactions)
            self.wants_human = view.ask_human
            self.spent = self._limits.spent(self.usage, self._keeper.tokens)
            if self.wants_human or self.spent is not None:
                return
            self._attempts += 1
            attempt = self.attempt = Attempt(
                f"{self._prefix}.{self._attempts}",
                self._voice,
                self._used_ids,
                self._spoken,
                None if self._screen is None else self._screen(),
            )
            view = replace(view, compactions=(), usage=Usage(), state=None)  # told and counted
            following: View | None = view
            asked = self._request.model
            try:
                async with aclosing(self._streamed(attempt, self._asked(view, choice), batch, iteration)) as stream:
                    async for step in stream:
                        yield step
                self._raise_if_not_whole(attempt)
                self._recovery.answered()
                self._keeper.reported(attempt.usage)
                self._rewritten = False
                yield self._counted(attempt)
                for event in self._escalated(attempt, batch):
                    yield event
            except Stopped:
                yield self._counted(attempt)
                self.transitions.append("aborted_streaming")
                for event in attempt.kept_as_it_is():
                    yield event
            except ModelFailure as failure:
                yield self._counted(attempt)
                following = await self._after_failure(failure, view, transcript, iteration)
                async with aclosing(self._recovered(failure, attempt, following)) as recovery:
                    async for step in recovery:
                        yield step
            if not attempt.void or self.failure is not None or self._stop.requested or following is None:
                return
            view = following
            if self._request.model != asked:
                view = await self._unless_stopped(self._keeper.view(transcript, iteration=iteration))

    async def _unless_stopped(self, viewed: Awaitable[View | None]) -> View | None:
        """A view; None as soon as a stop is asked for, since a summary may take its time."""
        try:
            return await self._stop.guard(viewed)
        except Stopped:
            return None

    def _asked(self, view: View, choice: str) -> ModelRequest:
        """The request for a view, with the room that is left for its reply."""
        messages = view.messages
        if self._standing:
            live_from = 1 if self._keeper.begins_with_record else 0
            messages = normalised((*messages[:live_from], *self._standing, *messages[live_from:]))
        if self._rewritten and messages and messages[-1].role == "assistant":
            # A turn that was paused is known to the server only as it was.
            messages = (*messages, Message("user", (Text(notice("go_on")),)))
        for _ in range(self._images_left_out):
            messages = without_oldest_image(messages) or messages
        room = self._limits.room(
            self.usage, self._keeper.tokens, min(self._request.max_tokens, self._traits.max_output)
        )
        forced = choice in ("auto", "none") or (self._traits.forces_tools and self._request.model == self._primary)
        return replace(
            self._request,
            messages=begun_by_user(messages),
            max_tokens=max(1, room),
            tool_choice=choice if forced else "auto",
        )

    async def _streamed(
        self, attempt: Attempt, request: ModelRequest, batch: Batch, iteration: int
    ) -> AsyncGenerator[Step, None]:
        async with aclosing(self._model.reply(request)) as parts:
            while (part := await self._stop.guard(anext(parts, None))) is not None:
                for event in attempt.take(part):
                    yield event
                for call in attempt.ready():
                    begun = self._calls.begun(
                        call,
                        batch,
                        attempt.blocks,
                        iteration=iteration,
                        withheld=attempt.withheld_calls.get(call.id),
                        block_id=attempt.spoken_blocks.get(call.id),
                    )
                    for step in begun:
                        yield step
                for done in batch.ended():
                    for step in self._calls.ended(done, batch):
                        yield step

    def _raise_if_not_whole(self, attempt: Attempt) -> None:
        if attempt.stop_reason is None:
            raise ModelFailure(ModelFailureKind.CUT, "The connection to the model broke off.")
        if attempt.stop_reason == "model_context_window_exceeded" and not attempt.has_substance:
            raise ModelFailure(ModelFailureKind.PROMPT_TOO_LONG, "The conversation is too long for the model.")

    def _counted(self, attempt: Attempt) -> UsageReported:
        self.usage = self.usage.plus(attempt.usage)
        return UsageReported(usage=attempt.usage)

    def _compacted(self, view: View, iteration: int) -> list[Step]:
        """What a view has to tell, once; last what is to be kept of it."""
        steps: list[Step] = [*view.compactions]
        if view.usage != Usage():
            self.usage = self.usage.plus(view.usage)
            steps.append(UsageReported(usage=view.usage))
        if view.state is not None:
            steps.append(Compacted(view.state, iteration))
        return steps

    def _escalated(self, attempt: Attempt, batch: Batch) -> list[Event]:
        """E4: a truncated reply of which nothing ran is asked for once more, with room for a longer one."""
        if attempt.stop_reason != TRUNCATED or self._request.max_tokens >= self._longest:
            return []
        self._request = replace(self._request, max_tokens=self._longest)
        if not batch.is_empty:
            return []
        self.transitions.append("max_output_tokens_escalate")
        return attempt.given_up()

    async def _after_failure(
        self, failure: ModelFailure, view: View, transcript: Sequence[Message], iteration: int
    ) -> View | None:
        """What to send instead after a request that was too large; the same where its size was not the fault."""
        if failure.kind is ModelFailureKind.PROMPT_TOO_LONG:
            return await self._unless_stopped(self._keeper.after_too_long(transcript, iteration=iteration))
        if failure.kind is ModelFailureKind.REQUEST_TOO_LARGE:
            if self._images_left_out or without_oldest_image(view.messages) is None:
                return None
            self._images_left_out = 1
        return view

    async def _recovered(
        self, failure: ModelFailure, attempt: Attempt, following: View | None
    ) -> AsyncGenerator[Step, None]:
        """E2, E3: keep the blocks that are whole, or void the attempt so that it is repeated; or give up."""
        if failure.kind in (ModelFailureKind.PROMPT_TOO_LONG, ModelFailureKind.REQUEST_TOO_LARGE):
            for event in self._smaller(failure, attempt, following):
                yield event
            return
        decision = self._recovery.after(failure)
        if isinstance(decision, Retry) and decision.delay_s > self._limits.seconds_left:
            failure = _later(failure, decision.delay_s)
            decision = None
        keep = attempt.has_substance
        for event in attempt.cut_off() if keep or decision is None else attempt.given_up():
            yield event
        if decision is None:
            self.failure = failure
            return
        if keep:
            attempt.stop_reason = CUT
        if isinstance(decision, Switch):
            self.transitions.append("fallback_model")
            yield self._switched(decision.model, str(failure))
            return
        if not keep:
            self.transitions.append("model_error_retry")
        delay_ms = round(decision.delay_s * 1000)
        yield ModelRetry(attempt=decision.attempt, of=decision.of, delay_ms=delay_ms, why=str(failure))
        try:
            await self._stop.guard(sleep(decision.delay_s))
        except Stopped:
            return

    def _smaller(self, failure: ModelFailure, attempt: Attempt, following: View | None) -> list[Event]:
        withdrawn = attempt.given_up()
        if following is None:
            self.failure = None if self._stop.requested else failure
        elif failure.kind is ModelFailureKind.REQUEST_TOO_LARGE:
            self.transitions.append("image_error")
            left_out = "The oldest picture was left out, because the request was too large for the model's server."
            return [*withdrawn, Guardrail(level=0, tool=None, noticed=left_out)]
        else:
            collapsed = any(event.rung == "collapse" for event in following.compactions)
            self.transitions.append("collapse_retry" if collapsed else "reactive_compact_retry")
        return withdrawn

    def _switched(self, model: str, why: str) -> ModelSwitched:
        switched = ModelSwitched(from_model=self._request.model, to_model=model, why=why)
        self._request = replace(self._request, model=model)
        self._keeper.forget_thinking()
        return switched

    def _back_to_primary(self) -> None:
        """After some time with the fallback model the first one is tried again."""
        if self._request.model != self._primary and self._recovery.cooled_down():
            self._request = replace(self._request, model=self._primary)
            self._keeper.forget_thinking()


def _later(failure: ModelFailure, delay_s: float) -> ModelFailure:
    """A failure whose wait would outlast the run: says when to try again."""
    minutes = max(1, round(delay_s / 60))
    when = f"{failure} It asks to wait for {minutes} min, which is longer than this run may take: try again then."
    return ModelFailure(failure.kind, when, retry_after_s=delay_s, detail=failure.detail)
