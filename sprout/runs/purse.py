"""The day's money: held before a model call at its worst, settled after it with what was used (D16)."""

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
from sprout.loop.limits import MANY_TOKENS, total_tokens
from sprout.runs.budget import (
    DEPLOYMENT,
    LEARNER,
    NANO,
    Amount,
    Balance,
    Fits,
    Limit,
    Payer,
    Price,
    Ticket,
    Verdict,
    Waits,
    account_of,
    fitted,
    free_again,
)
from sprout.runs.refusal import refusal

log = logging.getLogger(__name__)

PATIENCE_S = 300.0
LOOK_AGAIN_S = 2.0  # other processes settle without telling this one

Prices = Callable[[str, Usage], float | None]
Decide = Callable[[Mapping[str, Balance]], Verdict]


class Spending(Protocol):
    """What has been spent and is held, by day and account.

    A ticket that nobody settles, because its process died, is never given back: what the provider has billed for that
    call cannot be known any more, and a run that is taken up and dies again and again would spend without an end
    (trap 7). So it counts as spent at its worst, on its day. It lapses, that is, nobody waits for it any more, as soon
    as its run has another taker, or an hour after it was taken, which is longer than any call can last. If it is
    settled after all, by a process that only slept, the worst is corrected to what was used.
    """

    async def hold(self, ticket: Ticket, decide: Decide) -> Verdict:
        """Hold the worst of a call that `decide` finds to fit, in one step with reading the balances it is given."""
        ...

    async def settle(self, ticket_id: str, used: Amount) -> None:
        """Put what was used in the place of what is held; nothing where there is no such ticket."""
        ...

    async def balances(self, day: date, learner: str) -> Mapping[str, Balance]:
        """Both accounts of a learner on a day."""
        ...

    async def recover(self) -> None:
        """Let all tickets lapse that certainly belong to a process which is gone."""
        ...


class Purse:
    """Holds and settles what model calls cost, so that no budget of a day is overspent (I8).

    `waiting` is how many calls wait for others to be settled.

    Args:
        limits: of `DEPLOYMENT` and of each `LEARNER`; without any, nothing is held or written.
        prices: dollars for a usage of a model; None where its price is not known, then only tokens count.
        clock: the time, for the day.
        patience_s: how long a call waits for others to be settled before it is refused.
    """

    def __init__(
        self,
        spending: Spending,
        limits: Mapping[str, Limit],
        prices: Prices,
        *,
        clock: Callable[[], datetime] = utc_now,
        patience_s: float = PATIENCE_S,
        look_again_s: float = LOOK_AGAIN_S,
    ) -> None:
        self._spending = spending
        self._limits = {whose: limit for whose, limit in limits.items() if not limit.unset}
        self._prices = prices
        self._clock = clock
        self._patience_s = patience_s
        self._look_again_s = look_again_s
        self._lines: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._settling: set[asyncio.Task[None]] = set()
        self._changed = asyncio.Event()
        self.waiting = 0

    @property
    def limited(self) -> bool:
        """Whether there is any budget to keep."""
        return bool(self._limits)

    def is_free(self, model: str) -> bool:
        """Whether calls of this model cost nothing, so that nothing is held for them."""
        return self._prices(model, Usage(input_tokens=MANY_TOKENS, output_tokens=MANY_TOKENS)) == 0

    async def hold(self, payer: Payer, model: str, *, prompt_tokens: int, max_tokens: int) -> tuple[Ticket, Fits]:
        """A ticket for a call, and how much of it fits; waits while only calls that are going stand in its way.

        Raises ModelFailure of kind `budget_spent`: there is no room for it today.
        """
        price = self._price(model, prompt_tokens, max_tokens)
        line = self._lines.setdefault(payer.learner, asyncio.Lock())
        if not line.locked():
            ticket, verdict = await self._asked(payer, price)
            if not isinstance(verdict, Waits):
                return ticket, self._admitted(ticket, price, verdict)
        with self._one_more_waiting():
            async with line:  # only the first in line asks again whenever a call has been settled
                return await self._waited(payer, price)

    async def settle(self, ticket: Ticket, used: Amount) -> None:
        """Give back what a call did not use; carried out to its end, also where the caller is cancelled meanwhile."""
        task = asyncio.create_task(self._settled(ticket, used))
        self._settling.add(task)
        task.add_done_callback(self._settling.discard)
        await asyncio.shield(task)

    def cost(self, model: str, usage: Usage) -> Amount:
        """What a usage of a model takes from the purse."""
        return Amount(round((self._prices(model, usage) or 0.0) * NANO), total_tokens(usage))

    async def standing(self, learner: str) -> dict[str, JsonValue]:
        """What a page shows: for each budget what is spent of it today, null where there is none; when it is free."""
        now = self._clock()
        shown: dict[str, JsonValue] = {LEARNER: None, DEPLOYMENT: None, "freeAt": wire_time(free_again(now))}
        if self._limits:
            balances = await self._spending.balances(now.astimezone(UTC).date(), learner)
            for whose, limit in self._limits.items():
                shown[whose] = _shown(limit, balances[account_of(whose, learner)].spent)
        return shown

    async def close(self) -> None:
        """Wait for what is being settled."""
        await asyncio.gather(*self._settling)

    @contextmanager
    def _one_more_waiting(self) -> Iterator[None]:
        self.waiting += 1
        try:
            yield
        finally:
            self.waiting -= 1

    async def _waited(self, payer: Payer, price: Price) -> tuple[Ticket, Fits]:
        clock = asyncio.get_running_loop().time
        until_s = clock() + self._patience_s
        while True:
            changed = self._changed
            ticket, verdict = await self._asked(payer, price)
            if not isinstance(verdict, Waits) or clock() >= until_s:
                return ticket, self._admitted(ticket, price, verdict)
            with suppress(TimeoutError):
                async with asyncio.timeout(self._look_again_s):
                    await changed.wait()

    async def _asked(self, payer: Payer, price: Price) -> tuple[Ticket, Verdict]:
        ticket = Ticket(new_id(), payer, self._clock())
        limits = {account_of(whose, payer.learner): limit for whose, limit in self._limits.items()}
        try:
            return ticket, await self._spending.hold(ticket, lambda balances: fitted(price, limits, balances))
        except asyncio.CancelledError:
            await self.settle(ticket, Amount())  # the ticket may have been committed all the same
            raise

    def _admitted(self, ticket: Ticket, price: Price, verdict: Verdict) -> Fits:
        if isinstance(verdict, Fits):
            return verdict
        whose = DEPLOYMENT if verdict.account == DEPLOYMENT else LEARNER
        spent = verdict.balance.spent
        log.warning("budget.spent", extra={"run": ticket.payer.run_id, "kind": whose, "cost_usd": spent.usd})
        raise refusal(whose, self._limits[whose], price, verdict, self._clock())

    async def _settled(self, ticket: Ticket, used: Amount) -> None:
        try:
            await self._spending.settle(ticket.id, used)
        except SproutError:
            log.warning("budget.not_settled", extra={"run": ticket.payer.run_id}, exc_info=True)
        finally:
            self._changed.set()
            self._changed = asyncio.Event()

    def _price(self, model: str, prompt_tokens: int, max_tokens: int) -> Price:
        """The catalogue's prices are straight lines, so two points give the price of a token."""
        prompt = Usage(cache_write_tokens=prompt_tokens)
        least = self.cost(model, prompt)
        most = self.cost(model, prompt.model_copy(update={"output_tokens": MANY_TOKENS}))
        return Price(least, -(-(most.nano_usd - least.nano_usd) // MANY_TOKENS), max_tokens)


@asynccontextmanager
async def open_purse(spending: Spending, limits: Mapping[str, Limit], prices: Prices) -> AsyncIterator[Purse]:
    """The purse, after what a process that is gone has left behind was counted; all is settled at the block's end."""
    purse = Purse(spending, limits, prices)
    if purse.limited:
        await spending.recover()
    try:
        yield purse
    finally:
        await purse.close()


def _shown(limit: Limit, spent: Amount) -> dict[str, JsonValue]:
    return {
        "spentUsd": spent.usd,
        "limitUsd": limit.usd,
        "spentTokens": spent.tokens,
        "limitTokens": limit.tokens,
    }
