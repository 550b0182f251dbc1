"""Broadcast wake-up. Waiters also poll every 2 s, so a lost signal only adds latency."""

import asyncio
from contextlib import suppress

POLL_S = 2.0


class Wakeup:
    """Wakes all waiters at once.

    A waiter takes `next_signal` first, then checks its condition, then waits: so no change in between is missed.
    """

    def __init__(self) -> None:
        self._next = asyncio.Event()

    def notify(self) -> None:
        self._next.set()
        self._next = asyncio.Event()

    @property
    def next_signal(self) -> asyncio.Event:
        return self._next


async def wait_or_poll(signal: asyncio.Event) -> None:
    """Wait for the signal, at most until the next poll is due."""
    with suppress(TimeoutError):
        async with asyncio.timeout(POLL_S):
            await signal.wait()
