"""Messages of Python's in words for a beginner (A11)."""

import pytest

from sprout.learning.marking.program_faults import fault_in_words
from sprout.learning.marking.program_marking import mark_program
from sprout.learning.marking.program_runs import ProgramEnd, ProgramRun
from sprout.learning.questions.program_tests import ProgramTest
from sprout.programs.runner import SandboxedRunner


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("a = 1\nprint(2(a + 3))", "A number stands right before a bracket"),
        ("xs = [1]\nprint(xs(0))", "Round brackets behind a value"),
        ("def f():\n    print(1)\nprint(f() + f())", "One of the values is None"),
        ("print('3' + 1)", "A text and a number meet there"),
        ("print(3 + '1')", "A text and a number meet there"),
        ("print(3 < '1')", "Two kinds of value"),
        ("xs = [1]\nprint(xs[1])", "positions begin at 0"),
        ("xs = [1]\nprint(xs['a'])", "a position, which is a whole number"),
        ("for n in 3:\n    print(n)", "A loop takes values from a list"),
        ("print(tottal)", "Nothing was stored under this name"),
        ("if True:\nprint(1)", "stand further to the right"),
        ("retrun 3", "Did you mean `return` by `retrun`?"),
        ("print(1", ""),
        ("print(int('a'))", ""),
    ],
)
async def test_A11_a_message_of_pythons_is_put_in_words(program: str, words: str) -> None:
    (run,) = await SandboxedRunner().run(program, [ProgramTest(prints="1")])
    assert run.end in (ProgramEnd.RAISED, ProgramEnd.NOT_COMPILED)
    said = fault_in_words(program, run)
    assert (words in said) if words else said == ""


@pytest.mark.parametrize(
    ("program", "test", "words"),
    [
        ("leave = typed == q", ProgramTest(before='typed = "q"', after="leave", gives="True"), "`q` is a name"),
        ("today = [soup]", ProgramTest(after="today", gives="['soup']"), "`soup` is a name"),
        ("(taxi + toll) / 5", ProgramTest(before="taxi = 32; toll = 8", prints="8.0"), "takes `print`"),
        ("before = [4].copy", ProgramTest(after="before", gives="[4]"), "`copy` was not called"),
        ("it has to be n = 3 + v", ProgramTest(after="n", gives="4"), "NameError: name 'v'"),
    ],
)
async def test_A11_what_a_beginner_leaves_out_is_named(program: str, test: ProgramTest, words: str) -> None:
    grade = await mark_program(SandboxedRunner(), [test], program)
    assert words in grade.next_step
    assert " at 0x" not in grade.next_step


def test_A11_a_call_that_prints_nothing_is_no_value_left_unshown() -> None:
    run = ProgramRun(ProgramEnd.COMPLETE)
    for program in ("xs.append(3)", "x = 3 + 4", "pass", "import math", "def f():\n    return 3", ""):
        assert fault_in_words(program, run) == "", program
    assert "takes `print`" in fault_in_words("a = 3\na + 4", run)


def test_A11_what_the_test_lacks_is_not_said_twice() -> None:
    run = ProgramRun(ProgramEnd.RAISED_AFTER, error="NameError: name 'f' is not defined")
    assert fault_in_words("x = 1", run) == ""


def test_A11_who_replaces_what_is_given_is_told() -> None:
    run = ProgramRun(ProgramEnd.COMPLETE, value="[5.0]")
    program = "prices = [10, 60]\ncheap = []"
    assert "another value under `prices`" in fault_in_words(program, run, given="prices = [40, 60, 15]")
    assert "under `n`" in fault_in_words("n = 4  # mine\nprint(n)", run, given="n = 2")
    for own in (
        "prices = prices + [1]",
        "prices = [p / 2 for p in prices]",
        "n = 2 * n",
        "def f():\n    n = 4",
        "(" * 5_000,
    ):
        assert fault_in_words(own, run, given="prices = [40]\nn = 2") == ""
