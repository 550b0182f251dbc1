"""Program runs: what came of running a learner's program, once for each of its tests."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from sprout.errors import SproutError
from sprout.learning.questions.program_tests import ProgramTest

MAX_CPU_S = 2  # processor seconds of one run


class ProgramEnd(StrEnum):
    """The way a run ended."""

    COMPLETE = "complete"
    NOT_COMPILED = "not_compiled"
    RAISED = "raised"
    RAISED_AFTER = "raised_after"  # the expression of the test did, not the program
    DIED = "died"  # without a word: it ended its process, or the interpreter failed
    TOO_SLOW = "too_slow"  # it used up its processor time
    TOO_LONG = "too_long"  # it printed more than is read


@dataclass(frozen=True, slots=True)
class ProgramRun:
    """One run of a program.

    Args:
        printed: its standard output.
        value: the `repr` of what the expression of the test gave.
        error: the name and the message of what was raised.
        line: of the program, from 1, where it was raised.
    """

    end: ProgramEnd
    printed: str = ""
    value: str | None = None
    error: str = ""
    line: int | None = None


class ProgramsUnavailable(SproutError):
    """Programs cannot be run now, or never on this system: nothing is known of the program."""


class ProgramRunner(Protocol):
    """Runs programs that may do anything, where they can do no harm."""

    async def run(self, program: str, tests: Sequence[ProgramTest]) -> Sequence[ProgramRun]:
        """A run for each test, in their order; none follows one that is too slow, or that Python cannot read.

        Raises ProgramsUnavailable.
        """
        ...
