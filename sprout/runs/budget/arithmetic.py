"""Budget arithmetic: amounts, limits, and how much of a model call fits into what is left. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from typing import Literal, TypeVar

from sprout.accounts.classes import ModelSwitch

NANO = 1_000_000_000
DEPLOYMENT = "deployment"
CLASS = "class"
LEARNER = "learner"
MAX_CALL_DURATION = timedelta(hours=1)
MIN_REPLY_TOKENS = 1_000  # a reply that must be shorter than this is not worth its prompt
NO_LIMIT = 2**62
STRICTNESS: tuple[ModelSwitch, ...] = ("on", "local", "off")

N = TypeVar("N", int, float)


@dataclass(frozen=True, slots=True)
class Amount:
    """Money in billionths of a dollar, so that sums are exact, and tokens, for models whose price is not known."""

    nano_usd: int = 0
    tokens: int = 0

    def plus(self, other: "Amount") -> "Amount":
        return Amount(self.nano_usd + other.nano_usd, self.tokens + other.tokens)

    def minus(self, other: "Amount") -> "Amount":
        return Amount(self.nano_usd - other.nano_usd, self.tokens - other.tokens)

    @property
    def usd(self) -> float:
        return self.nano_usd / NANO


@dataclass(frozen=True, slots=True)
class Balance:
    """The spending of an account in a period, and its open reservations."""

    spent: Amount = Amount()
    reserved: Amount = Amount()

    def plus(self, other: "Balance") -> "Balance":
        return Balance(self.spent.plus(other.spent), self.reserved.plus(other.reserved))


class Period(StrEnum):
    """The time that a budget is for: a day or a calendar month, UTC."""

    DAY = "day"
    MONTH = "month"


@dataclass(frozen=True, slots=True)
class Budget:
    """A budget: who pays, and for how long."""

    account: str
    period: Period

    @property
    def kind(self) -> str:
        """Whose budget it is: `DEPLOYMENT`, `CLASS` or `LEARNER`."""
        return self.account.partition(":")[0]


@dataclass(frozen=True, slots=True)
class Limit:
    """The limit of an account in a period; None is unlimited."""

    usd: float | None = None
    tokens: int | None = None

    @property
    def unset(self) -> bool:
        return self.usd is None and self.tokens is None

    def within(self, most: "Limit") -> "Limit":
        """The lower of both limits."""
        return Limit(_lower(self.usd, most.usd), _lower(self.tokens, most.tokens))


def _lower(one: N | None, other: N | None) -> N | None:
    return min((each for each in (one, other) if each is not None), default=None)


@dataclass(frozen=True, slots=True)
class PayerLimits:
    """The limits of an account in each period."""

    day: Limit = Limit()
    month: Limit = Limit()

    @property
    def unset(self) -> bool:
        return self.day.unset and self.month.unset

    def of(self, period: Period) -> Limit:
        return self.day if period is Period.DAY else self.month

    def within(self, most: "PayerLimits") -> "PayerLimits":
        """The lower of both limits, period by period."""
        return PayerLimits(self.day.within(most.day), self.month.within(most.month))


@dataclass(frozen=True, slots=True)
class Price:
    """The maximum cost of a call: its prompt, written to the cache, and each token of its reply.

    Args:
        max_tokens: of output at most.
    """

    prompt: Amount
    nano_usd_per_token: int
    max_tokens: int

    def worst(self, output_tokens: int) -> Amount:
        return self.prompt.plus(Amount(output_tokens * self.nano_usd_per_token, output_tokens))

    def affordable_tokens(self, limit: Limit, taken: Amount) -> int:
        """The number of output tokens that fit under the limit beside the balance; negative if none do."""
        return min(self._tokens_for_usd(limit, taken), self._tokens_left(limit, taken))

    def limited_by_usd(self, limit: Limit, taken: Amount) -> bool:
        """Whether money is the tighter limit, not tokens."""
        return self._tokens_for_usd(limit, taken) <= self._tokens_left(limit, taken)

    def _tokens_for_usd(self, limit: Limit, taken: Amount) -> int:
        if limit.usd is None:
            return NO_LIMIT
        left = round(limit.usd * NANO) - taken.nano_usd - self.prompt.nano_usd
        if self.nano_usd_per_token:
            return left // self.nano_usd_per_token
        return NO_LIMIT if left >= 0 else -1

    def _tokens_left(self, limit: Limit, taken: Amount) -> int:
        return NO_LIMIT if limit.tokens is None else limit.tokens - taken.tokens - self.prompt.tokens


@dataclass(frozen=True, slots=True)
class Fits:
    """The call fits with at most this much output: then it costs no more than `worst`."""

    output_tokens: int
    worst: Amount


@dataclass(frozen=True, slots=True)
class MustWait:
    """The call may fit once active calls have been settled."""

    budget: Budget
    balance: Balance


@dataclass(frozen=True, slots=True)
class Refused:
    """The call does not fit in this period; `fits_when_empty` tells whether it fits in one without spending."""

    budget: Budget
    balance: Balance
    fits_when_empty: bool


BudgetDecision = Fits | MustWait | Refused


def fit_call(price: Price, limits: Mapping[Budget, Limit], balances: Mapping[Budget, Balance]) -> BudgetDecision:
    """Whether a call fits into all budgets: whole, or, without other reservations, cut to what is left.

    Of several budgets that refuse it, the one that does so longest is named.
    """
    least = min(MIN_REPLY_TOKENS, price.max_tokens)
    refused = [
        Refused(budget, balances[budget], fits_when_empty=price.affordable_tokens(limit, Amount()) >= least)
        for budget, limit in limits.items()
        if price.affordable_tokens(limit, balances[budget].spent) < least
    ]
    if refused:
        return max(refused, key=lambda one: (not one.fits_when_empty, one.budget.period is Period.MONTH))
    free = {budget: price.affordable_tokens(limit, _committed(balances[budget])) for budget, limit in limits.items()}
    for budget, room in free.items():
        if room < price.max_tokens and balances[budget].reserved != Amount():
            return MustWait(budget, balances[budget])
    tokens = min([price.max_tokens, *free.values()])
    return Fits(tokens, price.worst(tokens))


def _committed(balance: Balance) -> Amount:
    return balance.spent.plus(balance.reserved)


@dataclass(frozen=True, slots=True)
class UsedShare:
    """How much of a budget is spent, in dollars or tokens."""

    budget: Budget
    unit: Literal["usd", "tokens"]
    spent: float
    limit: float

    @property
    def share(self) -> float:
        """0 for nothing, 1 for all of it; a budget of nothing is spent."""
        return self.spent / self.limit if self.limit else 1.0


def tightest(limits: Mapping[Budget, Limit], balances: Mapping[Budget, Balance]) -> UsedShare | None:
    """The budget of which the largest share is spent; None without any."""
    used = []
    for budget, limit in limits.items():
        spent = balances[budget].spent
        if limit.usd is not None:
            used.append(UsedShare(budget, "usd", spent.usd, limit.usd))
        if limit.tokens is not None:
            used.append(UsedShare(budget, "tokens", spent.tokens, limit.tokens))
    return max(used, key=lambda one: one.share, default=None)


@dataclass(frozen=True, slots=True)
class PayingClass:
    """A class whose path a learner has a copy of; `limits` are what its teacher or an owner has set."""

    id: str
    name: str
    limits: PayerLimits = PayerLimits()
    model: ModelSwitch = "on"


def strictest_model(classes: Sequence[PayingClass]) -> ModelSwitch:
    """The model of a path that these classes gave: none before the local one, and that before the server's."""
    return max((one.model for one in classes), key=STRICTNESS.index, default="on")


@dataclass(frozen=True, slots=True)
class Payer:
    """The payer of a call: a run of a learner, and the class whose path it works on. A resumed run has another attempt
    id."""

    learner: str
    run_id: str
    attempt_id: str
    paying_class: PayingClass | None = None

    @property
    def class_id(self) -> str | None:
        return None if self.paying_class is None else self.paying_class.id


@dataclass(frozen=True, slots=True)
class Reservation:
    """The reservation of one call, which the deployment, the learner and the class pay, on the day it was made."""

    id: str
    payer: Payer
    reserved_at: datetime

    @property
    def day(self) -> date:
        return self.reserved_at.astimezone(UTC).date()

    @property
    def accounts(self) -> Sequence[str]:
        return accounts_of(self.payer.learner, self.payer.class_id)


def account_of(kind: str, payer_id: str) -> str:
    """The account of the deployment, or of this learner or class."""
    return kind if kind == DEPLOYMENT else f"{kind}:{payer_id}"


def accounts_of(learner: str, class_id: str | None = None) -> Sequence[str]:
    """The accounts that pay for a learner's calls, on a path of this class."""
    own = [account_of(whose, learner) for whose in (DEPLOYMENT, LEARNER)]
    return own if class_id is None else [*own, account_of(CLASS, class_id)]


def limits_by_budget(limits: Mapping[str, PayerLimits]) -> Mapping[Budget, Limit]:
    """The limits that are set, by budget."""
    return {
        Budget(account, period): its.of(period)
        for account, its in limits.items()
        for period in Period
        if not its.of(period).unset
    }


def first_day(day: date) -> date:
    """The first day of the day's month."""
    return day.replace(day=1)


def last_day(day: date) -> date:
    """The last day of the day's month."""
    return first_day(first_day(day) + timedelta(days=31)) - timedelta(days=1)


def next_reset(now: datetime, period: Period = Period.DAY) -> datetime:
    """The time at which a budget is free again: midnight, UTC, of the next day or month."""
    today = now.astimezone(UTC).date()
    last = today if period is Period.DAY else last_day(today)
    return datetime.combine(last + timedelta(days=1), time(), UTC)
