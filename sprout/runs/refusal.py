"""What a person is told where a budget of the day has no room for a call."""

from datetime import datetime

from sprout.errors import ModelFailure, ModelFailureKind
from sprout.runs.budget import LEARNER, Limit, Price, Refused, Waits, free_again

WHOSE = {LEARNER: "Your"}
SERVERS = "This server's"


def refusal(whose: str, limit: Limit, price: Price, verdict: Waits | Refused, now: datetime) -> ModelFailure:
    """Which budget it is, what is used of it, and when there is room again; `retry_after_s` is until then."""
    spent = verdict.balance.spent
    in_money = price.short_of_money(limit, spent)
    size = _dollars(limit.usd or 0.0) if in_money else f"{limit.tokens:,} tokens"
    used = _dollars(spent.usd) if in_money else f"{spent.tokens:,} tokens"
    budget = f"{WHOSE.get(whose, SERVERS)} budget of {size} a day"
    if isinstance(verdict, Waits):
        return _spent(f"{budget} is held by calls that are going on ({used} used). Try again in a few minutes.")
    if not verdict.ever:
        setting = f"SPROUT_BUDGETS__{whose.upper()}_{'USD' if in_money else 'TOKENS'}_PER_DAY"
        return _spent(f"{budget} is less than one call may cost. Whoever runs Sprout can raise it with {setting}.")
    wait_s = (free_again(now) - now).total_seconds()
    what = f"{budget} is spent: {used} used, and what is left does not cover another call."
    return _spent(f"{what} It is free again at midnight UTC, in {_duration(wait_s)}.", wait_s)


def _spent(message: str, wait_s: float | None = None) -> ModelFailure:
    return ModelFailure(ModelFailureKind.BUDGET_SPENT, message, retry_after_s=wait_s)


def _dollars(usd: float) -> str:
    return f"${usd:,.2f}" if usd >= 0.1 or usd == 0 else f"${usd:.4f}"


def _duration(seconds: float) -> str:
    hours, minutes = divmod(max(1, round(seconds / 60)), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
