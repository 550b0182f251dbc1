"""Spending of an evaluation: calls, tokens and dollars, and the budget that they may not exceed."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from sprout.errors import ModelFailure, ModelFailureKind
from sprout.events import Usage
from sprout.loop.context.estimate import Estimator, fixed_tokens
from sprout.loop.model import ModelRequest, ModelTraits


@dataclass(slots=True)
class Spending:
    """Spending so far.

    Args:
        budget_usd: no call begins that could exceed it at the prices of the catalogue; None is without limit.
        fresh: the usage of the calls that were made, the rest having been found on disk.
        total: the usage of all calls, as if each had been made now.
    """

    budget_usd: float | None = None
    calls: int = 0
    calls_from_disk: int = 0
    fresh: Usage = field(default_factory=Usage)
    total: Usage = field(default_factory=Usage)
    _reserved_usd: float = 0.0

    def note_from_disk(self, usage: Usage, calls: int = 1) -> None:
        self.calls_from_disk += calls
        self.total = self.total.plus(usage)

    @asynccontextmanager
    async def reserve(self, request: ModelRequest, traits: ModelTraits) -> AsyncIterator["CallUsage"]:
        """Hold back what a call may cost at most, until its usage is known.

        Raises ModelFailure: the budget is spent.
        """
        most = _highest_cost(request, traits) if self.budget_usd is not None else 0.0
        self._check(most)
        self._reserved_usd += most
        self.calls += 1
        call = CallUsage()
        try:
            yield call
        finally:
            self._reserved_usd -= most
            self.fresh, self.total = self.fresh.plus(call.usage), self.total.plus(call.usage)

    def _check(self, most_usd: float) -> None:
        if self.budget_usd is not None and self.fresh.cost_usd + self._reserved_usd + most_usd > self.budget_usd:
            raise ModelFailure(
                ModelFailureKind.BUDGET_SPENT,
                f"The next call could exceed the budget of ${self.budget_usd:g}; ${self.fresh.cost_usd:.4f} is spent.",
            )


@dataclass(slots=True)
class CallUsage:
    """The usage that a call under way has reported last."""

    usage: Usage = field(default_factory=Usage)


def _highest_cost(request: ModelRequest, traits: ModelTraits) -> float:
    estimate = Estimator(fixed_tokens(request.system, request.tools))
    prompt_tokens = estimate.tokens(estimate.size(request.messages))
    return traits.priced(Usage(input_tokens=prompt_tokens, output_tokens=request.max_tokens)).cost_usd
