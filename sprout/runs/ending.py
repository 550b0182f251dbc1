"""Ending of a run in words: what happened, and what a person can do next."""

from sprout.events import ReachedLimit
from sprout.runs.state import Run, RunState

LIMIT_NAMES = {
    "iterations": "max_iterations",
    "tokens": "max_run_tokens",
    "usd": "max_run_cost_usd",
    "seconds": "soft_limit_s",
}
EARLY_ENDINGS = {
    "max_iterations": "reached its limit of steps",
    "budget": "spent its budget",
    "soft_limit": "ran out of time",
    "refusal": "was declined by the model",
    "stuck": "was going in circles",
}
OTHER_ENDINGS = {
    "discarded": "The run was discarded.",
    "started_again": "The run was started over.",
    "root_ended": "The run ended with the one that had started it.",
}
SAVED = "What it saved is kept."
UNSAVED = "It had not saved anything yet."


def early_ending(reason: str, limit: ReachedLimit | None = None) -> str | None:
    """Predicate for a run that ended before its work was done ("spent its budget of 4,000 tokens"); else None."""
    match limit:
        case None:
            return EARLY_ENDINGS.get(reason)
        case ReachedLimit(unit="iterations", amount=amount):
            return f"reached its limit of {amount:,.0f} {'step' if amount == 1 else 'steps'}"
        case ReachedLimit(unit="tokens", amount=amount):
            return f"spent its budget of {amount:,.0f} tokens"
        case ReachedLimit(unit="usd", amount=amount):
            return f"spent its budget of {_dollars(amount)}"
        case ReachedLimit(amount=amount):
            return f"ran out of time after {_duration(amount)}"


def early_ending_words(reason: str, limit: ReachedLimit | None, agent: str, *, saved: bool) -> str | None:
    """Sentences about a run that ended before its work was done, with what to do; None for any other reason."""
    happened = early_ending(reason, limit)
    if happened is None:
        return None
    return f"The run {happened}. {SAVED if saved else UNSAVED} {_advice(reason, limit, agent, saved=saved)}"


def ending_words(run: Run) -> str | None:
    """Sentences for a person on how the run ended; None until then."""
    if not run.ended:
        return None
    if run.error is not None:
        return run.error.message
    if early := early_ending_words(run.reason or "", run.reached_limit, run.agent, saved=True):
        return early
    if run.state is RunState.COMPLETED:
        return "The run is complete."
    return OTHER_ENDINGS.get(run.reason or "", f"The run was stopped. {SAVED}")


def _advice(reason: str, limit: ReachedLimit | None, agent: str, *, saved: bool) -> str:
    if limit is not None:
        setting = f"SPROUT_AGENTS__{agent.upper()}__{LIMIT_NAMES[limit.unit].upper()}"
        return f"Start it again to continue, or raise {setting}." if saved else f"Raise {setting}, and start it again."
    if reason == "refusal":
        return "Put the topic in other words, and start it again."
    return "Start it again to continue." if saved else "Start it again."


def _dollars(usd: float) -> str:
    return f"${usd:,.2f}" if usd >= 0.1 else f"${usd:.4f}"


def _duration(seconds: float) -> str:
    return f"{seconds / 60:,.0f} min" if seconds >= 120 else f"{seconds:,.0f} s"
