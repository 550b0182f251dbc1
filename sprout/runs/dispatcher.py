"""Dispatcher: wakes lanes and runs. Wake-ups may get lost, since the sweep finds every lane that was not woken."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

Advance = Callable[[str], Awaitable[asyncio.Event | None]]
"""Claims and starts the next run of a lane; the event is set once that run works here no longer."""


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
            refresh: reads the row of a run again, if it is executed here.
        """
        ...

    def wake_lane(self, lane: str, transaction: Transaction) -> None:
        """Have a worker advance the lane, if the transaction is committed."""
        ...

    def wake_run(self, run_id: str, transaction: Transaction) -> None:
        """Have the worker of the run refresh it, if the transaction is committed."""
        ...

    async def advance_all(self, lanes: Sequence[str]) -> None:
        """Have workers advance these lanes, in which runs wait to be claimed. Raises what that raises."""
        ...

    def every(self, seconds: float, job: Callable[[], Awaitable[None]]) -> None:
        """Repeat a job in this process at this interval while `running` is open. A failure is logged, and the job goes
        on."""
        ...

    def stop(self) -> None:
        """Have no more lanes advanced in this process."""
        ...
