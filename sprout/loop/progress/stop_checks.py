"""Stop checks: an agent's own checks before a turn ends normally."""

from collections.abc import Sequence
from dataclasses import dataclass

from sprout.loop.turn_steps import Forbid, StopCheck, TurnResult

CORRECTIONS_PER_CHECK = 2


@dataclass(frozen=True, slots=True)
class Continue:
    """The loop goes on.

    Args:
        code: the transition's code.
        message: goes to the model first.
    """

    code: str
    message: str | None = None


@dataclass(frozen=True, slots=True)
class Objections:
    """The outcome of the checks.

    Args:
        step: how the turn goes on in spite of its end; None when it may end.
        used: corrections sent so far, per check.
        problems: remaining objections of checks that have used up their corrections.
    """

    step: Continue | None
    used: tuple[int, ...]
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StopChecks:
    """The checks in their order; each may send the model two corrections, and forbid the end any number of times."""

    checks: Sequence[StopCheck] = ()

    async def review(self, result: TurnResult, used: Sequence[int]) -> Objections:
        """Ask each check until one objects."""
        counts = [*used, *[0] * (len(self.checks) - len(used))]
        problems: list[str] = []
        for at, check in enumerate(self.checks):
            problem = await check(result)
            if isinstance(problem, Forbid):
                return Objections(Continue("stop_hook_forbidden", problem.message), tuple(counts))
            if problem is not None and counts[at] < CORRECTIONS_PER_CHECK:
                counts[at] += 1
                return Objections(Continue("stop_hook_correction", problem), tuple(counts))
            if problem is not None:
                problems.append(problem)
        return Objections(None, tuple(counts), tuple(problems))
