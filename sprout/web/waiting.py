"""Waiting for a run's end within one request, where the answer is worth a short wait."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, cast

from sprout.errors import Conflict, SproutError
from sprout.runs.bus import News
from sprout.runs.state import Run, RunState
from sprout.web.endpoint import Call

LAST_WORDS = frozenset({"agent_done", "agent_error", "run_done", "waiting_on_human"})


class RunFailed(SproutError):
    """The run that a request has waited for did not come to a good end; the message says what to do."""


async def ended_soon(call: Call[Any, Any], run: Run) -> Run | None:
    """The run once it has come to a good end; None where that takes longer than a request may, or needs a person.

    Raises RunFailed, Conflict (it was stopped).
    """
    run = await _over(call, run)
    if not run.ended:
        return None
    if run.state is RunState.CANCELLED:
        raise Conflict(f"Run {run.id} was stopped before its end.")
    if run.state is not RunState.COMPLETED:
        raise RunFailed(run.error.message if run.error else f"Run {run.id} has failed: start it again.")
    return run


async def _over(call: Call[Any, Any], run: Run) -> Run:
    """The run as it is when it has ended, when it waits for a person, or when the wait is over."""
    runs = call.parts.runs
    try:
        news_of = cast(AsyncGenerator[list[News], None], runs.follow(run.root_id))
        async with asyncio.timeout(call.parts.limits.run_wait_s), aclosing(news_of) as batches:
            async for batch in batches:
                if not LAST_WORDS.isdisjoint(news.kind for news in batch):
                    run = await runs.run(run.id, user_id=call.user_id)
                    if run.ended or run.state is RunState.WAITING_ON_HUMAN:
                        return run
    except TimeoutError:
        pass  # the caller is told that it goes on
    return await runs.run(run.id, user_id=call.user_id)
