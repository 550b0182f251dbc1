"""Iterations of one turn: call the model, run the calls of its reply, return the results, until the turn ends."""

from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import aclosing
from dataclasses import replace

from sprout.errors import ModelFailure, ModelFailureKind
from sprout.loop import model_reply
from sprout.loop.human import HumanQuestion
from sprout.loop.iteration.continuation import ContinuationPolicy, NextStep, continued, ended_by, no_tool_calls
from sprout.loop.model import Message, Text, ToolResult, ToolUse
from sprout.loop.model_call.caller import CallFinished, ModelCaller
from sprout.loop.model_notices import notice
from sprout.loop.model_reply import ModelReply
from sprout.loop.progress.loop_guard import LoopGuard
from sprout.loop.progress.stop_checks import Continue, StopChecks
from sprout.loop.resume.past_replies import PastReply, past_replies
from sprout.loop.resume.state import ResumeState, state_as_json
from sprout.loop.state import Ending, Phase, TurnState, turn_result
from sprout.loop.stop import Stop
from sprout.loop.tool_calls.batch import Batch
from sprout.loop.tool_calls.calls import ToolCalls
from sprout.loop.turn_options import TurnSettings
from sprout.loop.turn_steps import CallStarted, MessageAdded, Step

INTERRUPTED = frozenset({"partial_turn_kept", "pause_turn"})  # the model was not done speaking


class TurnLoop:
    """Drives one turn: keeps its present state, and hands it to the parts that change it."""

    def __init__(
        self, settings: TurnSettings, state: TurnState, caller: ModelCaller, calls: ToolCalls, guard: LoopGuard
    ) -> None:
        self._settings = settings
        self._state = state
        self._caller = caller
        self._calls = calls
        self._guard = guard
        self._following = ContinuationPolicy(settings.tools, settings.policy, settings.options.token_target)
        self._checks = StopChecks(settings.options.stop_checks)
        self._open = _with_open_calls(state)
        self._known: Mapping[str, ToolResult] = {}
        self._unstored_reply: Message | None = None
        self._farewell_done = False

    def resume(self, resume: ResumeState) -> None:
        """Go on where an earlier worker stood. The state of this turn is `resume.state` with the transcript."""
        state = self._state
        self._known = {result.call_id: result for result in resume.known_results}
        past = past_replies(state.transcript[resume.input_count :])
        for one in past:
            self._restore_calls(one)
        partial = past.pop() if resume.reply_is_unstored else None
        if partial is not None:
            self._unstored_reply = state.transcript[-1]
            state = replace(state, transcript=state.transcript[:-1])
        undecided = past.pop() if past and state.phase != "ready" else None
        for one in past:
            self._guard.replay(self._calls.records_of(one.reply.calls))
        if undecided is not None:
            reply = ModelReply.restored(undecided.reply.blocks, resume.stop_reason)
            undecided = replace(undecided, reply=reply)
            if partial is not None or undecided.followed:
                state, undecided = self._decided_before(state, undecided), None
        if resume.question_answered:
            state = replace(state, loop=state.loop.answered())
        elif state.farewell:
            state = state.ended("soft_limit", reached_limit=self._settings.limits.time_limit)
            self._farewell_done = state.transcript[-1].role == "assistant"
        elif undecided is None and partial is None:
            state = ended_by(state, self._guard.verdict(state.loop))
        if partial is not None and self._unstored_reply is not None:
            undecided = replace(partial, reply=replace(partial.reply, stop_reason=model_reply.CUT))
            state = replace(state, iteration_tokens=0).with_message(self._unstored_reply, "replied")
        self._state = replace(state, calls=tuple(self._calls.records))
        self._open = undecided or self._open

    async def iterations(self) -> AsyncGenerator[Step, None]:
        """All steps of the turn, its result last."""
        while not self._is_over():
            past, self._open = self._open, None
            farewell = self._state.ending is not None
            reply = ModelReply(()) if past is None else past.reply
            for step in self._opening_messages(farewell):
                yield step
            batch = self._new_batch(farewell)
            try:
                if past is None:
                    choice = "none" if farewell else self._guard.choice(self._state.loop)
                    async with aclosing(self._caller.call(self._begun(farewell), batch, choice=choice)) as items:
                        async for item in items:
                            if isinstance(item, CallFinished):
                                reply = self._finish_call(item, farewell)
                            elif not (farewell and isinstance(item, CallStarted)):
                                yield item
                for step in self._run_open_calls(past, batch):
                    yield step
                while (done := await batch.next_ended()) is not None:
                    for step in self._calls.finish(done, batch):
                        yield step
                results = batch.results()
            finally:
                await batch.close()
            for step in self._closing_messages(past, reply, results, batch.question):
                yield step
            for step in await self._conclude(reply, results or (past.results if past else ())):
                yield step
        ending = self._state.ending
        assert ending is not None, "the loop is left only after an ending"
        ending = await self._final(ending)
        yield turn_result(self._state.with_transition(ending.reason), ending)

    async def _final(self, ending: Ending) -> Ending:
        """The end of the turn: one that is stuck has failed, if the agent's checks find its result unusable."""
        if ending.reason != "stuck":
            return ending
        review = await self._checks.review(turn_result(self._state, ending), self._state.objections)
        if review.step is None and not review.problems:
            return ending
        why = " ".join([*ending.problems, notice("stuck_unfinished")])
        self._state = replace(self._state, failure=ModelFailure(ModelFailureKind.NO_PROGRESS, why))
        return Ending("failed", problems=ending.problems)

    def _is_over(self) -> bool:
        """Whether there is neither a reply to finish, nor another call, nor last words to ask for."""
        if self._open is not None:
            return False
        ending = self._ended_before_call()
        return ending is not None and (ending.reason != "soft_limit" or self._farewell_done)

    def _ended_before_call(self) -> Ending | None:
        state, settings = self._state, self._settings
        if state.ending is None and settings.stop.requested:
            state = state.ended("cancelled")
        elif state.ending is None and settings.limits.seconds_left <= 0:
            state = state.ended("soft_limit", reached_limit=settings.limits.time_limit)
        elif state.ending is None and settings.limits.iterations_are_used(state.iterations):
            state = state.ended("max_iterations", reached_limit=settings.limits.iteration_limit)
        self._state = state
        return state.ending

    def _opening_messages(self, farewell: bool) -> list[Step]:
        """A reply that is not stored yet, or the request for last words."""
        if (message := self._unstored_reply) is not None:
            self._unstored_reply = None
            return [self._stored(message, model_reply.CUT)]
        if not farewell or self._state.farewell:
            return []
        self._state = replace(self._state, farewell=True, joins_text=False)
        return [self._added(Message("user", (Text(notice("soft_limit")),)), "ready")]

    def _new_batch(self, farewell: bool) -> Batch:
        """A batch; a call among the last words is answered and not run."""
        if not farewell:
            return Batch(self._settings.policy, self._settings.stop, self._settings.hooks.on_undelivered)
        stop = Stop()
        stop.request()
        return Batch(self._settings.policy, stop)

    def _begun(self, farewell: bool) -> TurnState:
        """The state in which the model is called."""
        if farewell:
            return replace(self._state, ending=None)
        self._state = replace(self._state, iterations=self._state.iterations + 1)
        return self._state

    def _finish_call(self, finished: CallFinished, farewell: bool) -> ModelReply:
        before, after = self._state, finished.state
        tokens = after.usage.output_tokens - before.usage.output_tokens
        self._state = replace(after, iteration_tokens=tokens, ending=before.ending if farewell else after.ending)
        return finished.reply

    def _run_open_calls(self, past: PastReply | None, batch: Batch) -> Iterator[Step]:
        """Run the calls of an earlier reply that have no results yet."""
        if past is None or past.results:
            return
        for call in past.reply.calls:
            if call.id in self._known:
                batch.add_known_result(self._known[call.id])
                self._calls.restore(call, self._known[call.id])
                continue
            tool = self._settings.tools.get(call.name)
            hidden = past.reply.stop_reason == model_reply.WITHHELD and tool is not None and tool.spoken
            yield from self._calls.start(
                call,
                batch,
                past.reply.blocks,
                iteration=self._state.iterations,
                withheld=model_reply.WITHHELD if hidden else None,
            )

    def _closing_messages(
        self,
        past: PastReply | None,
        reply: ModelReply,
        results: tuple[ToolResult, ...],
        question: HumanQuestion | None,
    ) -> Iterator[Step]:
        """The reply, unless it is an earlier one, and the results of its calls, unless a person must answer first."""
        self._state = replace(self._state, calls=tuple(self._calls.records))
        farewell = self._state.farewell
        if past is None and (message := _message_of(reply, farewell)) is not None:
            yield self._added(message, "ready" if farewell else "replied", reply.stored_reason)
        if farewell:
            self._farewell_done = True
            return
        if question is not None:
            self._state = self._state.ended("waiting_on_human", question=question)
        if self._waits_for_person:
            self._state = replace(self._state, known_results=results)
        elif results:
            yield self._added(Message("user", results), "answered")

    @property
    def _waits_for_person(self) -> bool:
        return self._state.ending is not None and self._state.ending.reason == "waiting_on_human"

    async def _conclude(self, reply: ModelReply, results: tuple[ToolResult, ...]) -> list[Step]:
        """Decide what follows an iteration. A normal end is subject to the agent's checks."""
        if self._farewell_done or self._waits_for_person:
            return []
        question = self._guard.question(self._state.loop)
        stopped = self._settings.stop.requested
        state, step = self._following.next_step(self._state, reply, results, stopped=stopped, question=question)
        if isinstance(step, Ending) and step.normal:
            review = await self._checks.review(turn_result(state, step), state.objections)
            state = replace(state, objections=review.used)
            step = review.step or Ending(step.reason, problems=review.problems)
        if self._calls_nothing(state, step):
            state, step = replace(state, failure=no_tool_calls()), Ending("failed")
        if isinstance(step, Ending):
            self._state = replace(state, ending=step)
            return []
        state = continued(state, step, results)
        records = self._calls.records_of(reply.calls)
        loop, verdict = self._guard.observe(state.loop, reply, records, state.iteration_tokens)
        self._state = ended_by(replace(state, loop=loop), verdict)
        steps: list[Step] = [] if verdict.event is None else [verdict.event]
        if words := tuple(Text(text) for text in (step.message, verdict.message) if text is not None):
            steps.append(self._added(Message("user", words), "ready"))
        return steps

    def _calls_nothing(self, state: TurnState, step: NextStep) -> bool:
        """Whether a model that has tools was corrected in vain: it has called none yet, and is to be asked again."""
        corrected = bool(self._settings.tools) and any(self._state.objections)
        return corrected and isinstance(step, Continue) and step.code not in INTERRUPTED and not _has_calls(state)

    def _decided_before(self, state: TurnState, past: PastReply) -> TurnState:
        """The state after an iteration that an earlier worker went on from without a word of its own."""
        question = self._guard.question(state.loop)
        state, step = self._following.next_step(state, past.reply, past.results, stopped=False, question=question)
        if isinstance(step, Continue):
            state = continued(state, step, past.results)
        records = self._calls.records_of(past.reply.calls)
        loop, _ = self._guard.observe(state.loop, past.reply, records, state.iteration_tokens)
        return replace(state, loop=loop, phase="ready")

    def _restore_calls(self, past: PastReply) -> None:
        results = {result.call_id: result for result in past.results}
        for call in past.reply.calls:
            if call.id in results:
                self._calls.restore(call, results[call.id])

    def _added(self, message: Message, phase: Phase, stop_reason: str | None = None) -> MessageAdded:
        self._state = self._state.with_message(message, phase)
        if self._state.farewell and message.role == "assistant":
            self._state = self._state.with_text_of(ModelReply(message.content))
        return self._stored(message, stop_reason)

    def _stored(self, message: Message, stop_reason: str | None) -> MessageAdded:
        return MessageAdded(message, self._state.iterations, stop_reason, state_as_json(self._state))


def _has_calls(state: TurnState) -> bool:
    """Whether the model has called a tool, in this turn or in an earlier one that the transcript holds."""
    return any(isinstance(block, ToolUse) for message in state.transcript for block in message.content)


def _with_open_calls(state: TurnState) -> PastReply | None:
    """The reply that the transcript ends with, if its calls have no results."""
    last = state.transcript[-1:]
    reply = ModelReply(last[0].content if last and last[0].role == "assistant" else ())
    return PastReply(reply) if reply.calls else None


def _message_of(reply: ModelReply, farewell: bool) -> Message | None:
    """The message that stands for a reply; of the last words it has the text alone."""
    blocks = tuple(block for block in reply.blocks if isinstance(block, Text)) if farewell else reply.blocks
    return Message("assistant", blocks) if blocks else None
