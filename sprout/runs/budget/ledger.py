"""Budget ledger: reserves the maximum cost of a model call before it, and settles the actual cost after it."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import UTC, date, datetime
from typing import Protocol
from weakref import WeakValueDictionary

from pydantic import JsonValue

from sprout.clock import utc_now
from sprout.errors import SproutError
from sprout.events import Usage, wire_time
from sprout.ids import new_id
from sprout.loop.limits import UNLIMITED_TOKENS, total_tokens
from sprout.runs.budget.arithmetic import (
    DEPLOYMENT,
    LEARNER,
    NANO,
    Amount,
    Balance,
    BudgetDecision,
    DailyLimit,
    Fits,
    MustWait,
    Payer,
    Price,
    Reservation,
    account_of,
    fit_call,
    next_reset,
)
from sprout.runs.budget.refusal import refusal
from sprout.runs.cancellation import end_tasks

log = logging.getLogger(__name__)

MAX_WAIT_S = 300.0
SETTLE_S = 5.0
RECHECK_INTERVAL_S = 2.0  # other processes settle without a signal to this one

Prices = Callable[[str, Usage], float | None]
Decide = Callable[[Mapping[str, Balance]], BudgetDecision]


class SpendingRepository(Protocol):
    """Stores spending and reservations by day and account.

    A reservation whose process died before settling it is never released: the provider's bill for that call is
    unknown, and a run that crashes again and again would otherwise spend without limit. Its maximum counts as spent,
    on its day. It lapses, so that no other call waits for it, once another worker has claimed its run, or an hour after
    it was made, which is longer than any call lasts. A late settlement, by a process that was only suspended, corrects
    the amount.
    """

    async def reserve(self, reservation: Reservation, decide: Decide) -> BudgetDecision:
        """Reserve the maximum cost of a call if `decide` accepts the balances, in one transaction."""
        ...

    async def settle(self, ticket_id: str, used: Amount) -> None:
        """Replace a reservation by the actual cost; without effect if there is no such reservation."""
        ...

    async def balances(self, day: date, learner: str) -> Mapping[str, Balance]:
        """Both accounts of a learner on a day."""
        ...

    async def expire_orphaned(self) -> None:
        """Expire the reservations of processes that are certainly gone."""
        ...


class BudgetLedger:
    """Reserves and settles the cost of model calls, so that no daily budget is overspent.

    `waiting` is how many calls wait for others to be settled.

    Args:
        limits: of `DEPLOYMENT` and of each `LEARNER`; without any, nothing is reserved or written.
        prices: dollars for a usage of a model; None where its price is not known, then only tokens count.
        clock: the time, for the day.
        max_wait_s: how long a call waits for others to be settled before it is refused.
        recheck_interval_s: how often it looks meanwhile, since other processes settle calls too.
    """

    def __init__(
        self,
        spending: SpendingRepository,
        limits: Mapping[str, DailyLimit],
        prices: Prices,
        *,
        clock: Callable[[], datetime] = utc_now,
        max_wait_s: float = MAX_WAIT_S,
        recheck_interval_s: float = RECHECK_INTERVAL_S,
    ) -> None:
        self._spending = spending
        self._limits = {whose: limit for whose, limit in limits.items() if not limit.unset}
        self._prices = prices
        self._clock = clock
        self._max_wait_s = max_wait_s
        self._recheck_interval_s = recheck_interval_s
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._settling: set[asyncio.Task[None]] = set()
        self._changed = asyncio.Event()
        self.waiting = 0

    @property
    def limited(self) -> bool:
        """Whether there is any budget."""
        return bool(self._limits)

    def is_free(self, model: str) -> bool:
        """Whether calls of this model are free and need no reservation."""
        return self._prices(model, Usage(input_tokens=UNLIMITED_TOKENS, output_tokens=UNLIMITED_TOKENS)) == 0

    async def reserve(
        self, payer: Payer, model: str, *, prompt_tokens: int, max_tokens: int
    ) -> tuple[Reservation, Fits]:
        """A reservation for a call, and how much of it fits; waits while only active calls are in the way.

        Raises ModelFailure of kind `budget_spent`: there is no room for it today.
        """
        price = self._price(model, prompt_tokens, max_tokens)
        line = self._locks.setdefault(payer.learner, asyncio.Lock())
        if not line.locked():
            ticket, verdict = await self._try_reserve(payer, price)
            if not isinstance(verdict, MustWait):
                return ticket, self._require_fit(ticket, price, verdict)
        with self._count_waiting():
            async with line:  # only the first waiter retries when a call has been settled
                return await self._wait_for_room(payer, price)

    async def covers(self, learner: str, model: str, *, prompt_tokens: int, max_tokens: int) -> bool:
        """Whether a call fits whole into today's budgets as they are now; nothing is reserved."""
        if not self.limited or self.is_free(model):
            return True
        balances = await self._spending.balances(self._clock().astimezone(UTC).date(), learner)
        verdict = fit_call(self._price(model, prompt_tokens, max_tokens), self._limits_of(learner), balances)
        return isinstance(verdict, Fits) and verdict.output_tokens >= max_tokens

    async def settle(self, reservation: Reservation, used: Amount) -> None:
        """Settle a reservation; completes even if the caller is cancelled meanwhile."""
        task = asyncio.create_task(self._settle_reservation(reservation, used))
        self._settling.add(task)
        task.add_done_callback(self._settling.discard)
        await asyncio.shield(task)

    def cost(self, model: str, usage: Usage) -> Amount:
        """The amount that a usage of a model costs."""
        return Amount(round((self._prices(model, usage) or 0.0) * NANO), total_tokens(usage))

    async def status(self, learner: str) -> dict[str, JsonValue]:
        """The status for the page: spending of today by budget (null without one), and the time of the next reset."""
        now = self._clock()
        shown: dict[str, JsonValue] = {LEARNER: None, DEPLOYMENT: None, "freeAt": wire_time(next_reset(now))}
        if self._limits:
            balances = await self._spending.balances(now.astimezone(UTC).date(), learner)
            for whose, limit in self._limits.items():
                shown[whose] = _status_json(limit, balances[account_of(whose, learner)].spent)
        return shown

    async def close(self) -> None:
        """Wait for settlements under way; one that takes longer than `SETTLE_S` counts as the call's maximum."""
        if self._settling:
            await asyncio.wait(self._settling, timeout=SETTLE_S)
            await end_tasks(self._settling)

    @contextmanager
    def _count_waiting(self) -> Iterator[None]:
        self.waiting += 1
        try:
            yield
        finally:
            self.waiting -= 1

    async def _wait_for_room(self, payer: Payer, price: Price) -> tuple[Reservation, Fits]:
        clock = asyncio.get_running_loop().time
        until_s = clock() + self._max_wait_s
        while True:
            changed = self._changed
            ticket, verdict = await self._try_reserve(payer, price)
            if not isinstance(verdict, MustWait) or clock() >= until_s:
                return ticket, self._require_fit(ticket, price, verdict)
            with suppress(TimeoutError):
                async with asyncio.timeout(self._recheck_interval_s):
                    await changed.wait()

    async def _try_reserve(self, payer: Payer, price: Price) -> tuple[Reservation, BudgetDecision]:
        ticket = Reservation(new_id(), payer, self._clock())
        limits = self._limits_of(payer.learner)
        try:
            return ticket, await self._spending.reserve(ticket, lambda balances: fit_call(price, limits, balances))
        except asyncio.CancelledError:
            await self.settle(ticket, Amount())  # the reservation may have been committed nevertheless
            raise

    def _limits_of(self, learner: str) -> dict[str, DailyLimit]:
        """The limits of the accounts that pay for the learner's calls."""
        return {account_of(whose, learner): limit for whose, limit in self._limits.items()}

    def _require_fit(self, reservation: Reservation, price: Price, verdict: BudgetDecision) -> Fits:
        if isinstance(verdict, Fits):
            return verdict
        whose = DEPLOYMENT if verdict.account == DEPLOYMENT else LEARNER
        spent = verdict.balance.spent
        log.warning("budget.exhausted", extra={"run": reservation.payer.run_id, "kind": whose, "cost_usd": spent.usd})
        raise refusal(whose, self._limits[whose], price, verdict, self._clock())

    async def _settle_reservation(self, reservation: Reservation, used: Amount) -> None:
        try:
            await self._spending.settle(reservation.id, used)
        except SproutError:
            log.warning("budget.settle_failed", extra={"run": reservation.payer.run_id}, exc_info=True)
        finally:
            self._changed.set()
            self._changed = asyncio.Event()

    def _price(self, model: str, prompt_tokens: int, max_tokens: int) -> Price:
        """The price of a token from two points, since the catalogue's prices are linear."""
        prompt = Usage(cache_write_tokens=prompt_tokens)
        least = self.cost(model, prompt)
        most = self.cost(model, prompt.model_copy(update={"output_tokens": UNLIMITED_TOKENS}))
        return Price(least, -(-(most.nano_usd - least.nano_usd) // UNLIMITED_TOKENS), max_tokens)


@asynccontextmanager
async def open_ledger(
    spending: SpendingRepository, limits: Mapping[str, DailyLimit], prices: Prices
) -> AsyncIterator[BudgetLedger]:
    """The ledger, after stale reservations were expired; waits for all settlements on exit."""
    purse = BudgetLedger(spending, limits, prices)
    if purse.limited:
        await spending.expire_orphaned()
    try:
        yield purse
    finally:
        await purse.close()


def _status_json(limit: DailyLimit, spent: Amount) -> dict[str, JsonValue]:
    return {
        "spentUsd": spent.usd,
        "limitUsd": limit.usd,
        "spentTokens": spent.tokens,
        "limitTokens": limit.tokens,
    }
