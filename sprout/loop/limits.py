"""What a run may still spend: iterations, tokens, dollars, seconds."""

import time
from collections.abc import Callable

from sprout.events import Usage
from sprout.loop.model import ModelTraits
from sprout.loop.policy import LoopPolicy

LEAST_REPLY_TOKENS = 16
MANY_TOKENS = 1_000_000

Clock = Callable[[], float]


def total_tokens(usage: Usage) -> int:
    """All tokens that were sent and received, cached or not."""
    return usage.input_tokens + usage.output_tokens + usage.cache_write_tokens + usage.cache_read_tokens


class Limits:
    """Checks budgets before a call is paid for; a call is held against the worst that it can cost.

    Args:
        clock: seconds that only grow; waiting for a person does not count, since the turn ends then.
        elapsed_s: what of the run's time was used before.
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

    def spent(self, usage: Usage, prompt_tokens: int) -> str | None:
        """Which budget has no room for another call, in words for a person; None while there is room."""
        if self.room(usage, prompt_tokens, LEAST_REPLY_TOKENS) >= LEAST_REPLY_TOKENS:
            return None
        if self._tokens_left(usage, prompt_tokens) < LEAST_REPLY_TOKENS:
            return f"The budget of {self._policy.max_run_tokens:,} tokens is spent."
        return f"The budget of ${self._policy.max_run_cost_usd:,.2f} is spent."

    def room(self, usage: Usage, prompt_tokens: int, wanted: int) -> int:
        """How many tokens the next reply may have: what is wanted, or what is left of the budgets after the prompt."""
        return min(wanted, self._tokens_left(usage, prompt_tokens), self._affordable(usage, prompt_tokens))

    def _tokens_left(self, usage: Usage, prompt_tokens: int) -> int:
        if self._policy.max_run_tokens is None:
            return MANY_TOKENS
        return self._policy.max_run_tokens - total_tokens(usage) - prompt_tokens

    def _affordable(self, usage: Usage, prompt_tokens: int) -> int:
        if self._policy.max_run_cost_usd is None:
            return MANY_TOKENS
        prompt_usd = self._traits.priced(Usage(input_tokens=prompt_tokens)).cost_usd
        left_usd = self._policy.max_run_cost_usd - usage.cost_usd - prompt_usd
        usd_per_token = self._traits.priced(Usage(output_tokens=MANY_TOKENS)).cost_usd / MANY_TOKENS
        if usd_per_token == 0:
            return MANY_TOKENS if left_usd > 0 else 0
        return max(0, int(left_usd / usd_per_token))
