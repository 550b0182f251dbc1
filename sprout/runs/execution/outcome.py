"""Outcome of a run: its state and error by the end of its loop."""

from sprout.errors import ModelFailureKind, SproutError
from sprout.events import ReachedLimit
from sprout.loop.model_call.retry import OVERLOAD_KINDS
from sprout.loop.turn import TurnResult
from sprout.runs.state import RunError, RunState

RETRYABLE_KINDS = OVERLOAD_KINDS | {
    ModelFailureKind.RATE_LIMITED,
    ModelFailureKind.BUDGET_SPENT,
    ModelFailureKind.NO_PROGRESS,
    ModelFailureKind.NO_TOOL_CALLS,
    ModelFailureKind.READING,
    ModelFailureKind.REPEATING,
}
UNFINISHED_REASONS = frozenset({"failed", "waiting_on_human"})
STATE_BY_REASON = {"cancelled": RunState.CANCELLED, "failed": RunState.FAILED}
INTERNAL_ERROR = RunError("internal", "Sprout itself failed here. The log says why; try again.", retryable=True)


class HardLimit(SproutError):
    """A run exceeded the hard time limit."""

    code = "hard_limit"

    def __init__(self, limit_s: float) -> None:
        self.limit = ReachedLimit(unit="seconds", amount=limit_s)
        super().__init__(
            "This took longer than {minutes:.0f} minutes and was ended. What was saved is kept.", minutes=limit_s / 60
        )


def failure_of(result: TurnResult) -> RunError | None:
    """The error of a run by the end of its loop; None if it succeeded."""
    failure = result.failure
    return None if failure is None else error_of(failure, retryable=failure.kind in RETRYABLE_KINDS)


def error_of(error: SproutError, *, retryable: bool) -> RunError:
    """The error of a run that ends with this one."""
    return RunError(error.code, str(error), retryable, error.params)
