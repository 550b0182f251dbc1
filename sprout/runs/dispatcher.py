"""The Protocol of who wakes whom: lossy too, since the reconciler finds whatever was not woken."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol

Advance = Callable[[str], Awaitable[None]]


class Transaction(Protocol):
    """A transaction under way; an engine that lives in the same database may know more of it."""

    def after_commit(self, callback: Callable[[], None]) -> None:
        """Call this on the event loop once the transaction is committed."""
        ...


class Dispatcher(Protocol):
    """Wakes lanes and nudges runs. Everything may be lost or doubled: a surplus claim gets nothing."""

    def started(self, advance: Advance, look: Callable[[str], None]) -> AbstractAsyncContextManager[None]:
        """Carry out wake-ups as long as this is open; at its end those under way have ended.

        Args:
            advance: claims what is to go on in a lane and begins it.
            look: looks at a run's row again, if it is carried here.
        """
        ...

    def wake(self, lane: str, transaction: Transaction) -> None:
        """Have somebody advance the lane, if the transaction is committed."""
        ...

    def nudge(self, run_id: str) -> None:
        """Have whoever carries the run look at its row."""
        ...

    def every(self, seconds: float, job: Callable[[], Awaitable[None]]) -> None:
        """Do a job again and again from now on, as long as `started` is open. A job that fails is logged and tried
        again at its next time."""
        ...

    async def drain(self) -> None:
        """Take no more wake-ups, and wait for those under way."""
        ...
