"""The cycle of one turn: ask, run what the reply calls, tell the results, until something ends it."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing

from sprout.loop import replied
from sprout.loop.asking import Asking
from sprout.loop.calls import Calls
from sprout.loop.carried import Carried
from sprout.loop.checks import Onward, StopChecks
from sprout.loop.execution import Batch, Left
from sprout.loop.following import Ending, Following
from sprout.loop.guard import Guard
from sprout.loop.human import context_question
from sprout.loop.limits import Limits
from sprout.loop.model import Message, Text, ToolResult
from sprout.loop.notices import notice
from sprout.loop.past import Past, past_iterations, standing_after
from sprout.loop.policy import LoopPolicy
from sprout.loop.replied import Replied
from sprout.loop.result import CallStarted, MessageAdded, Step, TurnResult
from sprout.loop.stop import Stop
from sprout.loop.tools import Tool


class Cycle:
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
        following: Following,
        left: Left | None,
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
        self._following = following
        self._left = left
        self._new_reply: MessageAdded | None = None
        self._unfinished: Past | None = None
        self._iterations = 0
        self._parting = False
        self._ending: Ending | None = None
        self._known: tuple[ToolResult, ...] = ()

    async def steps(self, known: Mapping[str, ToolResult]) -> AsyncGenerator[Step, None]:
        """All steps of the turn; `known` are results by call id."""
        if self._new_reply is not None:
            yield self._new_reply
        if (past := self._unfinished or self._open_reply()) is not None:
            async with aclosing(self._finished(past, known)) as finished:
                async for step in finished:
                    yield step
        while (ending := self._ending or self._ending_before_a_call()) is None:
            self._iterations += 1
            async with aclosing(self._iteration()) as iteration:
                async for step in iteration:
                    yield step
        if ending.reason == "soft_limit" and not self._said_farewell:
            async with aclosing(self._last_words()) as last_words:
                async for step in last_words:
                    yield step
        self._asking.transitions.append(ending.reason)
        yield self._result(ending)

    def take_up(self, carried: Carried) -> None:
        """Go on where another carrier stood; all that is known of it is in the transcript and in `carried`."""
        self._iterations = carried.iterations
        pasts = past_iterations(self._transcript[carried.begun_with :], carried.stop_reason)
        if pasts and not pasts[-1].said:
            self._unfinished = pasts.pop()
        standing = standing_after(pasts, self._guard, self._calls)
        self._following.take_up(standing)
        self._checks.recall(standing.objections)
        last = self._unfinished
        truncated = last is not None and last.reply.stop_reason == replied.TRUNCATED
        self._asking.take_up(carried.usage, escalated=standing.escalated or truncated)
        if carried.reply_is_new:
            self._new_reply = MessageAdded(self._transcript[-1], self._iterations, carried.stop_reason)
        if standing.parting:
            self._parting, self._ending, self._unfinished = True, Ending("soft_limit"), None
            if last is not None:
                self._following.text = last.reply.text
        elif last is None:
            self._ending = self._following.ending_by(standing.verdict)

    async def _iteration(self) -> AsyncGenerator[Step, None]:
        """One model call and the batch that it asked for, and what is said before the next; or `_ending` is set."""
        tokens_before = self._asking.usage.output_tokens
        batch = Batch(self._policy, self._stop, self._left)
        try:
            asked = self._asking.reply(self._transcript, batch, iteration=self._iterations, choice=self._guard.choice)
            async with aclosing(asked) as steps:
                async for step in steps:
                    yield step
            while (done := await batch.next_ended()) is not None:
                for step in self._calls.ended(done, batch):
                    yield step
            results = batch.results()
        finally:
            await batch.close()
        reply = self._asking.attempt.replied()
        if reply.blocks:
            yield self._added(Message("assistant", reply.blocks), reply.kept_reason)
        if self._waits_for_person():
            self._known = results
            return
        if results:
            yield self._added(Message("user", results))
        tokens = self._asking.usage.output_tokens - tokens_before
        async with aclosing(self._concluded(reply, results, tokens)) as concluded:
            async for step in concluded:
                yield step

    async def _concluded(
        self, reply: Replied, results: Sequence[ToolResult], output_tokens: int
    ) -> AsyncGenerator[Step, None]:
        """What is said after an iteration; or `_ending` is set."""
        following = self._following.after(reply, results)
        if isinstance(following, Ending) and following.normal:
            following = await self._checked(following)
        if isinstance(following, Ending):
            self._ending = following
            return
        self._following.goes_on(following, results)
        verdict = self._guard.after(reply, self._calls.of(reply.calls), output_tokens)
        if verdict.event is not None:
            yield verdict.event
        if words := tuple(Text(text) for text in (following.say, verdict.say) if text is not None):
            yield self._added(Message("user", words))
        self._ending = self._following.ending_by(verdict)

    async def _checked(self, ending: Ending) -> Ending | Onward:
        """L13: the end, unless a check of the agent has something to say to the model first."""
        objection = await self._checks.objection(self._result(ending))
        return objection or Ending(ending.reason, problems=self._checks.problems)

    async def _finished(self, past: Past, known: Mapping[str, ToolResult]) -> AsyncGenerator[Step, None]:
        """What is left of an iteration from before: calls that have no results yet, and what comes after it."""
        past.note_in(self._calls)
        results = past.results
        if past.reply.calls and not results:
            batch = Batch(self._policy, self._stop, self._left)
            try:
                for call in past.reply.calls:
                    if call.id in known:
                        batch.know(known[call.id])
                        self._calls.recall(call, known[call.id])
                        continue
                    tool = self._tools.get(call.name)
                    hidden = past.reply.stop_reason == replied.WITHHELD and tool is not None and tool.spoken
                    begun = self._calls.begun(
                        call,
                        batch,
                        past.reply.blocks,
                        iteration=self._iterations,
                        withheld=replied.WITHHELD if hidden else None,
                    )
                    for step in begun:
                        yield step
                while (done := await batch.next_ended()) is not None:
                    for step in self._calls.ended(done, batch):
                        yield step
                results = batch.results()
            finally:
                await batch.close()
            if self._waits_for_person():
                self._known = results
                return
            yield self._added(Message("user", results))
        async with aclosing(self._concluded(past.reply, results, past.output_tokens)) as concluded:
            async for step in concluded:
                yield step

    async def _last_words(self) -> AsyncGenerator[Step, None]:
        """S1: one more call that may only speak, so that the person gets what there is."""
        if not self._parting:
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
                for step in self._calls.ended(done, batch):
                    yield step
        finally:
            await batch.close()
        said = tuple(block for block in self._asking.attempt.blocks if isinstance(block, Text))
        self._following.text = "".join(block.text for block in said) or self._following.text
        if said:
            yield self._added(Message("assistant", said))

    @property
    def _said_farewell(self) -> bool:
        """Whether the last words were said under an earlier carrier."""
        return self._parting and self._transcript[-1].role == "assistant"

    def _open_reply(self) -> Past | None:
        """The reply that the transcript ends with, where it has calls without results."""
        last = self._transcript[-1:]
        reply = Replied(last[0].content if last and last[0].role == "assistant" else ())
        return Past(reply) if reply.calls else None

    def _waits_for_person(self) -> bool:
        """Whether a person has to say something before anything goes on; then that is the ending."""
        question = self._calls.question or (context_question() if self._asking.wants_human else None)
        if question is not None:
            self._ending = Ending("waiting_on_human", question)
        return question is not None

    def _ending_before_a_call(self) -> Ending | None:
        if self._stop.requested:
            return Ending("cancelled")
        if self._limits.seconds_left <= 0:
            return Ending("soft_limit")
        if self._iterations >= self._policy.max_iterations:
            return Ending("max_iterations")
        return None

    def _added(self, message: Message, stop_reason: str | None = None) -> MessageAdded:
        self._transcript.append(message)
        return MessageAdded(message, self._iterations, stop_reason)

    def _result(self, ending: Ending) -> TurnResult:
        return TurnResult(
            text=self._following.text,
            reason=ending.reason,
            calls=tuple(self._calls.records),
            messages=tuple(self._transcript),
            usage=self._asking.usage,
            iterations=self._iterations,
            transitions=tuple(self._asking.transitions),
            problems=ending.problems,
            failure=self._asking.failure,
            question=ending.question,
            known=self._known,
            withheld=self._following.withheld,
        )
