"""The look at the log that covers lost news: one every few seconds, for all readers together."""

import asyncio
import logging
import random
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

from sprout.runs.bus import News, Overflow, Tail
from sprout.runs.log import LogEnd
from sprout.runs.root_reader import RootReader

log = logging.getLogger(__name__)

LOOK_EVERY_S = 2.0
LIFE_S = 3600.0
LIFE_SPREAD = 0.1  # streams that were opened together do not all end together


class LogEnds(Protocol):
    async def log_ends(self, root_ids: Collection[str], user_ids: Collection[str]) -> Sequence[LogEnd]:
        """How far the logs of these root runs go, and of every unfinished root run of these learners."""
        ...


@dataclass(slots=True, eq=False)
class Vigil:
    """What is watched for one stream: it is nudged when a log goes past its reader, and when its life is over.

    Args:
        readers: by root run; the stream may change it.
        until_s: when its life is to end, on the event loop's clock.
        user_id: the learner whose new root runs it is to be told of, if it is.
        over: whether its life has ended.
        due: whether the stream is to look at the log: at its beginning, and when the watch or the bus says so.
    """

    tail: Tail
    readers: Mapping[str, RootReader]
    until_s: float
    user_id: str | None = None
    due: bool = True
    over: bool = False

    async def next_batch(self) -> list[News]:
        """All that waits as soon as something does; nothing after a nudge. What got lost makes a look due.

        Raises BusClosed.
        """
        try:
            return await self.tail.batch()
        except Overflow:
            self.due = True
            return []

    def misses_some(self, ends: Mapping[str, LogEnd], unfinished: Mapping[str, Collection[str]]) -> bool:
        """Whether a log goes further than its reader, is gone, or is of a run that the stream has not heard of."""
        gone = LogEnd("", "", 0)
        for root_id, reader in self.readers.items():
            end = ends.get(root_id, gone)
            if end is gone or end.last_seq > reader.cursor:
                return True
        return self.user_id is not None and any(one not in self.readers for one in unfinished.get(self.user_id, ()))


class LogWatch:
    """Looks for all streams of the process at once, so that a stream that hears nothing costs next to nothing."""

    def __init__(self, store: LogEnds, *, every_s: float = LOOK_EVERY_S, life_s: float = LIFE_S) -> None:
        self._store = store
        self._every_s = every_s
        self._life_s = life_s
        self._vigils: dict[Vigil, None] = {}  # in the order of arrival
        self._looking: asyncio.Task[None] | None = None

    def end_of_life_s(self) -> float:
        """When a stream that begins now has to end, on the event loop's clock."""
        return asyncio.get_running_loop().time() + self._life_s * random.uniform(1 - LIFE_SPREAD, 1)

    @asynccontextmanager
    async def over(self, vigil: Vigil) -> AsyncIterator[None]:
        """Keep this vigil; the first one starts the looking and the last one ends it."""
        self._vigils[vigil] = None
        if self._looking is None:
            self._looking = asyncio.create_task(self._look_again_and_again())
        try:
            yield
        finally:
            self._vigils.pop(vigil, None)
            if not self._vigils and self._looking is not None:
                looking, self._looking = self._looking, None
                looking.cancel()
                await asyncio.gather(looking, return_exceptions=True)

    async def _look_again_and_again(self) -> None:
        while True:
            await asyncio.sleep(self._every_s)
            try:
                await self._look()
            except Exception:  # it looks for all streams, and the next look may find what this one did not
                log.exception("streams.log_not_read")

    async def _look(self) -> None:
        now_s = asyncio.get_running_loop().time()
        for vigil in self._vigils:
            if now_s >= vigil.until_s:
                vigil.over = True
                vigil.tail.nudge()
        roots = {root_id for vigil in self._vigils for root_id in vigil.readers}
        users = {vigil.user_id for vigil in self._vigils if vigil.user_id is not None}
        ends = {end.root_id: end for end in await self._store.log_ends(roots, users)}
        unfinished: dict[str, list[str]] = {}
        for end in ends.values():
            if end.unfinished:
                unfinished.setdefault(end.user_id, []).append(end.root_id)
        for vigil in list(self._vigils):
            # A reader that came meanwhile was not asked for: its stream looks once for nothing.
            if vigil.misses_some(ends, unfinished):
                vigil.due = True
                vigil.tail.nudge()
