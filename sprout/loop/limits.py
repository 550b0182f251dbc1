"""Limits of a run: iterations, tokens, dollars, seconds."""

import time
from collections.abc import Callable

from sprout.events import ReachedLimit, Usage
from sprout.loop.model import ModelTraits
from sprout.loop.policy import LoopPolicy

MIN_REPLY_TOKENS = 16
UNLIMITED_TOKENS = 1_000_000

Clock = Callable[[], float]


def total_tokens(usage: Usage) -> int:
    """All tokens that were sent and received, cached or not."""
    return usage.input_tokens + usage.output_tokens + usage.cache_write_tokens + usage.cache_read_tokens


class Limits:
    """Checks budgets before a call is paid for; a call is held against the worst that it can cost.

    Args:
        clock: monotonic seconds; waiting for a person does not count, since the turn ends then.
        elapsed_s: the part of the run's time that was used before.
    """

    def __init__(
        self, policy: LoopPolicy, traits: ModelTraits, clock: Clock = time.monotonic, *, elapsed_s: float = 0.0
    ) -> None:
        self._policy = policy
        self._traits = traits
        self.clock = clock
        self._began_s = clock() - elapsed_s

    @property
    def seconds_left(self) -> float:
        """Until the soft limit; negative after it."""
        return self._began_s + self._policy.soft_limit_s - self.clock()

    def iterations_are_used(self, iterations: int) -> bool:
        """Whether a turn with that many iterations behind it may begin no other (`max_iterations`)."""
        return iterations >= self._policy.max_iterations

    @property
    def iteration_limit(self) -> ReachedLimit:
        return ReachedLimit(unit="iterations", amount=self._policy.max_iterations)

    @property
    def time_limit(self) -> ReachedLimit:
        """The soft limit."""
        return ReachedLimit(unit="seconds", amount=self._policy.soft_limit_s)

    def exhausted_budget(self, usage: Usage, prompt_tokens: int) -> ReachedLimit | None:
        """The budget without room for another call; None while there is room."""
        if self.reply_tokens(usage, prompt_tokens, MIN_REPLY_TOKENS) >= MIN_REPLY_TOKENS:
            return None
        tokens, cost_usd = self._policy.max_run_tokens, self._policy.max_run_cost_usd
        if tokens is not None and self._tokens_left(usage, prompt_tokens) < MIN_REPLY_TOKENS:
            return ReachedLimit(unit="tokens", amount=tokens)
        assert cost_usd is not None, "a reply is limited by a budget"
        return ReachedLimit(unit="usd", amount=cost_usd)

    def reply_tokens(self, usage: Usage, prompt_tokens: int, wanted: int) -> int:
        """Most tokens that the next reply may have: `wanted`, or fewer if the budgets leave fewer after the prompt."""
        return min(wanted, self._tokens_left(usage, prompt_tokens), self._affordable(usage, prompt_tokens))

    def _tokens_left(self, usage: Usage, prompt_tokens: int) -> int:
        if self._policy.max_run_tokens is None:
            return UNLIMITED_TOKENS
        return self._policy.max_run_tokens - total_tokens(usage) - prompt_tokens

    def _affordable(self, usage: Usage, prompt_tokens: int) -> int:
        if self._policy.max_run_cost_usd is None:
            return UNLIMITED_TOKENS
        prompt_usd = self._traits.priced(Usage(input_tokens=prompt_tokens)).cost_usd
        left_usd = self._policy.max_run_cost_usd - usage.cost_usd - prompt_usd
        usd_per_token = self._traits.priced(Usage(output_tokens=UNLIMITED_TOKENS)).cost_usd / UNLIMITED_TOKENS
        if usd_per_token == 0:
            return UNLIMITED_TOKENS if left_usd > 0 else 0
        return max(0, int(left_usd / usd_per_token))
