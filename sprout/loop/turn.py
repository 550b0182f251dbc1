"""One turn of model and tools: ask, run what it calls, tell it the results, until it is done."""

from asyncio import sleep
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from sprout.errors import ModelFailure, ModelFailureKind
from sprout.events import Event, Guardrail, ModelRetry, ModelSwitched, ToolCalled, ToolFinished, Usage, UsageReported
from sprout.ids import new_id
from sprout.loop.attempt import Attempt, Voice
from sprout.loop.execution import Batch, CallDone
from sprout.loop.model import ChatModel, Message, ModelRequest, Text, ToolResult, ToolUse
from sprout.loop.notices import notice
from sprout.loop.policy import LoopPolicy
from sprout.loop.recovery import Recovery, Switch
from sprout.loop.repair import meant_tool
from sprout.loop.stop import Stop, Stopped
from sprout.loop.tools import Effect, Tool
from sprout.loop.view import normalised

SUMMARY_CHARS = 200
CORRECTIONS_PER_CHECK = 2


@dataclass(frozen=True, slots=True)
class CallStarted:
    """A call that starts once whoever reads the steps asks for the next one: until then it can be recorded."""

    call: ToolUse
    effect: Effect


@dataclass(frozen=True, slots=True)
class MessageAdded:
    """The transcript has grown by a message."""

    message: Message
    iteration: int


@dataclass(frozen=True, slots=True)
class CallRecord:
    """A call as the result keeps it; `result` is what the model was told, as text."""

    id: str
    name: str
    input: dict[str, object]
    result: str
    is_error: bool
    duration_s: float
    attempts: int


@dataclass(frozen=True, slots=True)
class TurnResult:
    """How a turn ended.

    Args:
        text: the last words of the model.
        reason: end_turn, stop_sequence, max_iterations, refusal, budget, cancelled or failed.
        usage: of all calls, failed attempts included.
        transitions: why each iteration went on or ended (loop.md L15).
        problems: what the stop checks still had to say.
        failure: what the model's last failure was, where `reason` is failed.
    """

    text: str
    reason: str
    calls: tuple[CallRecord, ...]
    messages: tuple[Message, ...]
    usage: Usage
    iterations: int
    transitions: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    failure: ModelFailure | None = None


Step = Event | CallStarted | CallDone | MessageAdded | TurnResult
StopCheck = Callable[[TurnResult], Awaitable[str | None]]


async def run_turn(
    model: ChatModel,
    *,
    model_name: str,
    system: str,
    messages: Sequence[Message],
    tools: Sequence[Tool] = (),
    policy: LoopPolicy | None = None,
    stop: Stop | None = None,
    stop_checks: Sequence[StopCheck] = (),
    fallback_model: str | None = None,
    voice: Voice = "reasoning",
) -> AsyncGenerator[Step, None]:
    """Run the loop; yields events as they happen, the steps that are worth recording, and last a TurnResult.

    The loop goes on only when the next step is asked for. So whoever stores a step before asking again can rely on
    it: a tool starts after its CallStarted was stored.

    Args:
        stop: asks the loop to stop from outside.
        stop_checks: look at a result before a normal end; each may send a correction to the model, twice at most.
        fallback_model: takes over when the model stays overloaded.
        voice: whether the model's text is reasoning or words to the learner.
    """
    turn = _Turn(
        model,
        ModelRequest(model_name, system, (), tuple(tool.spec for tool in tools), 0),
        {tool.name: tool for tool in tools},
        list(messages),
        policy or LoopPolicy(),
        stop or Stop(),
        list(stop_checks),
        fallback_model,
        voice,
    )
    async with aclosing(turn.steps()) as steps:
        async for step in steps:
            yield step


@dataclass(frozen=True, slots=True)
class _Onward:
    """The loop goes on: why, and what is said to the model first."""

    code: str
    say: str | None = None


class _Turn:
    def __init__(
        self,
        model: ChatModel,
        request: ModelRequest,
        tools: dict[str, Tool],
        transcript: list[Message],
        policy: LoopPolicy,
        stop: Stop,
        stop_checks: Sequence[StopCheck],
        fallback_model: str | None,
        voice: Voice,
    ) -> None:
        self._model = model
        self._request = replace(request, max_tokens=policy.max_output_tokens)
        self._tools = tools
        self._transcript = transcript
        self._policy = policy
        self._stop = stop
        self._corrections_left = dict.fromkeys(stop_checks, CORRECTIONS_PER_CHECK)
        self._recovery = Recovery(policy, fallback_model=fallback_model)
        self._voice: Voice = voice
        self._prefix = new_id()[-12:]
        self._attempts = 0
        self._attempt = Attempt(self._prefix, voice, set())
        self._call_ids: set[str] = set()
        self._iterations = 0
        self._continuations = 0
        self._text = ""
        self._usage = Usage()
        self._calls: list[CallRecord] = []
        self._transitions: list[str] = []
        self._problems: tuple[str, ...] = ()
        self._failure: ModelFailure | None = None

    async def steps(self) -> AsyncGenerator[Step, None]:
        while (ending := self._ending_before_a_call()) is None:
            self._iterations += 1
            batch = Batch(self._tools, self._policy, self._stop)
            try:
                async with aclosing(self._reply(batch)) as reply:
                    async for step in reply:
                        yield step
                while (done := await batch.next_ended()) is not None:
                    yield self._noted(done)
                    yield done
                results = batch.results()
            finally:
                await batch.close()
            for message in Message("assistant", tuple(self._attempt.blocks)), Message("user", results):
                if message.content:
                    yield self._added(message)
            following = await self._following(self._attempt, results)
            if isinstance(following, str):
                ending = following
                break
            self._transitions.append(following.code)
            if following.say is not None:
                yield self._added(Message("user", (Text(following.say),)))
        self._transitions.append(ending)
        yield self._result(ending)

    async def _reply(self, batch: Batch) -> AsyncGenerator[Step, None]:
        """One reply through all retries; `self._attempt` is the attempt that counts."""
        while True:
            self._attempts += 1
            attempt = self._attempt = Attempt(f"{self._prefix}.{self._attempts}", self._voice, self._call_ids)
            try:
                async with aclosing(self._streamed(attempt, batch)) as stream:
                    async for step in stream:
                        yield step
                if attempt.stop_reason is None:
                    raise ModelFailure(ModelFailureKind.CUT, "The connection to the model broke off.")
                self._recovery.answered()
                yield self._counted(attempt)
                for event in self._escalated(attempt, batch):
                    yield event
            except Stopped:
                yield self._counted(attempt)
                self._transitions.append("aborted_streaming")
                for event in attempt.kept_as_it_is():
                    yield event
            except ModelFailure as failure:
                yield self._counted(attempt)
                async with aclosing(self._recovered(failure, attempt)) as recovery:
                    async for step in recovery:
                        yield step
            if not attempt.void or self._failure is not None or self._stop.requested:
                return

    async def _streamed(self, attempt: Attempt, batch: Batch) -> AsyncGenerator[Step, None]:
        request = replace(self._request, messages=normalised(self._transcript))
        async with aclosing(self._model.reply(request)) as parts:
            while (part := await self._stop.guard(anext(parts, None))) is not None:
                for event in attempt.take(part):
                    yield event
                for call, problem in attempt.ready():
                    for step in self._begun(call, problem, batch):
                        yield step
                for done in batch.ended():
                    yield self._noted(done)
                    yield done

    def _begun(self, call: ToolUse, problem: str | None, batch: Batch) -> Iterator[Step]:
        meant = call if call.name in self._tools or problem else self._repaired(call)
        if meant.name != call.name:
            yield Guardrail(level=0, tool=meant.name, noticed=f"{call.name} is not a tool; {meant.name} was meant")
        tool = self._tools.get(meant.name)
        # What a tool that does not exist was given may hold what another keeps secret.
        shown = tool.shown_input(meant) if tool else {}
        yield ToolCalled(call_id=call.id, tool=meant.name, input=shown)
        if problem is not None:
            batch.refuse(call, notice("bad_json", name=call.name, problem=problem))
            return
        if tool is not None:
            yield CallStarted(meant, tool.effect)
        batch.add(meant)

    def _repaired(self, call: ToolUse) -> ToolUse:
        tool = meant_tool(call, self._tools)
        return call if tool is None else replace(call, name=tool.name)

    def _noted(self, done: CallDone) -> ToolFinished:
        result, call = done.result, done.call
        told = result.content if isinstance(result.content, str) else "[picture]"
        self._calls.append(
            CallRecord(call.id, call.name, dict(call.input), told, result.is_error, done.duration_s, done.attempts)
        )
        return ToolFinished(
            call_id=call.id,
            tool=call.name,
            summary=told if len(told) <= SUMMARY_CHARS else told[: SUMMARY_CHARS - 1] + "…",
            ok=not result.is_error,
            duration_ms=round(done.duration_s * 1000),
            attempts=done.attempts,
        )

    def _counted(self, attempt: Attempt) -> UsageReported:
        self._usage = self._usage.plus(attempt.usage)
        return UsageReported(usage=attempt.usage)

    def _escalated(self, attempt: Attempt, batch: Batch) -> list[Event]:
        """E4: a truncated reply of which nothing ran is asked for once more, with room for a longer one."""
        truncated = attempt.stop_reason == "max_tokens"
        if not truncated or self._request.max_tokens >= self._policy.escalated_output_tokens:
            return []
        self._request = replace(self._request, max_tokens=self._policy.escalated_output_tokens)
        if len(batch):
            return []
        self._transitions.append("max_output_tokens_escalate")
        return attempt.given_up()

    async def _recovered(self, failure: ModelFailure, attempt: Attempt) -> AsyncGenerator[Step, None]:
        """E2, E3: keep the blocks that are whole, or void the attempt so that the same request is repeated."""
        decision = self._recovery.after(failure)
        keep = attempt.has_substance
        for event in attempt.cut_off() if keep or decision is None else attempt.given_up():
            yield event
        if decision is None:
            self._failure = failure
            return
        if keep:
            attempt.stop_reason = "cut"
        elif isinstance(decision, Switch):
            self._transitions.append("fallback_model")
        else:
            self._transitions.append("model_error_retry")
        if isinstance(decision, Switch):
            yield ModelSwitched(from_model=self._request.model, to_model=decision.model, why=str(failure))
            self._request = replace(self._request, model=decision.model)
            return
        delay_ms = round(decision.delay_s * 1000)
        yield ModelRetry(attempt=decision.attempt, of=decision.of, delay_ms=delay_ms, why=str(failure))
        try:
            await self._stop.guard(sleep(decision.delay_s))
        except Stopped:
            return

    def _ending_before_a_call(self) -> str | None:
        policy, usage = self._policy, self._usage
        tokens = usage.input_tokens + usage.output_tokens + usage.cache_write_tokens + usage.cache_read_tokens
        if self._stop.requested:
            return "cancelled"
        if policy.max_run_tokens is not None and tokens >= policy.max_run_tokens:
            return "budget"
        if policy.max_run_cost_usd is not None and usage.cost_usd >= policy.max_run_cost_usd:
            return "budget"
        return "max_iterations" if self._iterations >= policy.max_iterations else None

    async def _following(self, attempt: Attempt, results: Sequence[ToolResult]) -> str | _Onward:
        """What comes after an iteration: an ending, or why and with which words the loop goes on."""
        self._text = "".join(block.text for block in attempt.blocks if isinstance(block, Text)) or self._text
        if self._stop.requested:
            return "cancelled"
        if self._failure is not None:
            return "failed"
        if results:
            if self._turn_is_over(attempt, results):
                return await self._normal_end("end_turn")
            say = notice("cut_input") if attempt.cut_in_a_call else None
            return _Onward("partial_turn_kept" if attempt.stop_reason == "cut" else "next_turn", say)
        match attempt.stop_reason:
            case "cut":
                return _Onward("partial_turn_kept", notice("connection_cut"))
            case "pause_turn":
                return _Onward("pause_turn")
            case "refusal":
                return "refusal"
            case "max_tokens" if self._continuations < self._policy.max_continuations:
                self._continuations += 1
                say = notice("cut_input" if attempt.cut_in_a_call else "go_on")
                return _Onward("max_output_tokens_recovery", say)
            case "max_tokens":
                return self._failed(ModelFailureKind.BAD_REQUEST, "The model's reply was cut off again and again.")
            case "model_context_window_exceeded":
                return self._failed(ModelFailureKind.PROMPT_TOO_LONG, "The conversation is too long for the model.")
            case reason:
                if not attempt.has_substance and self._answers_results() and "empty_retry" not in self._transitions:
                    return _Onward("empty_retry", notice("answer_please"))
                return await self._normal_end("stop_sequence" if reason == "stop_sequence" else "end_turn")

    def _turn_is_over(self, attempt: Attempt, results: Sequence[ToolResult]) -> bool:
        called = [self._tools.get(block.name) for block in attempt.blocks if isinstance(block, ToolUse)]
        return any(tool and tool.ends_turn for tool in called) and not any(result.is_error for result in results)

    def _answers_results(self) -> bool:
        return any(isinstance(block, ToolResult) for block in self._transcript[-1].content)

    def _failed(self, kind: ModelFailureKind, message: str) -> str:
        self._failure = ModelFailure(kind, message)
        return "failed"

    async def _normal_end(self, ending: str) -> str | _Onward:
        """L13: the end, unless a check of the agent has a correction to send first."""
        problems: list[str] = []
        for check, left in self._corrections_left.items():
            problem = await check(self._result(ending))
            if problem is not None and left:
                self._corrections_left[check] = left - 1
                return _Onward("stop_hook_correction", problem)
            if problem is not None:
                problems.append(problem)
        self._problems = tuple(problems)
        return ending

    def _added(self, message: Message) -> MessageAdded:
        self._transcript.append(message)
        return MessageAdded(message, self._iterations)

    def _result(self, reason: str) -> TurnResult:
        return TurnResult(
            text=self._text,
            reason=reason,
            calls=tuple(self._calls),
            messages=tuple(self._transcript),
            usage=self._usage,
            iterations=self._iterations,
            transitions=tuple(self._transitions),
            problems=self._problems,
            failure=self._failure,
        )
