"""Stop of a run: requested from outside, honoured by the loop where nothing is lost."""

import asyncio
from collections.abc import Awaitable, Coroutine
from typing import TypeVar

T = TypeVar("T")


class Stopped(Exception):
    """A guarded wait was left because a stop was requested."""


class Stop:
    """Request to stop a run. Waits that may be left at once go through `guard`; everything else finishes."""

    def __init__(self) -> None:
        self.requested = False
        self._guarded: set[asyncio.Task[object]] = set()

    def request(self) -> None:
        """Request the stop; a second request changes nothing."""
        if not self.requested:
            self.requested = True
            for task in self._guarded:
                task.cancel()

    async def guard(self, awaitable: Awaitable[T]) -> T:
        """The awaitable's result. Raises Stopped as soon as a stop is requested; the awaitable is cancelled then."""
        task = asyncio.current_task()
        assert task is not None, "guard is awaited inside a task"
        if self.requested:
            if isinstance(awaitable, Coroutine):
                awaitable.close()
            raise Stopped
        self._guarded.add(task)
        try:
            return await awaitable
        except asyncio.CancelledError:
            if self._is_ours(task):
                raise Stopped from None
            raise
        finally:
            self._guarded.discard(task)

    def _is_ours(self, task: asyncio.Task[object]) -> bool:
        """Whether a cancellation came from `request` alone, and not from the owner of the task as well."""
        return self.requested and task.uncancel() == 0
