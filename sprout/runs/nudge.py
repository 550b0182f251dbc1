"""Waiting for something to change, for any number of waiters; a nudge that gets lost costs a moment."""

import asyncio
from contextlib import suppress

POLL_S = 2.0


class Nudge:
    """Wakes everybody who waits when something has changed.

    Whoever waits takes `next_one` first, then looks, then waits: so nothing that changes in between is missed.
    """

    def __init__(self) -> None:
        self._next = asyncio.Event()

    def give(self) -> None:
        self._next.set()
        self._next = asyncio.Event()

    @property
    def next_one(self) -> asyncio.Event:
        return self._next


async def nudged_or_due(nudge: asyncio.Event) -> None:
    """Wait for the nudge, or until it is time to look again all the same."""
    with suppress(TimeoutError):
        async with asyncio.timeout(POLL_S):
            await nudge.wait()
