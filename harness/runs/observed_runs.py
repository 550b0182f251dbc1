"""Observed runs: the real runs, with the number of open streams and the runs that were asked to stop."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from typing import TypeVar

from sprout.runs.live_runs import LiveRuns
from sprout.runs.state import Run
from sprout.runs.streaming.bus import BusMessage
from sprout.runs.streaming.multiplex import TaggedEvent

Batched = TypeVar("Batched")


class ObservedRuns:
    """The real runs, and how many streams are open, and which runs were asked to stop."""

    def __init__(self, live: LiveRuns) -> None:
        self._live = live
        self._changed = asyncio.Event()
        self._followers: dict[str, int] = {}
        self._asked_to_stop: set[str] = set()
        self.start, self.run, self.runs, self.latest = live.start, live.run, live.runs, live.latest
        self.handoff, self.answer, self.resume, self.run_of_key = (
            live.handoff,
            live.answer,
            live.resume,
            live.run_of_key,
        )
        self.retry, self.discard, self.cancel_all = live.retry, live.discard, live.cancel_all

    async def follow(self, root_id: str, *, after: int = 0) -> AsyncIterator[list[BusMessage]]:
        async with self._counted(root_id, self._live.follow(root_id, after=after)) as batches:
            async for batch in batches:
                yield batch

    async def follow_to_end(self, root_id: str) -> AsyncIterator[list[BusMessage]]:
        async with self._counted(root_id, self._live.follow_to_end(root_id)) as batches:
            async for batch in batches:
                yield batch

    async def follow_learner(
        self, user_id: str, cursors: Mapping[str, int] | None, *, live: bool = True
    ) -> AsyncIterator[list[TaggedEvent]]:
        async with self._counted(user_id, self._live.follow_learner(user_id, cursors, live=live)) as batches:
            async for batch in batches:
                yield batch

    async def cancel(self, run_id: str, *, user_id: str) -> Run:
        try:
            return await self._live.cancel(run_id, user_id=user_id)
        finally:
            self._asked_to_stop.add(run_id)
            self._wake()

    def followers(self, root_id: str) -> int:
        return self._followers.get(root_id, 0)

    async def until_followers(self, root_id: str, count: int) -> None:
        while self.followers(root_id) != count:
            await self._changed.wait()

    async def until_asked_to_stop(self, run_id: str) -> None:
        while run_id not in self._asked_to_stop:
            await self._changed.wait()

    @asynccontextmanager
    async def _counted(
        self, followed: str, batches: AsyncGenerator[list[Batched], None]
    ) -> AsyncIterator[AsyncGenerator[list[Batched], None]]:
        self._follows(followed, 1)
        try:
            async with aclosing(batches):
                yield batches
        finally:
            self._follows(followed, -1)

    def _follows(self, followed: str, change: int) -> None:
        self._followers[followed] = self.followers(followed) + change
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()
