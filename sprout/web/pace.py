"""How often somebody may do something: token buckets, so that a burst is fine and a flood is not."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from sprout.errors import TooMany

KEPT = 10_000  # buckets of one sort; of more, those that are full again are forgotten
TOO_FAST = {
    "requests": "So many requests are more than this server takes at once. Wait {wait} s, and go on more slowly.",
    "runs": "Runs were begun faster than this server takes them. Try again in {wait} s.",
    "uploads": "As much was uploaded as may be on a day. Try again in {wait} s.",
}


@dataclass(frozen=True, slots=True)
class Allowance:
    """So many at once, and after that one more each `1 / per_s` seconds."""

    per_s: float
    burst: int


class Buckets:
    """What is left for each who does the same sort of thing, such as each address; `what` is one of `TOO_FAST`."""

    def __init__(self, what: str, pace: Allowance | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._says = TOO_FAST[what]
        self._pace = pace
        self._clock = clock
        self._left: dict[str, tuple[float, float]] = {}  # by whose it is: how many, and when that was

    def __len__(self) -> int:
        return len(self._left)

    def take(self, whose: str) -> None:
        """Take one. Raises TooMany, with the time until there is one, where none is left."""
        if self._pace is None:
            return
        now = self._clock()
        left = self._left_at(whose, now)
        if left < 1:
            wait_s = (1 - left) / self._pace.per_s
            raise TooMany(self._says.format(wait=math.ceil(wait_s)), retry_after_s=wait_s)
        self._left[whose] = (left - 1, now)
        if len(self._left) > KEPT:
            self._left = {one: kept for one, kept in self._left.items() if self._left_at(one, now) < self._pace.burst}

    def _left_at(self, whose: str, now: float) -> float:
        assert self._pace is not None
        left, at = self._left.get(whose, (float(self._pace.burst), now))
        return min(float(self._pace.burst), left + (now - at) * self._pace.per_s)


class Paces:
    """The buckets of this process; a pace of None lets everything through."""

    def __init__(
        self, *, requests: Allowance | None = None, runs: Allowance | None = None, uploads: Allowance | None = None
    ) -> None:
        self.requests = Buckets("requests", requests)  # by address
        self.runs = Buckets("runs", runs)  # by learner, as are uploads
        self.uploads = Buckets("uploads", uploads)
