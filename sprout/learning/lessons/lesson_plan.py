"""Plan of a lesson: its steps, and the one that the learner is at."""

from collections.abc import Sequence
from dataclasses import dataclass

MAX_STEPS = 10


@dataclass(frozen=True, slots=True)
class LessonPlan:
    """Plan of a lesson: what the learner can do after each step, and the current step, from 1; 0 before the first.

    Args:
        asked: the steps that a question or a reading was about, in ascending order.
    """

    goals: tuple[str, ...] = ()
    step: int = 0
    asked: tuple[int, ...] = ()

    @property
    def step_count(self) -> int:
        return len(self.goals)

    def after(self, can: Sequence[str], asked: str, *, same_again: bool) -> "LessonPlan":
        """The plan once another question is asked, or a passage read. Its step is that of its goal, the next one if
        that is new.

        Args:
            can: a new plan, taken where there is none yet.
            asked: what the learner can do who answers the new question, or what the passage is about.
            same_again: whether it is about the same step as the question before.
        """
        lines = self.goals or tuple(dict.fromkeys(can))[:MAX_STEPS]
        if asked in lines:
            return self._at(lines, lines.index(asked) + 1)
        chunk = max(1, self.step if same_again else min(self.step + 1, MAX_STEPS))
        return self._at(lines if len(lines) >= chunk or not asked else (*lines, asked)[:MAX_STEPS], chunk)

    def _at(self, goals: tuple[str, ...], step: int) -> "LessonPlan":
        return LessonPlan(goals, step, tuple(sorted({*self.asked, step})))
