"""Budget arithmetic: amounts, limits, and how much of a model call fits into what is left. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

NANO = 1_000_000_000
DEPLOYMENT = "deployment"
LEARNER = "learner"
MAX_CALL_DURATION = timedelta(hours=1)
MIN_REPLY_TOKENS = 1_000  # a reply that must be shorter than this is not worth its prompt
NO_LIMIT = 2**62


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
    """The spending of an account on a day, and its open reservations."""

    spent: Amount = Amount()
    reserved: Amount = Amount()


@dataclass(frozen=True, slots=True)
class DailyLimit:
    """The limit of an account per day (UTC); None is unlimited."""

    usd: float | None = None
    tokens: int | None = None

    @property
    def unset(self) -> bool:
        return self.usd is None and self.tokens is None


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

    def affordable_tokens(self, limit: DailyLimit, taken: Amount) -> int:
        """The number of output tokens that fit under the limit beside the balance; negative if none do."""
        return min(self._tokens_for_usd(limit, taken), self._tokens_left(limit, taken))

    def limited_by_usd(self, limit: DailyLimit, taken: Amount) -> bool:
        """Whether money is the tighter limit, not tokens."""
        return self._tokens_for_usd(limit, taken) <= self._tokens_left(limit, taken)

    def _tokens_for_usd(self, limit: DailyLimit, taken: Amount) -> int:
        if limit.usd is None:
            return NO_LIMIT
        left = round(limit.usd * NANO) - taken.nano_usd - self.prompt.nano_usd
        if self.nano_usd_per_token:
            return left // self.nano_usd_per_token
        return NO_LIMIT if left >= 0 else -1

    def _tokens_left(self, limit: DailyLimit, taken: Amount) -> int:
        return NO_LIMIT if limit.tokens is None else limit.tokens - taken.tokens - self.prompt.tokens


@dataclass(frozen=True, slots=True)
class Fits:
    """The call fits with at most this much output: then it costs no more than `worst`."""

    output_tokens: int
    worst: Amount


@dataclass(frozen=True, slots=True)
class MustWait:
    """The call may fit once active calls have been settled."""

    account: str
    balance: Balance


@dataclass(frozen=True, slots=True)
class Refused:
    """The call does not fit today; `ever` tells whether it fits on a day without spending."""

    account: str
    balance: Balance
    fits_empty_day: bool


BudgetDecision = Fits | MustWait | Refused


def fit_call(price: Price, limits: Mapping[str, DailyLimit], balances: Mapping[str, Balance]) -> BudgetDecision:
    """Whether a call fits into all budgets: whole, or, without other reservations, cut to what is left."""
    least = min(MIN_REPLY_TOKENS, price.max_tokens)
    for account, limit in limits.items():
        if price.affordable_tokens(limit, balances[account].spent) < least:
            return Refused(account, balances[account], fits_empty_day=price.affordable_tokens(limit, Amount()) >= least)
    free = {account: price.affordable_tokens(limit, _committed(balances[account])) for account, limit in limits.items()}
    for account, room in free.items():
        if room < price.max_tokens and balances[account].reserved != Amount():
            return MustWait(account, balances[account])
    tokens = min(price.max_tokens, *free.values())
    return Fits(tokens, price.worst(tokens))


def _committed(balance: Balance) -> Amount:
    return balance.spent.plus(balance.reserved)


@dataclass(frozen=True, slots=True)
class Payer:
    """The payer of a call: a run of a learner. A resumed run has another attempt id."""

    learner: str
    run_id: str
    attempt_id: str


@dataclass(frozen=True, slots=True)
class Reservation:
    """The reservation of one call; both the learner and the deployment pay it, on the day it was made."""

    id: str
    payer: Payer
    reserved_at: datetime

    @property
    def day(self) -> date:
        return self.reserved_at.astimezone(UTC).date()

    @property
    def accounts(self) -> Sequence[str]:
        return accounts_of(self.payer.learner)


def account_of(kind: str, learner: str) -> str:
    """The account of the deployment, or of this learner."""
    return kind if kind == DEPLOYMENT else f"{LEARNER}:{learner}"


def accounts_of(learner: str) -> Sequence[str]:
    """The two accounts that pay for a learner's calls."""
    return [account_of(whose, learner) for whose in (DEPLOYMENT, LEARNER)]


def next_reset(now: datetime) -> datetime:
    """The time of the next budget reset: midnight, UTC."""
    return datetime.combine(now.astimezone(UTC).date() + timedelta(days=1), time(), UTC)
