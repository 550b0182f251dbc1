"""Retry policy: which failure of the model leads to which next step."""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from sprout.errors import ModelFailure, ModelFailureKind
from sprout.loop.policy import LoopPolicy

OVERLOAD_KINDS = frozenset(
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
class SwitchModel:
    """Continue with another model, at once."""

    model: str


class RetryPolicy:
    """Counts consecutive failures of one run's model calls and decides what follows."""

    def __init__(
        self,
        policy: LoopPolicy,
        *,
        fallback_model: str | None = None,
        clock: Callable[[], float] = monotonic,
        on_fallback: bool = False,
    ) -> None:
        self._policy = policy
        self._fallback = fallback_model
        self._clock = clock
        self._switched_at_s = clock() if on_fallback else None
        self.reset()

    def end_cooldown(self) -> bool:
        """Whether the cool-down of the primary model is over; the first True ends it."""
        if self._switched_at_s is None or self._clock() - self._switched_at_s < self._policy.fallback_cooldown_s:
            return False
        self._switched_at_s = None
        return True

    def reset(self) -> None:
        """Begin all counts anew, after a complete reply."""
        self._rate_limits = self._overloads = self._overloads_in_a_row = 0
        self._again: Counter[ModelFailureKind] = Counter()

    def next_step(self, failure: ModelFailure) -> Retry | SwitchModel | None:
        """The next step after a failure; None means give up."""
        policy = self._policy
        if failure.kind is ModelFailureKind.RATE_LIMITED:
            self._rate_limits += 1
            scheduled = policy.rate_limit_base_s * 2 ** (self._rate_limits - 1)
            return self._retry(self._rate_limits, policy.rate_limit_retries, failure, scheduled)
        if failure.kind in (ModelFailureKind.READING, ModelFailureKind.REPEATING):
            self._again[failure.kind] += 1
            reads = failure.kind is ModelFailureKind.READING
            of = policy.reading_retries if reads else policy.repetition_retries
            return self._retry(self._again[failure.kind], of, failure, 0.0)
        if failure.kind not in OVERLOAD_KINDS:
            return None
        self._overloads_in_a_row = self._overloads_in_a_row + 1 if failure.kind is ModelFailureKind.OVERLOADED else 0
        overloaded = self._switched_at_s is None and self._overloads_in_a_row >= policy.overloads_before_fallback
        if self._fallback is not None and overloaded:
            self._switched_at_s = self._clock()
            self.reset()
            return SwitchModel(self._fallback)
        self._overloads += 1
        scheduled = min(policy.overload_base_s * 2 ** (self._overloads - 1), policy.overload_cap_s)
        return self._retry(self._overloads, policy.overload_retries, failure, scheduled)

    def _retry(self, attempt: int, of: int, failure: ModelFailure, scheduled_s: float) -> Retry | None:
        if attempt > of:
            return None
        wait_s = scheduled_s if failure.retry_after_s is None else failure.retry_after_s
        return Retry(attempt, of, wait_s * (1 + random.uniform(0, self._policy.jitter)))
