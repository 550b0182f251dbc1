"""Which failure of the model leads to which next step: the one table of retries."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from sprout.errors import ModelFailure, ModelFailureKind
from sprout.loop.policy import LoopPolicy

OVERLOAD_SCHEDULE = frozenset(
    {
        ModelFailureKind.OVERLOADED,
        ModelFailureKind.SERVER_ERROR,
        ModelFailureKind.UNREACHABLE,
        ModelFailureKind.CUT,
        ModelFailureKind.STALLED,
    }
)


@dataclass(frozen=True, slots=True)
class Retry:
    """Try again after `delay_s`; this is attempt `attempt` of at most `of` retries."""

    attempt: int
    of: int
    delay_s: float


@dataclass(frozen=True, slots=True)
class Switch:
    """Go on with another model, at once."""

    model: str


class Recovery:
    """Counts the failures of one run's model calls in a row and says what comes next."""

    def __init__(
        self, policy: LoopPolicy, *, fallback_model: str | None = None, clock: Callable[[], float] = monotonic
    ) -> None:
        self._policy = policy
        self._fallback = fallback_model
        self._clock = clock
        self._switched_at_s: float | None = None
        self.answered()

    def cooled_down(self) -> bool:
        """Whether the first model has been spared long enough to be tried again; then it is, once."""
        if self._switched_at_s is None or self._clock() - self._switched_at_s < self._policy.fallback_cooldown_s:
            return False
        self._switched_at_s = None
        return True

    def answered(self) -> None:
        """A whole reply came: all counts start afresh."""
        self._rate_limits = self._overloads = self._in_a_row = 0

    def after(self, failure: ModelFailure) -> Retry | Switch | None:
        """The next step after a failure; None means give up."""
        policy = self._policy
        if failure.kind is ModelFailureKind.RATE_LIMITED:
            self._rate_limits += 1
            scheduled = policy.rate_limit_base_s * 2 ** (self._rate_limits - 1)
            return self._retry(self._rate_limits, policy.rate_limit_retries, failure, scheduled)
        if failure.kind not in OVERLOAD_SCHEDULE:
            return None
        self._in_a_row = self._in_a_row + 1 if failure.kind is ModelFailureKind.OVERLOADED else 0
        tired = self._switched_at_s is None and self._in_a_row >= policy.overloads_before_fallback
        if self._fallback is not None and tired:
            self._switched_at_s = self._clock()
            self.answered()
            return Switch(self._fallback)
        self._overloads += 1
        scheduled = min(policy.overload_base_s * 2 ** (self._overloads - 1), policy.overload_cap_s)
        return self._retry(self._overloads, policy.overload_retries, failure, scheduled)

    def _retry(self, attempt: int, of: int, failure: ModelFailure, scheduled_s: float) -> Retry | None:
        if attempt > of:
            return None
        wait_s = scheduled_s if failure.retry_after_s is None else failure.retry_after_s
        return Retry(attempt, of, wait_s * (1 + random.uniform(0, self._policy.jitter)))
