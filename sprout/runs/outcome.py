"""How a loop's end becomes the end of its run, and why runs fail."""

from sprout.errors import ModelFailure, ModelFailureKind, SproutError
from sprout.loop.recovery import OVERLOAD_SCHEDULE
from sprout.loop.turn import TurnResult
from sprout.runs.state import RunError, RunState

WORTH_ANOTHER_TRY = OVERLOAD_SCHEDULE | {ModelFailureKind.RATE_LIMITED, ModelFailureKind.BUDGET_SPENT}
UNFINISHED = frozenset({"failed", "waiting_on_human"})
STATE_OF_ENDING = {"cancelled": RunState.CANCELLED, "failed": RunState.FAILED}
BROKE = RunError("internal", "Sprout itself failed here. The log says why; try again.", retryable=True)


class HardLimit(SproutError):
    """A run took longer than any run may."""

    def __init__(self, limit_s: float) -> None:
        super().__init__(f"This took longer than {limit_s / 60:.0f} minutes and was ended. What was saved is kept.")


def error_of(result: TurnResult) -> RunError | None:
    """Why a loop's end is a failure of its run; None where it is not."""
    return None if result.failure is None else _as_error(result.failure)


def _as_error(failure: ModelFailure) -> RunError:
    return RunError(failure.kind.value, str(failure), failure.kind in WORTH_ANOTHER_TRY)
