"""Cancellations that a library turns into an error of its own, as when a connection breaks at the same moment."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext, suppress
from typing import Any, cast

import pytest

from sprout.engines.redis_outage import Outage
from sprout.engines.repeating import repeat
from sprout.errors import DatabaseUnavailable
from sprout.runs.cancellation import end_tasks
from sprout.runs.run_store import RunStore
from sprout.runs.streaming.poller import LogPoller
from sprout.store.engine.cancellation import run_to_completion
from sprout.waiting import open_when_ready

WITHIN_S = 30.0


class LosesCancellations:
    """A client of a database that says, when its caller is cancelled, that its connection is lost."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()

    async def ask(self, *_: object) -> Any:
        self.begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise DatabaseUnavailable from None

    log_ends = ask


async def repeating(client: LosesCancellations) -> None:
    await repeat(0, client.ask)


async def polling(client: LosesCancellations) -> None:
    await LogPoller(cast(RunStore, client), interval_s=0)._poll_forever()


async def outlasting(client: LosesCancellations) -> None:
    outage = Outage("test")
    while True:
        try:
            await client.ask()
        except DatabaseUnavailable:
            await outage.wait(OSError("gone"))


async def starting(client: LosesCancellations) -> None:
    @asynccontextmanager
    async def opening() -> AsyncIterator[None]:
        await client.ask()
        yield

    async with AsyncExitStack() as stack:
        await open_when_ready(stack, opening, lambda _: nullcontext())


@pytest.mark.parametrize("loop", [repeating, polling, outlasting, starting])
async def test_X5_a_loop_ends_although_its_cancellation_became_an_error(
    loop: Callable[[LosesCancellations], Awaitable[None]],
) -> None:
    client = LosesCancellations()
    task = asyncio.ensure_future(loop(client))
    async with asyncio.timeout(WITHIN_S):
        await client.begun.wait()
        task.cancel()
        await asyncio.wait([task])
    assert task.cancelled()


async def test_X5_work_that_fails_while_its_caller_is_cancelled_leaves_it_cancelled() -> None:
    begun, broken = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        begun.set()
        await broken.wait()
        raise DatabaseUnavailable

    task = asyncio.ensure_future(run_to_completion(work()))
    async with asyncio.timeout(WITHIN_S):
        await begun.wait()
        task.cancel()
        await asyncio.sleep(0)
        broken.set()
        await asyncio.wait([task])
    assert task.cancelled()


async def test_X5_work_that_waits_for_a_silent_server_is_given_up_some_time_after_its_caller_was_cancelled() -> None:
    begun = asyncio.Event()

    async def work() -> None:
        begun.set()
        await asyncio.Event().wait()

    task = asyncio.ensure_future(run_to_completion(work(), within_s=0.01))
    async with asyncio.timeout(WITHIN_S):
        await begun.wait()
        task.cancel()
        await asyncio.wait([task])
    assert task.cancelled()


async def test_X5_a_task_that_lost_its_cancellation_is_cancelled_again() -> None:
    begun = asyncio.Event()

    async def work() -> None:
        begun.set()
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        await asyncio.Event().wait()

    task = asyncio.create_task(work())
    async with asyncio.timeout(WITHIN_S):
        await begun.wait()
        await end_tasks([task], repeat_s=0.01)
    assert task.cancelled()
