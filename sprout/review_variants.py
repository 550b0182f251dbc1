"""Start of the runs that make variants, for learners whose reviews come soon and whose budget covers it."""

import logging
from dataclasses import dataclass

from sprout.agents.path.variants import VARIANTS
from sprout.errors import SproutError
from sprout.learning.reviews.variants import Variants
from sprout.runs.budget.ledger import BudgetLedger
from sprout.runs.live_runs import LiveRuns, ShuttingDown
from sprout.runs.run_store import OnBusy, RequestKey

log = logging.getLogger(__name__)

INTERVAL_S = 120.0
PROMPT_TOKENS = 12_000  # more than a usual request has


@dataclass(frozen=True, slots=True)
class VariantStarter:
    """Starts the runs that make variants.

    Args:
        model: that the agent uses.
        max_tokens: of its reply.
    """

    variants: Variants
    runs: LiveRuns
    ledger: BudgetLedger
    model: str
    max_tokens: int

    async def start_lacking(self) -> None:
        """Start a run for each concept with parts that lack fresh questions; for the same parts only once."""
        for one in await self.variants.lacking_concepts():
            if not await self.ledger.covers(
                one.user_id,
                one.concept.branch_id,
                self.model,
                prompt_tokens=PROMPT_TOKENS,
                max_tokens=self.max_tokens,
            ):
                continue
            key = RequestKey(one.key, one.key)
            try:
                await self.runs.start(VARIANTS, node=one.concept, user_id=one.user_id, on_busy=OnBusy.ENQUEUE, key=key)
            except ShuttingDown:
                return
            except SproutError:  # of one learner, such as too many runs; the others get theirs
                log.warning("variants.not_started", extra={"lane": f"{VARIANTS}:{one.concept.id}"}, exc_info=True)
