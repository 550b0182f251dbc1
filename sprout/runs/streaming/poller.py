"""Log poller: the fallback for lost bus messages. One query every few seconds serves all streams of the process."""

import asyncio
import logging
import random
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

from sprout.errors import DatabaseUnavailable
from sprout.runs.cancellation import end_tasks, raise_if_cancelled
from sprout.runs.run_store import LogEnd, RunStore
from sprout.runs.streaming.bus import BusMessage, Overflow, Tail
from sprout.runs.streaming.cursor import LogCursor

log = logging.getLogger(__name__)

POLL_INTERVAL_S = 2.0
STREAM_LIFETIME_S = 3600.0
STREAM_LIFETIME_JITTER = 0.1  # streams that were opened together do not all end together


@dataclass(slots=True, eq=False)
class Subscription:
    """A stream that the poller watches: it is interrupted when a log has grown past its cursor, and at its deadline.

    Args:
        cursors: by root run; the stream may change it.
        deadline_s: the end of its lifetime, on the event loop's clock.
        user_id: the learner whose new root runs belong to the stream, if any.
        due: whether the stream has to read the log: at its start, and when the poller or the bus says so.
        expired: whether its deadline has passed.
    """

    tail: Tail
    cursors: Mapping[str, LogCursor]
    deadline_s: float
    user_id: str | None = None
    due: bool = True
    expired: bool = False

    async def next_batch(self) -> list[BusMessage]:
        """All pending messages as soon as there are any; none after an interrupt. Lost messages make a read due.

        Raises BusClosed.
        """
        try:
            return await self.tail.receive()
        except Overflow:
            self.due = True
            return []

    def is_behind(self, ends: Mapping[str, LogEnd], unfinished: Mapping[str, Collection[str]]) -> bool:
        """Whether a log is longer than its cursor says, is gone, or belongs to a run that the stream lacks."""
        for root_id, cursor in self.cursors.items():
            end = ends.get(root_id)
            if end is None or end.last_seq > cursor.seq:
                return True
        return self.user_id is not None and any(one not in self.cursors for one in unfinished.get(self.user_id, ()))


class LogPoller:
    """Polls the log ends for all streams of the process at once, so that an idle stream costs almost nothing."""

    def __init__(
        self, store: RunStore, *, interval_s: float = POLL_INTERVAL_S, lifetime_s: float = STREAM_LIFETIME_S
    ) -> None:
        self._store = store
        self._interval_s = interval_s
        self._lifetime_s = lifetime_s
        self._subscriptions: dict[Subscription, None] = {}  # in the order of arrival
        self._task: asyncio.Task[None] | None = None

    def stream_deadline_s(self) -> float:
        """The deadline of a stream that begins now, on the event loop's clock."""
        return asyncio.get_running_loop().time() + self._lifetime_s * random.uniform(1 - STREAM_LIFETIME_JITTER, 1)

    @asynccontextmanager
    async def polling(self, subscription: Subscription) -> AsyncIterator[None]:
        """Watch a subscription; the first one starts the polling task, and the last one ends it."""
        self._subscriptions[subscription] = None
        if self._task is None:
            self._task = asyncio.create_task(self._poll_forever())
        try:
            yield
        finally:
            self._subscriptions.pop(subscription, None)
            if not self._subscriptions and self._task is not None:
                task, self._task = self._task, None
                await end_tasks([task])

    async def _poll_forever(self) -> None:
        while True:
            await asyncio.sleep(self._interval_s)
            try:
                await self._poll()
            except DatabaseUnavailable:
                log.debug("streams.poll_postponed")  # the database reports its own loss
            except Exception:  # all streams depend on this task, and the next poll may succeed
                log.exception("streams.poll_failed")
            raise_if_cancelled()

    async def _poll(self) -> None:
        now_s = asyncio.get_running_loop().time()
        for subscription in self._subscriptions:
            if now_s >= subscription.deadline_s:
                subscription.expired = True
                subscription.tail.interrupt()
        roots = {root_id for subscription in self._subscriptions for root_id in subscription.cursors}
        users = {one.user_id for one in self._subscriptions if one.user_id is not None}
        ends = {end.root_id: end for end in await self._store.log_ends(roots, users)}
        unfinished: dict[str, list[str]] = {}
        for end in ends.values():
            if end.unfinished:
                unfinished.setdefault(end.user_id, []).append(end.root_id)
        for subscription in list(self._subscriptions):
            # A cursor that was added during the query seems to be behind: its stream reads once too often.
            if subscription.is_behind(ends, unfinished):
                subscription.due = True
                subscription.tail.interrupt()
