"""Batch of the calls of one reply: reads run together, writes alone; transient failures are retried."""

import asyncio
import logging
import time
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from sprout.errors import DatabaseBusy, NoChangeNeeded, SproutError, ToolFailure
from sprout.loop.encoding.surrogates import replace_surrogates
from sprout.loop.human import HumanQuestion
from sprout.loop.model import ToolResult, ToolUse
from sprout.loop.model_notices import notice
from sprout.loop.policy import LoopPolicy
from sprout.loop.stop import Stop, Stopped
from sprout.loop.tool_calls.result_truncation import truncate_result
from sprout.loop.tools import UNCHANGED, BadToolInput, Effect, Tool, result_content, with_notes
from sprout.loop.turn_steps import CallDone, OnUndelivered

log = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class _RunningCall:
    """A call that was added; `tool` is None if it was refused, `delivered` is whether its end was passed on."""

    call: ToolUse
    tool: Tool | None
    task: asyncio.Task[CallDone]
    delivered: bool = False


class Batch:
    """The calls of one reply. A call may start the moment it is added; results come in the order of the calls.

    A batch must be closed: no task outlives it.

    Args:
        on_undelivered: receives the ends of calls that were not passed on when the batch is closed.
    """

    def __init__(self, policy: LoopPolicy, stop: Stop, on_undelivered: OnUndelivered | None = None) -> None:
        self.question: HumanQuestion | None = None
        self._policy = policy
        self._stop = stop
        self._on_undelivered = on_undelivered
        self._outcomes: list[_RunningCall | ToolResult] = []
        self._last_write: asyncio.Task[CallDone] | None = None
        self._started_ids: set[str] = set()
        self._attempting_ids: set[str] = set()
        self._closing = False
        self._announced: tuple[ToolUse, Tool] | None = None
        self._undelivered = 0
        self._done: asyncio.Queue[_RunningCall] = asyncio.Queue()

    @property
    def is_empty(self) -> bool:
        return not self._outcomes and self.question is None

    def announce(self, call: ToolUse, tool: Tool) -> None:
        """Note that a call is announced and about to be added."""
        self._announced = (call, tool)

    def add(self, call: ToolUse, tool: Tool, notes: Sequence[str] = ()) -> None:
        """Run a call as soon as its turn comes: a read after the writes before it, a write after all before it.

        Args:
            notes: what was mended in its input, to be sent with its result.
        """
        self._announced = None
        writes = tool.effect is Effect.WRITE or not self._policy.parallel_tools
        tasks = [one.task for one in self._running]
        before = tasks if writes else [self._last_write] if self._last_write else []
        waits_for = [other for other in before if not other.done()]
        begun = self._start(call, tool, self._run_in_order(call, tool, waits_for, notes))
        if writes:
            self._last_write = begun.task

    def refuse(self, call: ToolUse, why: str) -> None:
        """Answer a call with an error result, without running anything."""
        self._start(call, None, self._run_refused(call, why))

    def add_known_result(self, result: ToolResult) -> None:
        """Add a result from before: nothing runs, and it is not delivered again."""
        self._outcomes.append(result)

    def hold(self, question: HumanQuestion) -> None:
        """Leave a call without a result until a person has answered; the first question of a batch is asked."""
        self.question = self.question or question

    def pop_ended(self) -> list[CallDone]:
        """The calls that ended since the last request, in the order of their ends."""
        ended: list[CallDone] = []
        while not self._done.empty():
            ended.append(self._take_done(self._done.get_nowait()))
        return ended

    async def next_ended(self) -> CallDone | None:
        """The next call that ends; None when all have been delivered."""
        if not self._undelivered:
            return None
        return self._take_done(await self._done.get())

    def results(self) -> tuple[ToolResult, ...]:
        """All results in the order of the calls, without those that are held; only when every call has ended."""
        return tuple(
            outcome if isinstance(outcome, ToolResult) else outcome.task.result().result for outcome in self._outcomes
        )

    async def close(self) -> None:
        """End all tasks: calls that may begin again are cancelled, a change under way is awaited.

        All undelivered ends go to `on_undelivered`. This is done first, however often the caller is cancelled.
        """
        if self._announced is None and all(one.delivered for one in self._running):
            return
        self._closing = True
        for one in self._running:
            if not self._must_end(one):
                one.task.cancel()
        leaving = asyncio.create_task(self._report_undelivered())
        cancelled: asyncio.CancelledError | None = None
        while not leaving.done():
            try:
                await asyncio.wait([leaving])
            except asyncio.CancelledError as error:
                cancelled = error
        leaving.result()
        if cancelled is not None:
            raise cancelled

    async def _report_undelivered(self) -> None:
        await asyncio.gather(*(one.task for one in self._running), return_exceptions=True)
        if self._on_undelivered is None:
            return
        for one in self._running:
            if not one.delivered and (done := self._end_of(one)) is not None:
                await self._on_undelivered(done)
        if self._announced is not None and not self._announced[1].restartable:
            await self._on_undelivered(_not_run(self._announced[0], notice("not_run")))

    def _must_end(self, one: _RunningCall) -> bool:
        """Whether it is in the middle of a change of which it would remain unknown whether it was made."""
        tool = one.tool if one.call.id in self._attempting_ids else None
        return tool is not None and tool.effect is Effect.WRITE and not tool.retryable

    def _end_of(self, one: _RunningCall) -> CallDone | None:
        """The end of a call that was left, to be stored; None if it begins again, or was never announced."""
        if one.tool is None:
            return None
        if not one.task.cancelled():
            return one.task.result()
        begins_again = one.call.id in self._started_ids or one.tool.restartable
        return None if begins_again else _not_run(one.call, notice("not_run"))

    def _take_done(self, begun: _RunningCall) -> CallDone:
        self._undelivered -= 1
        return begun.task.result()

    def mark_delivered(self, done: CallDone) -> CallDone:
        """Mark the end of a call as passed on."""
        for one in self._running:
            one.delivered = one.delivered or one.call.id == done.call.id
        return done

    @property
    def _running(self) -> list[_RunningCall]:
        return [outcome for outcome in self._outcomes if isinstance(outcome, _RunningCall)]

    def _start(self, call: ToolUse, tool: Tool | None, work: Coroutine[None, None, CallDone]) -> _RunningCall:
        begun = _RunningCall(call, tool, asyncio.create_task(work))
        begun.task.add_done_callback(lambda _: self._done.put_nowait(begun))
        self._outcomes.append(begun)
        self._undelivered += 1
        return begun

    async def _run_refused(self, call: ToolUse, why: str) -> CallDone:
        return _not_run(call, why)

    async def _run_in_order(
        self, call: ToolUse, tool: Tool, before: list[asyncio.Task[CallDone]], notes: Sequence[str]
    ) -> CallDone:
        if before:
            await asyncio.wait(before)
        if self._stop.requested:
            return await self._run_refused(call, notice("not_run"))
        self._started_ids.add(call.id)
        started = time.monotonic()
        result, attempts = await self._run_with_retries(call, tool, notes)
        return CallDone(call, result, time.monotonic() - started, attempts)

    async def _run_with_retries(self, call: ToolUse, tool: Tool, notes: Sequence[str]) -> tuple[ToolResult, int]:
        try:
            checked = tool.checked(call)
        except BadToolInput as error:
            return ToolResult(call.id, str(error), is_error=True), 0
        attempt = 1
        while True:
            result, retryable = await self._attempt(checked, call, tool, notes)
            if not retryable or attempt >= self._policy.tool_attempts:
                return result, attempt
            if not await self._back_off(attempt):
                return ToolResult(call.id, notice("not_run"), is_error=True), attempt
            attempt += 1

    async def _attempt(
        self, checked: BaseModel, call: ToolUse, tool: Tool, notes: Sequence[str]
    ) -> tuple[ToolResult, bool]:
        """The result of one attempt, and whether another may help and does nothing twice."""
        timeout_s = tool.timeout_s or self._policy.tool_timeout_s
        self._attempting_ids.add(call.id)
        try:
            async with asyncio.timeout(timeout_s):
                output = result_content(with_notes(await tool.run(checked, call), notes))
        except TimeoutError:
            problem, retryable = notice("tool_timed_out", name=tool.name, seconds=f"{timeout_s:g}"), tool.retryable
        except DatabaseBusy as error:
            problem, retryable = str(error), tool.retryable_when_busy
        except ConnectionError as error:
            problem, retryable = str(error), tool.retryable
        except ToolFailure as error:
            problem, retryable = str(error), tool.retryable and error.transient
        except NoChangeNeeded as enough:
            return ToolResult(call.id, result_content({UNCHANGED: True, "note": str(enough)})), False
        except SproutError as error:
            problem, retryable = str(error), False
        except asyncio.CancelledError:
            if (task := asyncio.current_task()) is None or task.cancelling():
                raise
            problem, retryable = notice("tool_broke", name=tool.name), False  # it was the tool's own, not ours
        except Exception:
            log.exception("agent.tool.broke", extra={"tool": tool.name, "call": call.id})
            problem, retryable = notice("tool_broke", name=tool.name), False
        else:
            return ToolResult(call.id, truncate_result(output, self._policy.tool_result_max_bytes)), False
        finally:
            self._attempting_ids.discard(call.id)
        return ToolResult(call.id, replace_surrogates(str(with_notes(problem, notes))), is_error=True), retryable

    async def _back_off(self, attempt: int) -> bool:
        """Wait before the next attempt; False when a stop was asked for meanwhile.

        Raises CancelledError: the batch is being closed; the call begins again when the run is resumed.
        """
        if self._closing:
            raise asyncio.CancelledError
        waits = self._policy.tool_backoff_s
        try:
            await self._stop.guard(asyncio.sleep(waits[min(attempt, len(waits)) - 1]))
        except Stopped:
            return False
        return True


def _not_run(call: ToolUse, why: str) -> CallDone:
    return CallDone(call, ToolResult(call.id, why, is_error=True), 0.0, 0)
