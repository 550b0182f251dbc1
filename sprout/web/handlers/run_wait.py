"""Short wait for the end of a run within one request."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, cast

from sprout.errors import Conflict
from sprout.runs.state import Run, RunState
from sprout.runs.streaming.bus import BusMessage
from sprout.web.http.dependencies import Runs
from sprout.web.http.endpoint import Call
from sprout.web.http.failures import RunFailed

ENDING_EVENTS = frozenset({"agent_done", "agent_error", "run_done", "waiting_on_human"})


async def wait_for_end(call: Call[Any, Any, Any], runs: Runs, run: Run) -> Run | None:
    """The completed run; None if that takes longer than a request waits, or needs a person.

    Raises RunFailed, Conflict (it was stopped).
    """
    run = await _wait(call, runs, run)
    if not run.ended:
        return None
    if run.state is RunState.CANCELLED:
        raise Conflict(f"Run {run.id} was stopped.", code="run_stopped")
    if run.state is not RunState.COMPLETED:
        raise RunFailed(run.error)
    return run


async def cancel_runs(call: Call[Any, Any, Any], runs: Runs, *, branch_id: str | None = None) -> None:
    """Stop the caller's runs, or those of one branch. Raises Conflict: that takes longer than a request waits."""
    try:
        async with asyncio.timeout(call.policy.limits.run_wait_s):
            await runs.cancel_all(user_id=call.user_id, branch_id=branch_id)
    except TimeoutError:
        raise Conflict(
            "Some runs are still being stopped. Nothing is deleted yet: try again.", code="runs_stopping"
        ) from None


async def _wait(call: Call[Any, Any, Any], runs: Runs, run: Run) -> Run:
    """The run when it has ended, waits for a person, or the wait is over."""
    try:
        messages = cast(AsyncGenerator[list[BusMessage], None], runs.follow_to_end(run.root_id))
        async with asyncio.timeout(call.policy.limits.run_wait_s), aclosing(messages) as batches:
            async for batch in batches:
                if not ENDING_EVENTS.isdisjoint(message.kind for message in batch):
                    run = await runs.run(run.id, user_id=call.user_id)
                    if run.ended or run.state is RunState.WAITING_ON_HUMAN:
                        return run
    except TimeoutError:
        pass  # the caller returns the active run
    return await runs.run(run.id, user_id=call.user_id)
