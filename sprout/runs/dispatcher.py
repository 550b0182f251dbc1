"""Dispatcher: wakes lanes and runs. Wake-ups may get lost, since the sweep finds every lane that was not woken."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol

Advance = Callable[[str], Awaitable[None]]


class Transaction(Protocol):
    """The store's transaction in which a lane is woken."""

    @property
    def connection(self) -> object:
        """The store's connection, so that a queue in the same database can write in the same transaction."""
        ...

    def after_commit(self, callback: Callable[[], None]) -> None:
        """Call this on the event loop once the transaction is committed."""
        ...


class Dispatcher(Protocol):
    """Wakes lanes and runs. Wake-ups may be lost or doubled: a surplus claim finds nothing."""

    def running(self, advance: Advance, refresh: Callable[[str], None]) -> AbstractAsyncContextManager[None]:
        """Process wake-ups while this is open; on exit, wait for those under way.

        Args:
            advance: claims and starts the next run of a lane.
            refresh: reads the row of a run again, if it is executed here.
        """
        ...

    def wake_lane(self, lane: str, transaction: Transaction) -> None:
        """Have a worker advance the lane, if the transaction is committed."""
        ...

    def wake_run(self, run_id: str) -> None:
        """Have the worker of the run refresh it."""
        ...

    def every(self, seconds: float, job: Callable[[], Awaitable[None]]) -> None:
        """Repeat a job at this interval while `running` is open. A failure is logged, and the job goes on."""
        ...

    async def drain(self) -> None:
        """Take no more wake-ups, and wait for those under way."""
        ...
