"""Running the calls of one reply: reads together, writes alone, transient failures again."""

import asyncio
import logging
import time
from collections.abc import Coroutine
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


class Batch:
    """The calls of one reply. A call may start the moment it is added; results come in the order of the calls.

    Whoever makes a batch calls `close` at its end: no task outlives it.
    """

    def __init__(self, policy: LoopPolicy, stop: Stop) -> None:
        self._policy = policy
        self._stop = stop
        self._outcomes: list[asyncio.Task[CallDone] | ToolResult] = []
        self._last_write: asyncio.Task[CallDone] | None = None
        self._untold = 0
        self._done: asyncio.Queue[asyncio.Task[CallDone]] = asyncio.Queue()
        self._holds = False

    @property
    def is_empty(self) -> bool:
        return not self._outcomes and not self._holds

    def add(self, call: ToolUse, tool: Tool) -> None:
        """Run a call as soon as its turn comes: a read after the writes before it, a write after all before it."""
        writes = tool.effect is Effect.WRITE or not self._policy.parallel_tools
        before = self._tasks if writes else [self._last_write] if self._last_write else []
        task = self._begin(self._in_turn(call, tool, [other for other in before if not other.done()]))
        if writes:
            self._last_write = task

    def refuse(self, call: ToolUse, why: str) -> None:
        """Answer a call with an error result, without running anything."""
        _ = self._begin(self._refused(call, why))

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
            ended.append(self._done.get_nowait().result())
        self._untold -= len(ended)
        return ended

    async def next_ended(self) -> CallDone | None:
        """The next call that ends; None when all have been told."""
        if not self._untold:
            return None
        self._untold -= 1
        return (await self._done.get()).result()

    def results(self) -> tuple[ToolResult, ...]:
        """All results in the order of the calls, without those that are held; only when every call has ended."""
        return tuple(
            outcome if isinstance(outcome, ToolResult) else outcome.result().result for outcome in self._outcomes
        )

    async def close(self) -> None:
        """Cancel what still runs, and wait for it."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def _tasks(self) -> list[asyncio.Task[CallDone]]:
        return [outcome for outcome in self._outcomes if isinstance(outcome, asyncio.Task)]

    def _begin(self, work: Coroutine[None, None, CallDone]) -> asyncio.Task[CallDone]:
        task = asyncio.create_task(work)
        task.add_done_callback(self._done.put_nowait)
        self._outcomes.append(task)
        self._untold += 1
        return task

    async def _refused(self, call: ToolUse, why: str) -> CallDone:
        return CallDone(call, ToolResult(call.id, why, is_error=True), 0.0, 0)

    async def _in_turn(self, call: ToolUse, tool: Tool, before: list[asyncio.Task[CallDone]]) -> CallDone:
        if before:
            await asyncio.wait(before)
        if self._stop.requested:
            return await self._refused(call, notice("not_run"))
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
