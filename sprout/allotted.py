"""How much of everything there may be, as the settings say it: requests, what is kept, money and tokens of a day."""

from collections.abc import Sequence

from sprout.config import AGENT_NAMES, Settings
from sprout.errors import SetupError
from sprout.events import Usage
from sprout.llm.catalogue import UNKNOWN, facts_of
from sprout.runs.budget import DEPLOYMENT, LEARNER, Limit
from sprout.store.quotas import Quotas
from sprout.web.pace import Allowance
from sprout.web.parts import Limits

DAY_S = 24 * 3600


def limits_of_web(settings: Settings) -> Limits:
    """What one request may bring, and how often there may be another."""
    numbers = settings.limits
    return Limits(
        json_max_bytes=numbers.json_max_bytes,
        json_max_depth=numbers.json_max_depth,
        turn_max_bytes=numbers.turn_max_bytes,
        graph_max_bytes=numbers.graph_max_bytes,
        upload_max_bytes=settings.upload_max_bytes,
        upload_max_files=settings.upload_max_files,
        streams_per_learner=numbers.streams_per_learner,
        streams_per_address=numbers.streams_per_address,
        requests=_allowance(numbers.requests_per_s, numbers.requests_burst),
        runs=_allowance(numbers.runs_per_min and numbers.runs_per_min / 60, numbers.runs_burst),
        uploads=_allowance(numbers.uploads_per_day and numbers.uploads_per_day / DAY_S, numbers.uploads_per_day),
    )


def _allowance(per_s: float | None, burst: int | None) -> Allowance | None:
    return Allowance(per_s, burst) if per_s and burst else None


def quotas(settings: Settings) -> Quotas:
    """How much a learner may keep, and have going."""
    numbers = settings.limits
    return Quotas(
        paths=numbers.paths,
        nodes_per_path=numbers.nodes_per_path,
        documents_per_topic=numbers.documents_per_topic,
        stored_bytes=numbers.stored_bytes,
        runs_at_once=numbers.runs_at_once,
    )


def budgets_of_a_day(settings: Settings) -> dict[str, Limit]:
    """The budgets of a day. Raises SetupError: one in dollars cannot be kept, since a model's price is not known."""
    budgets = settings.budgets
    if budgets.in_dollars_alone and (unpriced := _unpriced(settings)):
        raise SetupError(
            f"The price of the model {unpriced[0]!r} is not known, so a budget in dollars cannot be kept. Set one in "
            "tokens beside it: SPROUT_BUDGETS__LEARNER_TOKENS_PER_DAY, SPROUT_BUDGETS__DEPLOYMENT_TOKENS_PER_DAY."
        )
    return {
        LEARNER: Limit(budgets.learner_usd_per_day, budgets.learner_tokens_per_day),
        DEPLOYMENT: Limit(budgets.deployment_usd_per_day, budgets.deployment_tokens_per_day),
    }


def _unpriced(settings: Settings) -> Sequence[str]:
    """The models in use whose price is not known."""
    agents = {*AGENT_NAMES, *settings.agents}  # an added one without a setting of its own uses the model of the others
    models = {settings.model_of(agent, small=small) for agent in agents for small in (False, True)}
    models |= {fallback for model in models if (fallback := settings.fallback_of(model)) is not None}
    return sorted(model for model in models if facts_of(model) is UNKNOWN)


def cost_usd(model: str, usage: Usage) -> float | None:
    """What a usage of a model costs; None where its price is not known."""
    facts = facts_of(model)
    return None if facts is UNKNOWN else facts.priced(usage).cost_usd
