"""Reservation for each model call: an estimate is held in the ledger before it, its usage is settled after it."""

import asyncio
import math
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from sprout.errors import ModelFailure
from sprout.events import Usage
from sprout.ids import new_id
from sprout.loop.context.estimate import Estimator, Size, fixed_tokens
from sprout.loop.limits import Clock, total_tokens
from sprout.loop.model import ModelRequest, ReplyEnded, ReplyPart, UsagePart
from sprout.runs.budget.arithmetic import Payer
from sprout.runs.budget.ledger import BudgetLedger
from sprout.runs.metered_model import MeteredCall, UnmeteredCall

MAX_TOKENS_PER_S = (
    400  # faster than any model writes: bounds the cost of a reply that ended before its usage was reported
)


class CallBudget:
    """The budget of one run's model calls: the worst cost of each is reserved before it and settled after it.

    Its place is around the gate: a call that waits for money keeps no other from the provider. A resumed run gets a new
    one, so that reservations which an earlier worker left behind are recognised.

    Args:
        branch_id: of the path that the run works on; at each call it is looked up whether a class pays for it.
        clock: monotonic seconds.
    """

    def __init__(
        self,
        ledger: BudgetLedger,
        *,
        learner: str,
        run_id: str,
        branch_id: str | None = None,
        clock: Clock = time.monotonic,
    ) -> None:
        self._ledger = ledger
        self._learner, self._branch_id = learner, branch_id
        self._run_id, self._attempt_id = run_id, new_id()
        self._clock = clock
        self._prompts = _PromptEstimates()

    @asynccontextmanager
    async def reserve(self, request: ModelRequest) -> AsyncIterator[MeteredCall]:
        """Hold what the call may cost while it lasts; its reply may be shortened to what is left.

        Raises ModelFailure: of kind `budget_spent` if the call is not covered, or the path's class uses another model
        or none.
        """
        payer = await self._payer_of(request)
        if payer is None:
            yield UnmeteredCall(request)
            return
        size, tokens = await asyncio.to_thread(self._prompts.measure, request)
        ticket, fits = await self._ledger.reserve(
            payer, request.model, prompt_tokens=tokens, max_tokens=request.max_tokens
        )
        call = _CallUsage(replace(request, max_tokens=fits.output_tokens), tokens, self._clock)
        try:
            yield call
        except ModelFailure:
            call.failed = True
            raise
        finally:
            self._prompts.correct(request, size, call.reported)
            await self._ledger.settle(ticket, self._ledger.cost(request.model, call.used()))

    async def _payer_of(self, request: ModelRequest) -> Payer | None:
        """The payer of a call; None for one that is not counted. Raises ModelFailure."""
        if not self._ledger.limited or self._ledger.is_free(request.model):
            return None
        payer = await self._ledger.payer(
            self._learner, self._branch_id, request.model, run_id=self._run_id, attempt_id=self._attempt_id
        )
        return payer if self._ledger.charges(payer) else None


@dataclass(slots=True)
class _CallUsage:
    """The usage of a call, as far as its provider has reported it."""

    request: ModelRequest
    prompt_tokens: int
    clock: Clock
    reported: Usage = Usage()
    ended: bool = False
    failed: bool = False
    began_s: float | None = None

    def observe(self, part: ReplyPart) -> None:
        match part:
            case UsagePart(usage):
                self.reported = usage
                if self.began_s is None:
                    self.began_s = self.clock()
            case ReplyEnded():
                self.ended = True

    def used(self) -> Usage:
        """The usage that is charged: what was reported; if the end is missing, no less than what is possible.

        A call that failed before its reply began was refused and costs nothing; one that was left before costs its
        prompt. A reply that was cut or left counts as written at the highest speed. If a server reports nothing at all,
        the worst case counts.
        """
        if self.began_s is None and not self.ended:
            return Usage() if self.failed else Usage(cache_write_tokens=self.prompt_tokens)
        silent = total_tokens(self.reported) == 0
        prompt = Usage(cache_write_tokens=self.prompt_tokens) if silent else self.reported
        if self.ended:
            return prompt.model_copy(update={"output_tokens": self.request.max_tokens}) if silent else prompt
        written = math.ceil((self.clock() - (self.began_s or 0.0)) * MAX_TOKENS_PER_S)
        output = max(self.reported.output_tokens, min(self.request.max_tokens, written))
        return prompt.model_copy(update={"output_tokens": output})


class _PromptEstimates:
    """Token estimates of a run's prompts: each block is counted once, and corrected by the usage of replies."""

    def __init__(self) -> None:
        self._estimators: dict[tuple[str, str], Estimator] = {}

    def measure(self, request: ModelRequest) -> tuple[Size, int]:
        """The size and the tokens of a prompt; slow for a long one, so it is called in a thread."""
        estimator = self._estimators.get((request.model, request.system))
        if estimator is None:
            estimator = Estimator(fixed_tokens(request.system, request.tools))
            self._estimators[request.model, request.system] = estimator
        size = estimator.size(request.messages)
        estimator.forget_except(request.messages)
        return size, estimator.tokens(size)

    def correct(self, request: ModelRequest, size: Size, usage: Usage) -> None:
        """Take in what the provider counted."""
        self._estimators[request.model, request.system].calibrate(usage, size)
