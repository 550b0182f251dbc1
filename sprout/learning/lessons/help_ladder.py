"""Help ladder of a question: the next step, and when the answer may be shown."""

from dataclasses import dataclass, replace
from enum import IntEnum, StrEnum


class HelpLevel(IntEnum):
    """Level of help that has been given; the numbers are those of `help_level` in an attempt."""

    NONE = 0
    READ_AGAIN = 1
    LOOK_HERE = 2
    PARALLEL = 3
    WORKED_STEP = 4


class LadderStep(StrEnum):
    """Step of the ladder that follows a turn, decided by code. The last four end the question."""

    WAIT = "wait"
    GIVE_HELP = "give_help"
    COMPARE = "compare"  # the learner puts the model answer beside their own
    SOLVED = "solved"
    COMPARED = "compared"
    WORK_THROUGH = "work_through"
    CHANGED = "changed"  # put away for another question


_ENDS = frozenset({LadderStep.SOLVED, LadderStep.COMPARED, LadderStep.WORK_THROUGH, LadderStep.CHANGED})
MAX_UNMARKED = 2  # attempts in a row


@dataclass(frozen=True, slots=True)
class HelpLadder:
    """Ladder of help for one question, kept by the server. Each operation returns a new ladder.

    Every turn moves: a wrong attempt, not knowing and a request each bring the next level, and after the last one the
    worked solution. A changed form of the question begins with a ladder of its own. A ladder that has ended stays as it
    is, and while the learner compares, only the comparison, `show` and `change` move it.

    Args:
        level: the help given so far, which is also the `help_level` of an attempt that is made now.
        attempts: number of genuine ones.
        unmarked: number of attempts in a row that could not be marked.
        step: what follows from the last operation.
        given: the help that the question itself holds: a case of which all but one step is worked is a partly worked
            parallel, so that filling the gap is practice from the first attempt on.
    """

    level: HelpLevel = HelpLevel.NONE
    attempts: int = 0
    unmarked: int = 0
    step: LadderStep = LadderStep.WAIT
    given: HelpLevel = HelpLevel.NONE

    @property
    def is_new(self) -> bool:
        """Whether nothing has happened since the question was asked."""
        return self == HelpLadder(self.given, given=self.given)

    @property
    def ended(self) -> bool:
        return self.step in _ENDS

    @property
    def comparing(self) -> bool:
        return self.step is LadderStep.COMPARE

    @property
    def may_show_answer(self) -> bool:
        """Whether the solution was shown, so that a changed form of the question follows."""
        return self.step in {LadderStep.WORK_THROUGH, LadderStep.COMPARED}

    def after_attempt(self, *, right: bool | None) -> "HelpLadder":
        """A genuine attempt was graded; None is one in sentences that could not be marked: the second is compared."""
        if self._is_settled:
            return self
        tried = replace(self, attempts=self.attempts + 1, unmarked=0)
        if right is not None:
            return replace(tried, step=LadderStep.SOLVED) if right else tried.after_help()
        unmarked = self.unmarked + 1
        return replace(
            tried, unmarked=unmarked, step=LadderStep.COMPARE if unmarked >= MAX_UNMARKED else LadderStep.WAIT
        )

    def after_unread(self) -> "HelpLadder":
        """An answer that code marks and cannot read, a number or a program: the second in a row brings help."""
        if self._is_settled:
            return self
        tried = replace(self, attempts=self.attempts + 1, unmarked=self.unmarked + 1, step=LadderStep.WAIT)
        return tried if tried.unmarked < MAX_UNMARKED else replace(tried, unmarked=0).after_help()

    def after_help(self) -> "HelpLadder":
        """Help was asked for or is due: the next level, and after the last one the worked solution."""
        if self._is_settled:
            return self
        if self.level is HelpLevel.WORKED_STEP:
            return self.show()
        return replace(self, level=HelpLevel(self.level + 1), step=LadderStep.GIVE_HELP)

    def compare(self) -> "HelpLadder":
        """The answer is left to the learner to compare."""
        return self if self.ended else replace(self, step=LadderStep.COMPARE)

    def answered_anew(self) -> "HelpLadder":
        """Another answer has taken the place of the one that waits to be compared."""
        return replace(self, attempts=self.attempts + 1) if self.comparing else self

    def after_comparison(self) -> "HelpLadder":
        """The learner has said what their answer shows."""
        return replace(self, step=LadderStep.COMPARED) if self.comparing else self

    def show(self) -> "HelpLadder":
        """The solution is worked through at once; nothing counts."""
        return self if self.ended else replace(self, step=LadderStep.WORK_THROUGH)

    def change(self) -> "HelpLadder":
        """The question is put away."""
        return self if self.ended else replace(self, step=LadderStep.CHANGED)

    def wait(self) -> "HelpLadder":
        """Words beside the question."""
        return self if self._is_settled else replace(self, step=LadderStep.WAIT)

    @property
    def _is_settled(self) -> bool:
        return self.ended or self.comparing


GAP_LADDER = HelpLadder(HelpLevel.PARALLEL, given=HelpLevel.PARALLEL)  # of a worked case with one step left out
