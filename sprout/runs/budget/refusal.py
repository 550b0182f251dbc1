"""Refusal of a model call by an exhausted budget, as text for a person."""

from datetime import datetime

from sprout.errors import ModelFailure, ModelFailureKind
from sprout.runs.budget.arithmetic import LEARNER, Amount, DailyLimit, MustWait, Price, Refused, next_reset

OWNERS = {LEARNER: "Your"}
SERVERS = "This server's"


def refusal(whose: str, limit: DailyLimit, price: Price, verdict: MustWait | Refused, now: datetime) -> ModelFailure:
    """Names the budget, its spending and the time of its reset; `retry_after_s` is the time until then."""
    spent = verdict.balance.spent
    in_money = price.limited_by_usd(limit, spent)
    size = _dollars(limit.usd or 0.0) if in_money else f"{limit.tokens:,} tokens"
    used = _dollars(spent.usd) if in_money else f"{spent.tokens:,} tokens"
    budget = f"{OWNERS.get(whose, SERVERS)} budget of {size} a day"
    amount, spent_amount, unit = _values(limit, spent, in_money=in_money)
    if isinstance(verdict, MustWait):
        message = f"{budget} is held by calls that are going on ({used} used). Try again in a few minutes."
        return ModelFailure(
            ModelFailureKind.BUDGET_SPENT, message, code="budget_held", size=amount, used=spent_amount, unit=unit
        )
    if not verdict.fits_empty_day:
        return ModelFailure(
            ModelFailureKind.BUDGET_SPENT,
            f"{budget} is less than one call may cost. The operator of this server can raise it with {{setting}}.",
            code="budget_too_small",
            size=amount,
            used=spent_amount,
            unit=unit,
            setting=f"SPROUT_BUDGETS__{whose.upper()}_{'USD' if in_money else 'TOKENS'}_PER_DAY",
        )
    wait_s = (next_reset(now) - now).total_seconds()
    what = f"{budget} is spent: {used} used, and what is left does not cover another call."
    return ModelFailure(
        ModelFailureKind.BUDGET_SPENT,
        f"{what} It is free again at midnight UTC, in {{wait}}.",
        retry_after_s=wait_s,
        wait=_duration(wait_s),
        size=amount,
        used=spent_amount,
        unit=unit,
    )


def _values(limit: DailyLimit, spent: Amount, *, in_money: bool) -> tuple[str | float, str | float, str]:
    """The budget and what is used of it, with their unit; dollars as text, which keeps their cents."""
    if in_money:
        return _dollars(limit.usd or 0.0)[1:], _dollars(spent.usd)[1:], "USD"
    return limit.tokens or 0, spent.tokens, "tokens"


def _dollars(usd: float) -> str:
    return f"${usd:,.2f}" if usd >= 0.1 or usd == 0 else f"${usd:.4f}"


def _duration(seconds: float) -> str:
    hours, minutes = divmod(max(1, round(seconds / 60)), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
