"""Rate limits: token buckets, which allow bursts.

Not the limits library: its strategies are windows, not token buckets, and it brings dependencies for what is forty
lines here.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from sprout.errors import TooManyRequests

MAX_BUCKETS = 10_000  # per limiter; beyond that, full buckets are dropped
MESSAGES = {
    "requests": "Too many requests. Try again in {seconds} s.",
    "runs": "Too many runs started. Try again in {seconds} s.",
    "uploads": "Daily upload limit reached. Try again in {seconds} s.",
}


@dataclass(frozen=True, slots=True)
class RateLimit:
    """`burst` at once, and after that one each `1 / per_s` seconds."""

    per_s: float
    burst: int


class RateLimiter:
    """A token bucket per key, such as an address or a learner; `kind` is one of `MESSAGES`."""

    def __init__(self, kind: str, limit: RateLimit | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._message, self._code = MESSAGES[kind], f"too_many_{kind}"
        self._limit = limit
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}  # by key: tokens, and when they were counted

    def __len__(self) -> int:
        return len(self._buckets)

    def take(self, key: str) -> None:
        """Take a token. Raises TooManyRequests with the time until there is one."""
        if self._limit is None:
            return
        now = self._clock()
        left = self._tokens_at(key, now)
        if left < 1:
            wait_s = (1 - left) / self._limit.per_s
            raise TooManyRequests(self._message, retry_after_s=wait_s, code=self._code, seconds=math.ceil(wait_s))
        self._buckets[key] = (left - 1, now)
        if len(self._buckets) > MAX_BUCKETS:
            self._buckets = {
                other: bucket
                for other, bucket in self._buckets.items()
                if self._tokens_at(other, now) < self._limit.burst
            }

    def _tokens_at(self, key: str, now: float) -> float:
        assert self._limit is not None
        left, at = self._buckets.get(key, (float(self._limit.burst), now))
        return min(float(self._limit.burst), left + (now - at) * self._limit.per_s)


class RateLimiters:
    """The rate limiters of this process; None is without limit."""

    def __init__(
        self, *, requests: RateLimit | None = None, runs: RateLimit | None = None, uploads: RateLimit | None = None
    ) -> None:
        self.requests = RateLimiter("requests", requests)  # per address
        self.runs = RateLimiter("runs", runs)  # per learner, like uploads
        self.uploads = RateLimiter("uploads", uploads)
