"""Refusal of a model call by an exhausted budget, or by a class without a model, as text for a person."""

import math
from collections.abc import Sequence
from datetime import datetime

from sprout.errors import Conflict, ModelFailure, ModelFailureKind, TooManyRequests
from sprout.runs.budget.arithmetic import (
    CLASS,
    LEARNER,
    Amount,
    Budget,
    Limit,
    MustWait,
    PayingClass,
    Period,
    Price,
    Refused,
    next_reset,
    strictest_model,
)

OWNERS = {LEARNER: "Your", CLASS: "Your class's"}
SERVERS = "This server's"
PERIODS = {Period.DAY: "a day", Period.MONTH: "a month"}
RESETS = {Period.DAY: "at midnight UTC", Period.MONTH: "on the first of the month"}
GOES_ON = "Reviews, reading and questions with choices go on."
CLASS_MODEL_REFUSALS = {
    "class_model_off": f"Your teacher has switched the model off for this class. {GOES_ON}",
    "class_model_local": (
        f"This class uses the server's local model alone, and this began with another. Start it again. {GOES_ON}"
    ),
    "class_model_missing": f"This class uses the server's local model alone, and the server has none now. {GOES_ON}",
}


class BudgetSpent(TooManyRequests):
    """A run that is not started, since a budget does not cover its first call.

    Args:
        free_at: when the budget begins anew; None where it never covers a call.
    """

    code = "budget_over"

    def __init__(
        self,
        message: str,
        *,
        free_at: datetime | None,
        retry_after_s: float,
        code: str | None = None,
        **params: str | float,
    ) -> None:
        super().__init__(message, retry_after_s=retry_after_s, code=code, **params)
        self.free_at = free_at


class ClassModelRefused(Conflict):
    """A run on a path of a class with a model that its teacher has not chosen for it."""


def class_model_refusal(classes: Sequence[PayingClass], model: str, local_model: str | None) -> ModelFailure | None:
    """The failure of a call on a path that these classes gave: the strictest of them decides. None if it may be made.

    Args:
        local_model: of the server, if it has one.
    """
    match strictest_model(classes):
        case "off":
            code = "class_model_off"
        case "local" if local_model is None:
            code = "class_model_missing"
        case "local" if model != local_model:
            code = "class_model_local"
        case _:
            return None
    return ModelFailure(ModelFailureKind.NO_PERMISSION, CLASS_MODEL_REFUSALS[code], code=code)


def refusal(limit: Limit, price: Price, verdict: MustWait | Refused, now: datetime) -> ModelFailure:
    """Names the budget, its spending and the time of its reset; `retry_after_s` is the time until then."""
    spent, period = verdict.balance.spent, verdict.budget.period
    in_money = price.limited_by_usd(limit, spent)
    size = _dollars(limit.usd or 0.0) if in_money else f"{limit.tokens:,} tokens"
    used = _dollars(spent.usd) if in_money else f"{spent.tokens:,} tokens"
    budget = f"{OWNERS.get(verdict.budget.kind, SERVERS)} budget of {size} {PERIODS[period]}"
    amount, spent_amount, unit = _values(limit, spent, in_money=in_money)
    if isinstance(verdict, MustWait):
        message = f"{budget} is held by calls that are going on ({used} used). Try again in a few minutes."
        return ModelFailure(
            ModelFailureKind.BUDGET_SPENT, message, code="budget_held", size=amount, used=spent_amount, unit=unit
        )
    if not verdict.fits_when_empty:
        return _too_small(verdict.budget, budget, "USD" if in_money else "TOKENS", size=amount, unit=unit)
    wait_s = (next_reset(now, period) - now).total_seconds()
    what = f"{budget} is spent: {used} used, and what is left does not cover another call."
    message, wait = f"{what} It is free again {RESETS[period]}, in {{wait}}.", _duration(wait_s)
    if period is Period.MONTH:
        return ModelFailure(
            ModelFailureKind.BUDGET_SPENT,
            message,
            code="budget_spent_month",
            retry_after_s=wait_s,
            wait=wait,
            size=amount,
            used=spent_amount,
            unit=unit,
        )
    return ModelFailure(
        ModelFailureKind.BUDGET_SPENT,
        message,
        retry_after_s=wait_s,
        wait=wait,
        size=amount,
        used=spent_amount,
        unit=unit,
    )


def run_refusal(why: ModelFailure, period: Period, free_at: datetime | None) -> BudgetSpent:
    """The refusal of a run whose first call would be refused so."""
    message, wait_s, values = f"{why} {GOES_ON}", why.retry_after_s, why.params
    if free_at is None or wait_s is None:
        never = BudgetSpent(f"{why} {GOES_ON}", free_at=None, retry_after_s=math.inf)
        never.code, never.params = why.code, values
        return never
    wait, size, used, unit = (values[name] for name in ("wait", "size", "used", "unit"))
    if period is Period.MONTH:
        return BudgetSpent(
            message,
            code="budget_over_month",
            free_at=free_at,
            retry_after_s=wait_s,
            wait=wait,
            size=size,
            used=used,
            unit=unit,
        )
    return BudgetSpent(message, free_at=free_at, retry_after_s=wait_s, wait=wait, size=size, used=used, unit=unit)


def _too_small(budget: Budget, words: str, currency: str, *, size: str | float, unit: str) -> ModelFailure:
    """The failure of a call that fits into no day or month, with who can help."""
    less = f"{words} is less than one call may cost."
    if budget.kind == CLASS:
        message = f"{less} Your teacher can raise it."
        return ModelFailure(ModelFailureKind.BUDGET_SPENT, message, code="class_budget_too_small", size=size, unit=unit)
    return ModelFailure(
        ModelFailureKind.BUDGET_SPENT,
        f"{less} The operator of this server can raise it with {{setting}}.",
        code="budget_too_small",
        size=size,
        unit=unit,
        setting=f"SPROUT_BUDGETS__{budget.kind}_{currency}_PER_{budget.period}".upper(),
    )


def _values(limit: Limit, spent: Amount, *, in_money: bool) -> tuple[str | float, str | float, str]:
    """The budget and what is used of it, with their unit; dollars as text, which keeps their cents."""
    if in_money:
        return _dollars(limit.usd or 0.0)[1:], _dollars(spent.usd)[1:], "USD"
    return limit.tokens or 0, spent.tokens, "tokens"


def _dollars(usd: float) -> str:
    return f"${usd:,.2f}" if usd >= 0.1 or usd == 0 else f"${usd:.4f}"


def _duration(seconds: float) -> str:
    hours, minutes = divmod(max(1, round(seconds / 60)), 60)
    days, hours = divmod(hours, 24)
    if days:
        return f"{days} d {hours} h"
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
