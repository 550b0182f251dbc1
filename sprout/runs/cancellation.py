"""Ends of tasks. A library may lose a cancellation, as databases' clients do where a connection breaks meanwhile."""

import asyncio
from collections.abc import Iterable
from typing import Any

REPEAT_S = 5.0


def raise_if_cancelled() -> None:
    """To be called where a loop goes on after an error. Raises CancelledError: the current task was asked to end."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


async def end_tasks(tasks: Iterable[asyncio.Task[Any]], *, repeat_s: float = REPEAT_S) -> None:
    """Cancel tasks and wait until they have ended; what they raise is ignored.

    Args:
        repeat_s: after which those that go on are cancelled again: the cancellation was lost, or what a task does
            to end waits for a server that has fallen silent.
    """
    ended = going = set(tasks)
    while going:
        for task in going:
            task.cancel()
        _, going = await asyncio.wait(going, timeout=repeat_s)
    await asyncio.gather(*ended, return_exceptions=True)
