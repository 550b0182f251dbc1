"""Whether a run is at work or only waits: a crash counts against those alone that could have caused it (B4, P10)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Protocol

from sprout.loop.stop import Stop, Stopped
from sprout.runs.nudge import Nudge
from sprout.runs.state import Run


class Rests(Protocol):
    """Keeps who only waits; a RunStore fits."""

    async def rest(self, run: Run, *, resting: bool) -> None:
        """Raises NotFound, RunAlreadyEnded, Fenced."""
        ...


class Suspects:
    """Has runs that were at work in a crash go on so that the next one tells more of them.

    Many may go at once, but never beside one that another crash would end: that one goes alone among them, so that it
    is not ended for what another has done.
    """

    def __init__(self) -> None:
        self._together = 0
        self._one_is_alone = False
        self._changed = Nudge()

    async def turn(self, *, alone: bool) -> None:
        """Wait for one's turn, to be ended by `end_turn`."""
        while self._one_is_alone or (alone and self._together):
            await self._changed.next_one.wait()
        if alone:
            self._one_is_alone = True
        else:
            self._together += 1

    def end_turn(self, *, alone: bool) -> None:
        if alone:
            self._one_is_alone = False
        else:
            self._together -= 1
        self._changed.give()


class AtWork:
    """Keeps in the row of a run whether it only waits: a suspect does when it is claimed, all others do not."""

    def __init__(self, store: Rests, run: Run, suspects: Suspects) -> None:
        self._store = store
        self._run = run
        self._suspects = suspects
        self._in_turn = False

    async def begin(self, stop: Stop) -> None:
        """Come back at once; a suspect in its turn, or when it shall stop."""
        if not self._run.suspect:
            return
        with suppress(Stopped):
            await stop.guard(self._suspects.turn(alone=self._run.last_chance))
            self._in_turn = True
        await self._store.rest(self._run, resting=False)

    @asynccontextmanager
    async def waiting(self) -> AsyncIterator[None]:
        """While this is held the run does nothing but wait, and being cut off is no crash of it.

        Whoever leaves by an exception is not at work either. Raises Fenced, RunAlreadyEnded.
        """
        await self._store.rest(self._run, resting=True)
        yield
        await self._store.rest(self._run, resting=False)

    def end_turn(self) -> None:
        """It has come further, goes to wait for others, or is over: nobody has to wait for it."""
        if self._in_turn:
            self._in_turn = False
            self._suspects.end_turn(alone=self._run.last_chance)
