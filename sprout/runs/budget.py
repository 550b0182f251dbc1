"""What a day may cost, and how much of a model call fits into what is left of it; pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

NANO = 1_000_000_000
DEPLOYMENT = "deployment"
LEARNER = "learner"
LONGEST_CALL = timedelta(hours=1)
LEAST_REPLY_TOKENS = 1_000  # a reply that must be shorter than this is not worth its prompt
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
    """What an account has spent on a day, and what is held of it for calls that have not been settled."""

    spent: Amount = Amount()
    held: Amount = Amount()


@dataclass(frozen=True, slots=True)
class Limit:
    """How much an account may spend on a day (UTC); what is None is without limit."""

    usd: float | None = None
    tokens: int | None = None

    @property
    def unset(self) -> bool:
        return self.usd is None and self.tokens is None


@dataclass(frozen=True, slots=True)
class Price:
    """What one call costs at worst: its prompt, written to the cache, and each token of its reply.

    Args:
        wanted_tokens: of output at most.
    """

    prompt: Amount
    nano_usd_per_token: int
    wanted_tokens: int

    def worst(self, output_tokens: int) -> Amount:
        return self.prompt.plus(Amount(output_tokens * self.nano_usd_per_token, output_tokens))

    def room(self, limit: Limit, taken: Amount) -> int:
        """How many tokens of output still fit under the limit, beside what is taken; negative where none do."""
        return min(self._affordable(limit, taken), self._tokens_left(limit, taken))

    def short_of_money(self, limit: Limit, taken: Amount) -> bool:
        """Whether it is the money that sets the room, and not the tokens."""
        return self._affordable(limit, taken) <= self._tokens_left(limit, taken)

    def _affordable(self, limit: Limit, taken: Amount) -> int:
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
    """The call may be made with at most this much output: then it costs no more than `worst`."""

    output_tokens: int
    worst: Amount


@dataclass(frozen=True, slots=True)
class Waits:
    """There may be room once calls that are going have been settled."""

    account: str
    balance: Balance


@dataclass(frozen=True, slots=True)
class Refused:
    """There is no room on this day; `ever` says whether there is on a day on which nothing has been spent."""

    account: str
    balance: Balance
    ever: bool


Verdict = Fits | Waits | Refused


def fitted(price: Price, limits: Mapping[str, Limit], balances: Mapping[str, Balance]) -> Verdict:
    """Whether a call fits into all budgets (D16): whole, or cut to what is left once nothing else is held (I8)."""
    least = min(LEAST_REPLY_TOKENS, price.wanted_tokens)
    for account, limit in limits.items():
        if price.room(limit, balances[account].spent) < least:
            return Refused(account, balances[account], ever=price.room(limit, Amount()) >= least)
    free = {account: price.room(limit, _taken(balances[account])) for account, limit in limits.items()}
    for account, room in free.items():
        if room < price.wanted_tokens and balances[account].held != Amount():
            return Waits(account, balances[account])
    tokens = min(price.wanted_tokens, *free.values())
    return Fits(tokens, price.worst(tokens))


def _taken(balance: Balance) -> Amount:
    return balance.spent.plus(balance.held)


@dataclass(frozen=True, slots=True)
class Payer:
    """Who pays for a call: a run of a learner. A run that is taken up again has another taker."""

    learner: str
    run_id: str
    taker: str


@dataclass(frozen=True, slots=True)
class Ticket:
    """What is held for one call; both the learner and the deployment pay it, on the day on which it was taken."""

    id: str
    payer: Payer
    taken_at: datetime

    @property
    def day(self) -> date:
        return self.taken_at.astimezone(UTC).date()

    @property
    def accounts(self) -> Sequence[str]:
        return accounts_of(self.payer.learner)


def account_of(whose: str, learner: str) -> str:
    """The account of the deployment, or of this learner."""
    return whose if whose == DEPLOYMENT else f"{LEARNER}:{learner}"


def accounts_of(learner: str) -> Sequence[str]:
    """The two accounts that pay for a learner's calls."""
    return [account_of(whose, learner) for whose in (DEPLOYMENT, LEARNER)]


def free_again(now: datetime) -> datetime:
    """When a new day begins, and with it a new budget: the next midnight, UTC."""
    return datetime.combine(now.astimezone(UTC).date() + timedelta(days=1), time(), UTC)
