"""Budget ledger: reserves the maximum cost of a model call before it, and settles the actual cost after it."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
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
    CLASS,
    DEPLOYMENT,
    LEARNER,
    MIN_REPLY_TOKENS,
    NANO,
    Amount,
    Balance,
    Budget,
    BudgetDecision,
    Fits,
    Limit,
    MustWait,
    Payer,
    PayerLimits,
    PayingClass,
    Period,
    Price,
    Refused,
    Reservation,
    account_of,
    accounts_of,
    fit_call,
    limits_by_budget,
    next_reset,
    strictest_model,
    tightest,
)
from sprout.runs.budget.refusal import ClassModelRefused, class_model_refusal, refusal, run_refusal
from sprout.runs.cancellation import end_tasks

log = logging.getLogger(__name__)

MAX_WAIT_S = 300.0
SETTLE_S = 5.0
NEAR = 0.8  # of a budget, from which its payer is warned
RECHECK_INTERVAL_S = 2.0  # other processes settle without a signal to this one

Prices = Callable[[str, Usage], float | None]
Decide = Callable[[Mapping[Budget, Balance]], BudgetDecision]


class SpendingRepository(Protocol):
    """Stores spending and reservations by day and account; a month is the sum of its days.

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

    async def balances(self, day: date, accounts: Sequence[str]) -> Mapping[Budget, Balance]:
        """These accounts on a day and in its month."""
        ...

    async def classes_of_path(self, branch_id: str, learner: str) -> Sequence[PayingClass]:
        """The learner's classes that have given them this path, the earliest first: that one pays for it."""
        ...

    async def paying_classes(self, learner: str) -> Sequence[PayingClass]:
        """The classes that pay for some path of the learner's."""
        ...

    async def expire_orphaned(self) -> None:
        """Expire the reservations of processes that are certainly gone."""
        ...


class BudgetLedger:
    """Reserves and settles the cost of model calls, so that no budget is overspent.

    `waiting` is how many calls wait for others to be settled.

    Args:
        limits: of `DEPLOYMENT`, of each `LEARNER`, and at most of each `CLASS`; without any, nothing is reserved or
            written but for calls that a class pays.
        has_classes: whether there may be classes, which pay for the paths that they have given.
        local_model: of classes that are to use no other, if the server has one.
        prices: dollars for a usage of a model; None where its price is not known, then only tokens count.
        clock: the time, for the day.
        max_wait_s: how long a call waits for others to be settled before it is refused.
        recheck_interval_s: how often it looks meanwhile, since other processes settle calls too.
    """

    def __init__(
        self,
        spending: SpendingRepository,
        limits: Mapping[str, PayerLimits],
        prices: Prices,
        *,
        has_classes: bool = False,
        local_model: str | None = None,
        clock: Callable[[], datetime] = utc_now,
        max_wait_s: float = MAX_WAIT_S,
        recheck_interval_s: float = RECHECK_INTERVAL_S,
    ) -> None:
        self._spending = spending
        self._limits = {whose: limit for whose, limit in limits.items() if not limit.unset}
        self._prices = prices
        self._has_classes = has_classes
        self._local_model = local_model
        self._clock = clock
        self._max_wait_s = max_wait_s
        self._recheck_interval_s = recheck_interval_s
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._settling: set[asyncio.Task[None]] = set()
        self._changed = asyncio.Event()
        self.waiting = 0

    @property
    def limited(self) -> bool:
        """Whether there is any budget, or may be one of a class."""
        return bool(self._limits) or self._has_classes

    def is_free(self, model: str) -> bool:
        """Whether calls of this model are free and need no reservation."""
        return self._prices(model, Usage(input_tokens=UNLIMITED_TOKENS, output_tokens=UNLIMITED_TOKENS)) == 0

    def charges(self, payer: Payer) -> bool:
        """Whether the calls of this payer are counted."""
        return bool(self._limits) or payer.paying_class is not None

    async def uses_local_model(self, learner: str, branch_id: str | None) -> bool:
        """Whether a class that gave the learner this path uses the local model, and none of them is without any."""
        return strictest_model(await self._classes_of_path(learner, branch_id)) == "local"

    async def payer(self, learner: str, branch_id: str | None, model: str, *, run_id: str, attempt_id: str) -> Payer:
        """The payer of a call on a path. Raises ModelFailure: its class is to use another model, or none."""
        classes = await self._classes_of_path(learner, branch_id)
        if (refused := class_model_refusal(classes, model, self._local_model)) is not None:
            raise refused
        return Payer(learner, run_id, attempt_id, next(iter(classes), None))

    async def reserve(
        self, payer: Payer, model: str, *, prompt_tokens: int, max_tokens: int
    ) -> tuple[Reservation, Fits]:
        """A reservation for a call, and how much of it fits; waits while only active calls are in the way.

        Raises ModelFailure of kind `budget_spent`: there is no room for it in this period.
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

    async def covers(
        self, learner: str, branch_id: str | None, model: str, *, prompt_tokens: int, max_tokens: int
    ) -> bool:
        """Whether a call on a path fits whole into the budgets as they are now; nothing is reserved.

        Args:
            model: that is called unless the path's class uses the local one.
        """
        if not self.limited or self.is_free(model):
            return True
        classes = await self._classes_of_path(learner, branch_id)
        if self._local_model is not None and strictest_model(classes) == "local":
            model = self._local_model
        if class_model_refusal(classes, model, self._local_model) is not None:
            return False
        verdict = await self._try_fit(learner, classes[:1], self._price(model, prompt_tokens, max_tokens))
        return isinstance(verdict, Fits) and verdict.output_tokens >= max_tokens

    async def require_room(self, learner: str, branch_id: str | None, model: str) -> None:
        """Refuse a run on a path of which no call could be made now.

        Raises BudgetSpent, ClassModelRefused.
        """
        if not self.limited or self.is_free(model):
            return
        classes = await self._classes_of_path(learner, branch_id)
        if (refused := class_model_refusal(classes, model, self._local_model)) is not None:
            raise ClassModelRefused(str(refused), code=refused.code)
        price = self._price(model, 0, MIN_REPLY_TOKENS)
        verdict = await self._try_fit(learner, classes[:1], price)
        if isinstance(verdict, Refused):
            now, limits = self._clock(), self._limits_of(learner, classes[:1])
            free_at = next_reset(now, verdict.budget.period) if verdict.fits_when_empty else None
            why = refusal(limits[verdict.budget], price, verdict, now)
            raise run_refusal(why, verdict.budget.period, free_at)

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
        """The status for the page: spending of today and of this month by budget (null without one), the times of the
        next resets, and the budget of which the largest share is spent."""
        now = self._clock()
        month = _unlimited_json(now, Period.MONTH)
        shown = _unlimited_json(now, Period.DAY) | {"month": month, "tightest": None}
        if not self.limited:
            return shown
        classes = await self._spending.paying_classes(learner) if self._has_classes else ()
        limits = self._limits_of(learner, classes)
        balances = await self._balances(learner, classes)
        for whose in (LEARNER, DEPLOYMENT):
            for period, part in ((Period.DAY, shown), (Period.MONTH, month)):
                budget = Budget(account_of(whose, learner), period)
                if budget in limits:
                    part[whose] = _status_json(limits[budget], balances[budget].spent)
        names = {account_of(CLASS, one.id): one.name for one in classes}
        shown["tightest"] = _tightest_json(limits, balances, names, now)
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
        limits = self._limits_of(payer.learner, _classes_of(payer))
        try:
            return ticket, await self._spending.reserve(ticket, lambda balances: fit_call(price, limits, balances))
        except asyncio.CancelledError:
            await self.settle(ticket, Amount())  # the reservation may have been committed nevertheless
            raise

    async def _try_fit(self, learner: str, classes: Sequence[PayingClass], price: Price) -> BudgetDecision:
        return fit_call(price, self._limits_of(learner, classes), await self._balances(learner, classes))

    async def _balances(self, learner: str, classes: Sequence[PayingClass]) -> Mapping[Budget, Balance]:
        accounts = [*accounts_of(learner), *(account_of(CLASS, one.id) for one in classes)]
        return await self._spending.balances(self._clock().astimezone(UTC).date(), accounts)

    async def _classes_of_path(self, learner: str, branch_id: str | None) -> Sequence[PayingClass]:
        """The classes that have given the learner this path; the first one pays."""
        if not self._has_classes or branch_id is None:
            return ()
        return await self._spending.classes_of_path(branch_id, learner)

    def _limits_of(self, learner: str, classes: Sequence[PayingClass]) -> Mapping[Budget, Limit]:
        """The limits of all who pay: a class has its own, up to what the settings allow each."""
        most = self._limits.get(CLASS, PayerLimits())
        own = {account_of(whose, learner): limits for whose, limits in self._limits.items() if whose != CLASS}
        return limits_by_budget(own | {account_of(CLASS, one.id): one.limits.within(most) for one in classes})

    def _require_fit(self, reservation: Reservation, price: Price, verdict: BudgetDecision) -> Fits:
        if isinstance(verdict, Fits):
            return verdict
        whose, spent = verdict.budget.kind, verdict.balance.spent
        log.warning("budget.exhausted", extra={"run": reservation.payer.run_id, "kind": whose, "cost_usd": spent.usd})
        limits = self._limits_of(reservation.payer.learner, _classes_of(reservation.payer))
        raise refusal(limits[verdict.budget], price, verdict, self._clock())

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
    spending: SpendingRepository,
    limits: Mapping[str, PayerLimits],
    prices: Prices,
    *,
    has_classes: bool = False,
    local_model: str | None = None,
) -> AsyncIterator[BudgetLedger]:
    """The ledger, after stale reservations were expired; waits for all settlements on exit."""
    ledger = BudgetLedger(spending, limits, prices, has_classes=has_classes, local_model=local_model)
    if ledger.limited:
        await spending.expire_orphaned()
    try:
        yield ledger
    finally:
        await ledger.close()


def _classes_of(payer: Payer) -> Sequence[PayingClass]:
    return () if payer.paying_class is None else (payer.paying_class,)


def _unlimited_json(now: datetime, period: Period) -> dict[str, JsonValue]:
    return {LEARNER: None, DEPLOYMENT: None, "freeAt": wire_time(next_reset(now, period))}


def _status_json(limit: Limit, spent: Amount) -> dict[str, JsonValue]:
    return {
        "spentUsd": spent.usd,
        "limitUsd": limit.usd,
        "spentTokens": spent.tokens,
        "limitTokens": limit.tokens,
    }


def _tightest_json(
    limits: Mapping[Budget, Limit], balances: Mapping[Budget, Balance], class_names: Mapping[str, str], now: datetime
) -> JsonValue:
    used = tightest(limits, balances)
    if used is None:
        return None
    return {
        "payer": used.budget.kind,
        "className": class_names.get(used.budget.account),
        "period": used.budget.period.value,
        "unit": used.unit,
        "spent": used.spent,
        "limit": used.limit,
        "near": used.share >= NEAR,
        "resetsAt": wire_time(next_reset(now, used.budget.period)),
    }
