"""Program tests: runs of a learner's program, each with what must come out of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sprout.learning.text.normalization import tidy

MAX_PROGRAM_TESTS = 8
MAX_TEST_TEXT = 2_000  # characters of each part


@dataclass(frozen=True, slots=True)
class ProgramTest:
    """One run of a learner's program; either `prints`, or `after` and `gives`.

    Args:
        before: code that runs before the program.
        typed: lines that `input()` reads.
        prints: what the program must print; white space at the ends of lines does not count.
        after: an expression that is evaluated after the program.
        gives: the `repr` that its value must have.
        misconception: what a learner believes whose program fails this test.
    """

    before: str = ""
    typed: str = ""
    prints: str | None = None
    after: str | None = None
    gives: str | None = None
    misconception: str | None = None


def tidy_test(test: ProgramTest) -> ProgramTest:
    """The test as it can be kept: indentation stays."""
    return ProgramTest(
        before=_tidy_lines(test.before),
        typed=_tidy_lines(test.typed),
        prints=None if test.prints is None else _tidy_lines(test.prints),
        after=tidy(test.after or "") or None,
        gives=tidy(test.gives or "") or None,
        misconception=tidy(test.misconception or "") or None,
    )


def program_test_faults(tests: Sequence[ProgramTest]) -> Iterator[str]:
    """Faults that keep the tests from marking anything, in sentences for their author that hold no secret."""
    if len(tests) > MAX_PROGRAM_TESTS:
        yield f"There are {len(tests)} program tests: keep the {MAX_PROGRAM_TESTS} that tell most."
    for position, test in enumerate(tests, start=1):
        if (test.after is None) != (test.gives is None):
            yield f"Program test {position} has only one of after and gives: write both, or prints."
        elif (test.prints is None) == (test.gives is None):
            yield f"Program test {position} needs either prints, or after and gives: write one of them."
        parts = (test.before, test.typed, test.prints, test.after, test.gives, test.misconception)
        if any(len(part) > MAX_TEST_TEXT for part in parts if part):
            yield f"Program test {position} has a part of more than {MAX_TEST_TEXT} characters: shorten it."
    if len({(test.before, test.typed, test.prints, test.after, test.gives) for test in tests}) < len(tests):
        yield "Two program tests are the same: leave one out."


def _tidy_lines(text: str) -> str:
    return "\n".join(_tidy_line(line) for line in text.splitlines()).strip("\n")


def _tidy_line(line: str) -> str:
    indentation = line[: len(line) - len(line.lstrip(" \t"))]
    return (indentation + tidy(line)).rstrip()
