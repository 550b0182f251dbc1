"""Rate limits: token buckets, which allow bursts.

Not the limits library: its strategies are windows, not token buckets, and it brings dependencies for what is forty
lines here.
"""

import math
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from hashlib import sha256

from sprout.errors import TooManyRequests

KIND_REQUESTS = "requests"
MAX_BUCKETS = 10_000  # beyond that, full buckets are dropped
MESSAGES = {
    KIND_REQUESTS: "Too many requests. Try again in {seconds} s.",
    "runs": "Too many runs started. Try again in {seconds} s.",
    "mails": "Too many e-mails to this address or account. Try again in {seconds} s.",
    "sign_ins": "Too many attempts to sign in. Try again in {seconds} s.",
    "uploads": "Daily upload limit reached. Try again in {seconds} s.",
}

TakeToken = Callable[[str, float, int], Awaitable[float]]
"""Takes a token of a named bucket, which gets so many per second and holds so many: 0, or seconds until it has one."""


@dataclass(frozen=True, slots=True)
class RateLimit:
    """`burst` at once, and after that one each `1 / per_s` seconds."""

    per_s: float
    burst: int


@dataclass(slots=True)
class _Bucket:
    tokens: float
    counted_at: float
    per_s: float
    burst: int

    def refill(self, now: float) -> None:
        self.tokens = min(float(self.burst), self.tokens + (now - self.counted_at) * self.per_s)
        self.counted_at = now


class LocalBuckets:
    """The token buckets of one process."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._buckets: dict[str, _Bucket] = {}

    def __len__(self) -> int:
        return len(self._buckets)

    async def take(self, name: str, per_s: float, burst: int) -> float:
        """A TakeToken."""
        now = self._clock()
        bucket = self._buckets.setdefault(name, _Bucket(burst, now, per_s, burst))
        bucket.refill(now)
        if bucket.tokens < 1:
            return (1 - bucket.tokens) / per_s
        bucket.tokens -= 1
        if len(self._buckets) > MAX_BUCKETS:
            self._drop_full(now)
        return 0

    def give_back(self, name: str) -> None:
        """Undo a take that has succeeded."""
        if (bucket := self._buckets.get(name)) is not None:
            bucket.tokens = min(float(bucket.burst), bucket.tokens + 1)

    def _drop_full(self, now: float) -> None:
        for bucket in self._buckets.values():
            bucket.refill(now)
        self._buckets = {name: bucket for name, bucket in self._buckets.items() if bucket.tokens < bucket.burst}


class RateLimiter:
    """A limit per key, such as an address or a learner; `kind` is one of `MESSAGES`."""

    def __init__(self, kind: str, limit: RateLimit | None, take: TakeToken) -> None:
        self._kind, self._limit, self._take = kind, limit, take

    async def take(self, key: str) -> None:
        """Take a token. Raises TooManyRequests with the time until there is one."""
        if self._limit is None:
            return
        wait_s = await self._take(f"{self._kind}:{key}", self._limit.per_s, self._limit.burst)
        if wait_s > 0:
            message, code = MESSAGES[self._kind], f"too_many_{self._kind}"
            raise TooManyRequests(message, retry_after_s=wait_s, code=code, seconds=math.ceil(wait_s))


class RequestLimiter:
    """The limit of requests: of an account where one sends them, of an address otherwise, since a whole school may come
    from one address. Each process counts for itself.

    Who sends a request is known only after a look into the database, so its address is charged first, and gets that
    back once an account is.
    """

    def __init__(self, limit: RateLimit | None) -> None:
        self._buckets = LocalBuckets()
        self._limiter = RateLimiter(KIND_REQUESTS, limit, self._buckets.take)

    async def take(self, address: str) -> None:
        """Charge the address. Raises TooManyRequests."""
        await self._limiter.take(address)

    async def charge_account(self, user_id: str, *, address: str) -> None:
        """Charge the account in place of the address. Raises TooManyRequests."""
        self._buckets.give_back(f"{KIND_REQUESTS}:{address}")
        await self._limiter.take(f"account {user_id}")


class SignInThrottle:
    """Attempts to sign in: few for an account from one address, more for the account from all addresses, so that
    others can hardly lock an account out, and as many for an address as a class needs.

    Args:
        take: of buckets that all processes share.
    """

    def __init__(self, take: TakeToken | None = None) -> None:
        take = take or LocalBuckets().take
        self._pair = RateLimiter("sign_ins", RateLimit(per_s=1 / 30, burst=10), take)
        self._account = RateLimiter("sign_ins", RateLimit(per_s=1 / 20, burst=50), take)
        self._address = RateLimiter("sign_ins", RateLimit(per_s=1, burst=100), take)

    async def take(self, account: str, address: str) -> None:
        """Count an attempt; without an account, for the address alone. Raises TooManyRequests."""
        if account:
            hidden = sha256(account.encode("utf-8", "replace")).hexdigest()  # names stand in no log and no other store
            await self._pair.take(f"{hidden}@{address}")
            await self._account.take(hidden)
        await self._address.take(f"@{address}")


def mail_limiter(take: TakeToken | None = None) -> RateLimiter:
    """The limit of mails to one account or address: five at once, then one each ten minutes."""
    return RateLimiter("mails", RateLimit(per_s=1 / 600, burst=5), take or LocalBuckets().take)


class RateLimiters:
    """All rate limiters; None is without limit.

    Args:
        take: of the buckets of learners, which all processes share.
    """

    def __init__(
        self,
        *,
        requests: RateLimit | None = None,
        runs: RateLimit | None = None,
        uploads: RateLimit | None = None,
        take: TakeToken | None = None,
    ) -> None:
        local = LocalBuckets()
        self.requests = RequestLimiter(requests)
        self.runs = RateLimiter("runs", runs, take or local.take)  # per learner, like uploads
        self.uploads = RateLimiter("uploads", uploads, take or local.take)
