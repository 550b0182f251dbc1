"""Crash guard: a crash counts only against runs that could have caused it, not against idle ones."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Protocol

from sprout.loop.stop import Stop, Stopped
from sprout.runs.execution.wakeup import Wakeup
from sprout.runs.state import Run


class IdleStore(Protocol):
    """The part of the RunStore that the crash guard needs."""

    async def set_idle(self, run: Run, *, idle: bool) -> None:
        """Raises NotFound, RunAlreadyEnded, Fenced."""
        ...


class CrashQuarantine:
    """Serialises crash suspects, so that the next crash identifies the culprit.

    Suspects run in parallel, but a suspect on its last chance runs alone among them, so that it is not failed for a
    crash that another suspect has caused.
    """

    def __init__(self) -> None:
        self._shared = 0
        self._exclusive = False
        self._changed = Wakeup()

    async def enter(self, *, alone: bool) -> None:
        """Wait for a turn; `leave` ends it."""
        while self._exclusive or (alone and self._shared):
            await self._changed.next_signal.wait()
        if alone:
            self._exclusive = True
        else:
            self._shared += 1

    def leave(self, *, alone: bool) -> None:
        if alone:
            self._exclusive = False
        else:
            self._shared -= 1
        self._changed.notify()


class CrashGuard:
    """Keeps the `idle` flag in the row of a run. A suspect is idle when it is claimed, any other run is not.

    Args:
        on_idle: called when the run begins to wait for its children.
    """

    def __init__(
        self, store: IdleStore, run: Run, quarantine: CrashQuarantine, on_idle: Callable[[], None] = lambda: None
    ) -> None:
        self._store = store
        self._run = run
        self._quarantine = quarantine
        self._on_idle = on_idle
        self._in_turn = False

    async def wait_turn(self, stop: Stop) -> None:
        """Return at once; for a suspect, when its turn has come or it is cancelled."""
        if not self._run.suspect:
            return
        with suppress(Stopped):
            await stop.guard(self._quarantine.enter(alone=self._run.last_chance))
            self._in_turn = True
        await self._store.set_idle(self._run, idle=False)

    @asynccontextmanager
    async def idle(self) -> AsyncIterator[None]:
        """Mark the run as idle while this is held: a crash then does not count against it.

        After an exception the run stays idle. Raises Fenced, RunAlreadyEnded.
        """
        await self._store.set_idle(self._run, idle=True)
        self._on_idle()
        yield
        await self._store.set_idle(self._run, idle=False)

    def release(self) -> None:
        """End its turn among the suspects: it has made progress, waits for others, or is over."""
        if self._in_turn:
            self._in_turn = False
            self._quarantine.leave(alone=self._run.last_chance)
