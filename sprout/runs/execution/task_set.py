"""Task set: background tasks and the owner that waits for them."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from sprout.runs.cancellation import end_tasks

T = TypeVar("T")


class TaskSet:
    """Running tasks in the order of their start; a task leaves the set when it is done.

    Unlike in a `TaskGroup`, a task that fails does not cancel the others.
    """

    def __init__(self) -> None:
        self._tasks: dict[asyncio.Task[Any], None] = {}

    def start(self, coroutine: Coroutine[Any, Any, T], *, name: str | None = None) -> asyncio.Task[T]:
        task = asyncio.create_task(coroutine, name=name)
        self._tasks[task] = None
        task.add_done_callback(self._discard)
        return task

    async def wait(self) -> None:
        """Wait for the tasks that are running now."""
        if self._tasks:
            await asyncio.wait(list(self._tasks))

    async def cancel(self) -> None:
        """Cancel the tasks, also those that are started meanwhile, and wait until none is left."""
        while self._tasks:
            await end_tasks(self._tasks)

    def _discard(self, task: asyncio.Task[Any]) -> None:
        self._tasks.pop(task, None)
