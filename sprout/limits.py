"""Limits from the settings: requests, storage quotas, budgets."""

from collections.abc import Sequence

from sprout.config import AGENT_NAMES, PERIODS, Settings
from sprout.errors import SetupError
from sprout.events import Usage
from sprout.llm.catalogue import UNKNOWN, facts_of
from sprout.runs.budget.arithmetic import CLASS, DEPLOYMENT, LEARNER, Limit, PayerLimits
from sprout.store.engine.quotas import Quotas
from sprout.web.http.limits import WebLimits
from sprout.web.http.rate_limits import RateLimit

DAY_S = 24 * 3600


def web_limits(settings: Settings) -> WebLimits:
    """Size and rate limits of requests."""
    numbers = settings.limits
    return WebLimits(
        json_max_bytes=numbers.json_max_bytes,
        json_max_depth=numbers.json_max_depth,
        turn_max_bytes=numbers.turn_max_bytes,
        graph_max_bytes=numbers.graph_max_bytes,
        upload_max_bytes=settings.upload_max_bytes,
        upload_max_files=settings.upload_max_files,
        streams_per_learner=numbers.streams_per_learner,
        streams_per_address=numbers.streams_per_address,
        request_rate=_allowance(numbers.requests_per_s, numbers.requests_burst),
        run_rate=_allowance(numbers.runs_per_min and numbers.runs_per_min / 60, numbers.runs_burst),
        upload_rate=_allowance(numbers.uploads_per_day and numbers.uploads_per_day / DAY_S, numbers.uploads_per_day),
    )


def _allowance(per_s: float | None, burst: int | None) -> RateLimit | None:
    return RateLimit(per_s, burst) if per_s and burst else None


def quotas(settings: Settings) -> Quotas:
    """Quotas of one person: stored data, active runs, classes."""
    numbers = settings.limits
    return Quotas(
        paths=numbers.paths,
        nodes_per_path=numbers.nodes_per_path,
        documents_per_topic=numbers.documents_per_topic,
        stored_bytes=numbers.stored_bytes,
        runs_at_once=numbers.runs_at_once,
        classes=numbers.classes,
        members_per_class=numbers.members_per_class,
    )


def budget_limits(settings: Settings) -> dict[str, PayerLimits]:
    """The budgets. Raises SetupError: a budget in dollars needs the price of every model in use."""
    if settings.budgets.usd_only and (unpriced := _unpriced(settings)):
        raise SetupError(
            f"The price of the model {unpriced[0]!r} is not known, so a budget in dollars cannot be kept. Set one in "
            "tokens beside it: SPROUT_BUDGETS__LEARNER_TOKENS_PER_DAY, SPROUT_BUDGETS__DEPLOYMENT_TOKENS_PER_DAY."
        )
    return {payer: _limits_of(settings, payer) for payer in (LEARNER, CLASS, DEPLOYMENT)}


def _limits_of(settings: Settings, payer: str) -> PayerLimits:
    limits = settings.budgets.model_dump()
    day, month = (Limit(limits[f"{payer}_usd_per_{one}"], limits[f"{payer}_tokens_per_{one}"]) for one in PERIODS)
    return PayerLimits(day, month)


def _unpriced(settings: Settings) -> Sequence[str]:
    """The models in use without a known price."""
    agents = {*AGENT_NAMES, *settings.agents}  # an additional agent without its own setting uses the default model
    models = {settings.model_of(agent, small=small) for agent in agents for small in (False, True)}
    models |= {fallback for model in models if (fallback := settings.fallback_of(model)) is not None}
    return sorted(model for model in models if facts_of(model) is UNKNOWN)


def cost_usd(model: str, usage: Usage) -> float | None:
    """The cost of a usage in dollars; None if the model's price is unknown."""
    facts = facts_of(model)
    return None if facts is UNKNOWN else facts.priced(usage).cost_usd
