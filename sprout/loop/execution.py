"""Running the calls of one reply: reads together, writes alone, transient failures again."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass

from sprout.errors import SproutError, ToolFailure
from sprout.loop.characters import whole_characters
from sprout.loop.model import Image, Text, ToolResult, ToolUse
from sprout.loop.notices import notice
from sprout.loop.policy import LoopPolicy
from sprout.loop.stop import Stop, Stopped
from sprout.loop.tools import BadToolInput, Effect, Tool, as_text, cut_to

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CallDone:
    """A call that has its result; `attempts` is 0 where the tool was not run at all."""

    call: ToolUse
    result: ToolResult
    duration_s: float
    attempts: int


Left = Callable[[CallDone], Awaitable[None]]


@dataclass(slots=True, eq=False)
class _Begun:
    """A call that was handed in; `tool` is None where it was refused, `told` says that its end was handed on."""

    call: ToolUse
    tool: Tool | None
    task: asyncio.Task[CallDone]
    told: bool = False


class Batch:
    """The calls of one reply. A call may start the moment it is added; results come in the order of the calls.

    Whoever makes a batch calls `close` at its end: no task outlives it.

    Args:
        left: is given the ends of calls that were not handed on when the batch is closed.
    """

    def __init__(self, policy: LoopPolicy, stop: Stop, left: Left | None = None) -> None:
        self._policy = policy
        self._stop = stop
        self._left = left
        self._outcomes: list[_Begun | ToolResult] = []
        self._last_write: asyncio.Task[CallDone] | None = None
        self._entered: set[str] = set()
        self._expected: tuple[ToolUse, Tool] | None = None
        self._untold = 0
        self._done: asyncio.Queue[_Begun] = asyncio.Queue()
        self._holds = False

    @property
    def is_empty(self) -> bool:
        return not self._outcomes and not self._holds

    def expect(self, call: ToolUse, tool: Tool) -> None:
        """Take in that a call is told of and about to be added."""
        self._expected = (call, tool)

    def add(self, call: ToolUse, tool: Tool) -> None:
        """Run a call as soon as its turn comes: a read after the writes before it, a write after all before it."""
        self._expected = None
        writes = tool.effect is Effect.WRITE or not self._policy.parallel_tools
        tasks = [one.task for one in self._begun]
        before = tasks if writes else [self._last_write] if self._last_write else []
        begun = self._begin(call, tool, self._in_turn(call, tool, [other for other in before if not other.done()]))
        if writes:
            self._last_write = begun.task

    def refuse(self, call: ToolUse, why: str) -> None:
        """Answer a call with an error result, without running anything."""
        self._begin(call, None, self._refused(call, why))

    def know(self, result: ToolResult) -> None:
        """Take in a result from before: nothing is run, and it is not told again."""
        self._outcomes.append(result)

    def hold(self) -> None:
        """Leave a call without a result: a person has to say something first."""
        self._holds = True

    def ended(self) -> list[CallDone]:
        """The calls that ended since this was last asked, in the order of their ends."""
        ended: list[CallDone] = []
        while not self._done.empty():
            ended.append(self._fetched(self._done.get_nowait()))
        return ended

    async def next_ended(self) -> CallDone | None:
        """The next call that ends; None when all have been told."""
        if not self._untold:
            return None
        return self._fetched(await self._done.get())

    def results(self) -> tuple[ToolResult, ...]:
        """All results in the order of the calls, without those that are held; only when every call has ended."""
        return tuple(
            outcome if isinstance(outcome, ToolResult) else outcome.task.result().result for outcome in self._outcomes
        )

    async def close(self) -> None:
        """Leave no task behind: what may be begun again is cancelled, a change in the middle is let come to its end.

        All ends that were not handed on go to `left`. However often the caller is cancelled meanwhile, that is done
        first (trap 56).
        """
        if self._expected is None and all(one.told for one in self._begun):
            return
        for one in self._begun:
            if not self._must_end(one):
                one.task.cancel()
        leaving = asyncio.create_task(self._all_left())
        cancelled: asyncio.CancelledError | None = None
        while not leaving.done():
            try:
                await asyncio.wait([leaving])
            except asyncio.CancelledError as error:
                cancelled = error
        leaving.result()
        if cancelled is not None:
            raise cancelled

    async def _all_left(self) -> None:
        await asyncio.gather(*(one.task for one in self._begun), return_exceptions=True)
        if self._left is None:
            return
        for one in self._begun:
            if not one.told and (done := self._end_of(one)) is not None:
                await self._left(done)
        if self._expected is not None and not self._expected[1].begins_again:
            await self._left(_not_run(self._expected[0], notice("not_run")))

    def _must_end(self, one: _Begun) -> bool:
        """Whether it is in the middle of a change of which nobody could tell afterwards whether it was made."""
        tool = one.tool if one.call.id in self._entered else None
        return tool is not None and tool.effect is Effect.WRITE and not tool.retryable

    def _end_of(self, one: _Begun) -> CallDone | None:
        """The end to keep of a call that was left; None where there is none: it begins again, or was never told of."""
        if one.tool is None:
            return None
        if not one.task.cancelled():
            return one.task.result()
        begins_again = one.call.id in self._entered or one.tool.begins_again
        return None if begins_again else _not_run(one.call, notice("not_run"))

    def _fetched(self, begun: _Begun) -> CallDone:
        self._untold -= 1
        return begun.task.result()

    def hand_on(self, done: CallDone) -> CallDone:
        """The end of a call, which whoever asked for it now has."""
        for one in self._begun:
            one.told = one.told or one.call.id == done.call.id
        return done

    @property
    def _begun(self) -> list[_Begun]:
        return [outcome for outcome in self._outcomes if isinstance(outcome, _Begun)]

    def _begin(self, call: ToolUse, tool: Tool | None, work: Coroutine[None, None, CallDone]) -> _Begun:
        begun = _Begun(call, tool, asyncio.create_task(work))
        begun.task.add_done_callback(lambda _: self._done.put_nowait(begun))
        self._outcomes.append(begun)
        self._untold += 1
        return begun

    async def _refused(self, call: ToolUse, why: str) -> CallDone:
        return _not_run(call, why)

    async def _in_turn(self, call: ToolUse, tool: Tool, before: list[asyncio.Task[CallDone]]) -> CallDone:
        if before:
            await asyncio.wait(before)
        if self._stop.requested:
            return await self._refused(call, notice("not_run"))
        self._entered.add(call.id)
        started = time.monotonic()
        result, attempts = await self._result(call, tool)
        return CallDone(call, result, time.monotonic() - started, attempts)

    async def _result(self, call: ToolUse, tool: Tool) -> tuple[ToolResult, int]:
        try:
            checked = tool.checked(call)
        except BadToolInput as error:
            return ToolResult(call.id, str(error), is_error=True), 0
        attempt = 0
        while True:
            attempt += 1
            timeout_s = tool.timeout_s or self._policy.tool_timeout_s
            try:
                async with asyncio.timeout(timeout_s):
                    output = as_text(await tool.run(checked, call))
            except TimeoutError:
                problem, transient = notice("tool_timed_out", name=tool.name, seconds=f"{timeout_s:g}"), True
            except (ToolFailure, ConnectionError) as error:
                problem, transient = str(error), not isinstance(error, ToolFailure) or error.transient
            except SproutError as error:
                problem, transient = str(error), False
            except asyncio.CancelledError:
                if (task := asyncio.current_task()) is None or task.cancelling():
                    raise
                problem, transient = notice("tool_broke", name=tool.name), False  # it was the tool's own, not ours
            except Exception:
                log.exception("agent.tool.broke", extra={"tool": tool.name, "call": call.id})
                problem, transient = notice("tool_broke", name=tool.name), False
            else:
                return ToolResult(call.id, self._within_limit(output)), attempt
            if not (transient and tool.retryable and attempt < self._policy.tool_attempts):
                return ToolResult(call.id, whole_characters(problem), is_error=True), attempt
            if not await self._backed_off(tool, call, attempt):
                return ToolResult(call.id, notice("not_run"), is_error=True), attempt

    def _within_limit(self, output: str | tuple[Text | Image, ...]) -> str | tuple[Text | Image, ...]:
        most = self._policy.tool_result_max_bytes
        if isinstance(output, str):
            return cut_to(output, most)
        return tuple(Text(cut_to(part.text, most)) if isinstance(part, Text) else part for part in output)

    async def _backed_off(self, tool: Tool, call: ToolUse, attempt: int) -> bool:
        """Wait before the next attempt; False when a stop was asked for meanwhile."""
        waits = self._policy.tool_backoff_s
        try:
            await self._stop.guard(asyncio.sleep(waits[min(attempt, len(waits)) - 1]))
        except Stopped:
            return False
        return True


def _not_run(call: ToolUse, why: str) -> CallDone:
    return CallDone(call, ToolResult(call.id, why, is_error=True), 0.0, 0)
