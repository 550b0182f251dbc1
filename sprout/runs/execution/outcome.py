"""Outcome of a run: its state and error by the end of its loop."""

from sprout.errors import ModelFailure, ModelFailureKind, SproutError
from sprout.events import ReachedLimit
from sprout.loop.model_call.retry import OVERLOAD_KINDS
from sprout.loop.turn import TurnResult
from sprout.runs.state import RunError, RunState

RETRYABLE_KINDS = OVERLOAD_KINDS | {
    ModelFailureKind.RATE_LIMITED,
    ModelFailureKind.BUDGET_SPENT,
    ModelFailureKind.NO_PROGRESS,
}
UNFINISHED_REASONS = frozenset({"failed", "waiting_on_human"})
STATE_BY_REASON = {"cancelled": RunState.CANCELLED, "failed": RunState.FAILED}
INTERNAL_ERROR = RunError("internal", "Sprout itself failed here. The log says why; try again.", retryable=True)


class HardLimit(SproutError):
    """A run exceeded the hard time limit."""

    def __init__(self, limit_s: float) -> None:
        self.limit = ReachedLimit(unit="seconds", amount=limit_s)
        super().__init__(f"This took longer than {limit_s / 60:.0f} minutes and was ended. What was saved is kept.")


def failure_of(result: TurnResult) -> RunError | None:
    """The error of a run by the end of its loop; None if it succeeded."""
    return None if result.failure is None else _run_error(result.failure)


def _run_error(failure: ModelFailure) -> RunError:
    return RunError(failure.kind.value, str(failure), failure.kind in RETRYABLE_KINDS)
