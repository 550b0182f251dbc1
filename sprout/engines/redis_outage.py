"""Outage of Redis as one task sees it: exponential backoff with jitter, and a log line at its begin and end."""

import asyncio
import logging
import random

from sprout.engines.redis_server import EXPECTED
from sprout.runs.cancellation import raise_if_cancelled

log = logging.getLogger(__name__)

FIRST_WAIT_S, LONGEST_WAIT_S = 0.05, 2.0


class Outage:
    """Outages of a task, one after the other.

    Args:
        part: what fails, for the log.
    """

    def __init__(self, part: str) -> None:
        self._part = part
        self._wait_s = FIRST_WAIT_S
        self._lasts = False

    async def wait(self, error: Exception) -> None:
        """Wait before the next attempt, twice as long as before the last one, up to a bound."""
        raise_if_cancelled()
        if not isinstance(error, EXPECTED):
            log.error("redis.bug", extra={"kind": self._part}, exc_info=error)
        elif not self._lasts:
            log.warning("redis.lost", extra={"kind": self._part, "reason": repr(error)})
        self._lasts = True
        await asyncio.sleep(self._wait_s * random.uniform(0.5, 1.0))
        self._wait_s = min(2 * self._wait_s, LONGEST_WAIT_S)

    def end(self) -> None:
        """Note that an attempt has succeeded."""
        if self._lasts:
            log.warning("redis.back", extra={"kind": self._part})
        self._lasts = False
        self._wait_s = FIRST_WAIT_S
