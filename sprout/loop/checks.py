"""The agent's own checks before a normal end (loop.md L13)."""

from collections.abc import Sequence
from dataclasses import dataclass

from sprout.loop.result import Forbid, StopCheck, TurnResult

CORRECTIONS_PER_CHECK = 2


@dataclass(frozen=True, slots=True)
class Onward:
    """The loop goes on: why, and what is said to the model first."""

    code: str
    say: str | None = None


class StopChecks:
    """Asks each check; a check may send the model a correction twice, and forbid the end as often as it must.

    `problems` is what the checks still had to say when they let the turn end.
    """

    def __init__(self, checks: Sequence[StopCheck]) -> None:
        self.problems: tuple[str, ...] = ()
        self._corrections_left = dict.fromkeys(checks, CORRECTIONS_PER_CHECK)

    def recall(self, objections: int) -> None:
        """Count what was objected under an earlier carrier; the first checks are taken to have spoken first."""
        for check, left in self._corrections_left.items():
            self._corrections_left[check] = max(0, left - objections)
            objections = max(0, objections - left)

    async def objection(self, result: TurnResult) -> Onward | None:
        """Why the turn goes on in spite of its end; None when it may end."""
        problems: list[str] = []
        for check, left in self._corrections_left.items():
            problem = await check(result)
            if isinstance(problem, Forbid):
                return Onward("stop_hook_forbidden", problem.say)
            if problem is not None and left:
                self._corrections_left[check] = left - 1
                return Onward("stop_hook_correction", problem)
            if problem is not None:
                problems.append(problem)
        self.problems = tuple(problems)
        return None
