"""Marking of programs by their runs (A11)."""

import pytest

from sprout.learning.marking.grades import GradeState, Remedy
from sprout.learning.marking.program_marking import NO_PROGRAM, grade_runs, passes, program_in, run_labels
from sprout.learning.marking.program_runs import ProgramEnd, ProgramRun
from sprout.learning.mastery.mastery import RIGHT_FROM
from sprout.learning.questions.program_tests import ProgramTest

LARGE = ProgramTest(before="size = 10", prints="True")
SMALL = ProgramTest(before="size = 3", prints="False", misconception="thinks that > holds for equal numbers")


def printed(output: str) -> ProgramRun:
    return ProgramRun(ProgramEnd.COMPLETE, output)


def gave(value: str) -> ProgramRun:
    return ProgramRun(ProgramEnd.COMPLETE, value=value)


def step(test: ProgramTest, run: ProgramRun, program: str = "print(1)") -> str:
    return grade_runs(program, [test], [run]).next_step


def test_A11_a_program_that_passes_all_tests_is_right() -> None:
    grade = grade_runs("print(size > 5)", [LARGE, SMALL], [printed("True\n"), printed("False  \n\n")])
    assert (grade.state, grade.score, grade.correct, grade.next_step) == (GradeState.GRADED, 1.0, True, "")
    assert [(one.label, one.verdict) for one in grade.results] == [("with size = 10", "met"), ("with size = 3", "met")]


def test_A11_a_program_that_passes_some_is_half_right_and_told_what_fails() -> None:
    grade = grade_runs("print(size > 2)", [LARGE, SMALL], [printed("True\n"), printed("True\n")])
    assert (grade.score, grade.correct, grade.misconceptions) == (0.5, False, (SMALL.misconception,))
    assert grade.next_step == "With size = 3, your program printed True; it should print False."
    assert [one.verdict for one in grade.results] == ["met", "missing"]


def test_A11_a_program_that_fails_one_of_many_tests_is_not_right_to_anybody_who_reads_its_score() -> None:
    runs = [printed("True\n")] * 4
    grade = grade_runs("print(True)", [LARGE, LARGE, LARGE, SMALL], runs)
    assert grade.correct is False
    assert (grade.score or 0) < RIGHT_FROM


def test_A11_a_program_that_passes_nothing_is_not_said_to_believe_what_one_test_stands_for() -> None:
    nothing = [printed(""), printed("")]
    assert grade_runs("size", [LARGE, SMALL], nothing).misconceptions == ()
    assert grade_runs("size", [SMALL], nothing[:1]).misconceptions == (SMALL.misconception,)


def test_A11_tests_that_were_not_run_count_as_failed_and_reveal_nothing() -> None:
    grade = grade_runs("while True: pass", [LARGE, SMALL], [ProgramRun(ProgramEnd.TOO_SLOW)])
    assert (grade.score, grade.misconceptions) == (0.0, ())
    assert "2 seconds: is there a loop that never stops?" in grade.next_step
    assert [one.confidence for one in grade.results] == [1.0, 0.0]


@pytest.mark.parametrize(
    ("test", "run", "words"),
    [
        (LARGE, printed(""), "With size = 10, your program printed nothing; it should print True."),
        (ProgramTest(prints=""), printed("3\n"), "Your program printed 3; it should print nothing."),
        (
            ProgramTest(typed="7\n8", prints="1\n2"),
            printed("1\n3\n"),
            "Line 2 of the output differs. With 7 and 8 typed in, your program printed 3; it should print 2.",
        ),
        (
            ProgramTest(prints="1\n2"),
            printed("1\n"),
            "Your program printed 1 line; it should print 2 lines, the next one should be 2.",
        ),
        (
            ProgramTest(prints="1"),
            printed("1\n2\n3\n"),
            "Your program printed 3 lines; it should print 1 line, no more.",
        ),
        (
            ProgramTest(after="area(2, 3)", gives="6"),
            gave("5"),
            "After your program, area(2, 3) gives 5; it should give 6.",
        ),
        (
            ProgramTest("n = 2", after="f(3)", gives="6"),
            gave("None"),
            "With n = 2, f(3) gives None; it should give 6. None means that the call handed nothing back.",
        ),
        (
            LARGE,
            ProgramRun(ProgramEnd.NOT_COMPILED, error="SyntaxError: expected ':'", line=2),
            "Python cannot read line 2: SyntaxError: expected ':'.",
        ),
        (
            LARGE,
            ProgramRun(ProgramEnd.RAISED, error="TypeError: no", line=3),
            "With size = 10, your program stopped in line 3 with TypeError: no.",
        ),
        (
            ProgramTest(after="f(3)", gives="6"),
            ProgramRun(ProgramEnd.RAISED_AFTER, error="NameError: name 'f' is not defined"),
            "Your program ran, but f(3) could not be called: NameError: name 'f' is not defined.",
        ),
        (
            ProgramTest("prices = [50]", after="cheap", gives="[25.0]"),
            ProgramRun(ProgramEnd.RAISED_AFTER, error="NameError: name 'cheap' is not defined"),
            "With prices = [50], your program ran, but it made no cheap: NameError: name 'cheap' is not defined.",
        ),
        (
            ProgramTest(after="f(3)", gives="6"),
            ProgramRun(ProgramEnd.RAISED_AFTER, error="NameError: name 'total' is not defined"),
            "Your program ran, but f(3) then stopped with NameError: name 'total' is not defined.",
        ),
        (
            ProgramTest(after="points[4]", gives="6"),
            ProgramRun(ProgramEnd.RAISED_AFTER, error="IndexError: index out of range"),
            (
                "Your program ran, but points[4] then failed with IndexError: index out of range. "
                "There is no value at that position: positions begin at 0."
            ),
        ),
        (ProgramTest(prints="1"), ProgramRun(ProgramEnd.DIED), "Your program ended before its result could be seen."),
        (
            ProgramTest(prints="1"),
            ProgramRun(ProgramEnd.TOO_LONG),
            "Your program printed far too much: is there a loop that never stops?",
        ),
    ],
)
def test_A11_the_learner_is_told_which_run_failed_and_how(test: ProgramTest, run: ProgramRun, words: str) -> None:
    assert step(test, run) == words


@pytest.mark.parametrize(
    ("gives", "value", "holds"),
    [("6", "6", True), ("6", "6.0", False), ('"a"', "'a'", True), ("True", "1", False), ("{1: 'a'}", "{1: 'a'}", True)],
)
def test_A11_a_value_is_compared_by_its_repr(gives: str, value: str, holds: bool) -> None:
    assert passes(ProgramTest(after="x", gives=gives), gave(value)) is holds


@pytest.mark.parametrize(
    "answer",
    [
        "I would go through the list and add each number to a total",
        "a loop",
        "nothing",
        "you take the name and print(it)",
        "Here is my program for you: print(3)",
        "it's 18, no wait 3+4+5+6 = 18 yes",
        "maybe 3? or 4",
        "3?",
    ],
)
def test_A11_words_that_are_no_program_are_asked_about_and_never_wrong(answer: str) -> None:
    grade = grade_runs(answer, [LARGE], [ProgramRun(ProgramEnd.NOT_COMPILED, error="SyntaxError: invalid", line=1)])
    assert (grade.state, grade.remedy, grade.next_step) == (GradeState.UNGRADED, Remedy.FOLLOW_UP, NO_PROGRAM)


@pytest.mark.parametrize(
    "answer",
    [
        "for x in xs\n    print(x)",
        "print('is there anybody out there'",
        "if x = 3:\n  y",
        "def f(a, b) return a",
    ],
)
def test_A11_a_program_that_python_cannot_read_is_sent_back_and_never_wrong(answer: str) -> None:
    run = ProgramRun(ProgramEnd.NOT_COMPILED, error="SyntaxError: invalid syntax", line=1)
    grade = grade_runs(answer, [LARGE], [run])
    assert (grade.state, grade.remedy) == (GradeState.UNGRADED, Remedy.FOLLOW_UP)
    assert grade.next_step.startswith("Python cannot read line 1: SyntaxError: invalid syntax.")


@pytest.mark.parametrize(
    ("answer", "program"),
    [
        ("print(1)", "print(1)"),
        ("```python\nprint(1)\n```", "print(1)"),
        ("I think:\n```\nx = 1\nprint(x)\n```\nIs it right?", "x = 1\nprint(x)"),
        ("x = 1\n    print(x)", "x = 1\nprint(x)"),
        ("if x:\n    print(x)", "if x:\n    print(x)"),
        ("for x in a:\n\tprint(x)", "for x in a:\n    print(x)"),
        ("f(\n    1)", "f(\n    1)"),
    ],
)
def test_A11_the_program_is_found_in_the_answer(answer: str, program: str) -> None:
    assert program_in(answer).strip() == program.strip()


def test_A11_a_test_is_named_without_what_it_expects() -> None:
    named = run_labels(
        [ProgramTest(prints="42"), ProgramTest("n = 2", after="f(1)", gives="42"), ProgramTest("a\nb", "7", "42")]
    )
    assert named == ["run 1", "f(1) with n = 2", "with 7 typed in"]


@pytest.mark.parametrize(
    ("test", "label"),
    [
        (ProgramTest(after="count_zeros([7, 0]) is None", gives="False"), "count_zeros([7, 0])"),
        (ProgramTest(after="perimeter(6, 2) == 8", gives="False"), "perimeter(6, 2)"),
        (ProgramTest(after='longest(["a"]) == longest(["abc"]) is not None', gives="False"),
         'longest(["a"]) and longest(["abc"])'),
        (ProgramTest(after='sign("Eva", 5).startswith("Eva has ")', gives="True"), 'sign("Eva", 5)'),
        (ProgramTest("temps = [10]", after="f is None", gives="False"), "with temps = [10]"),
        (ProgramTest("line = []", after="len(line)", gives="2"), "with line = []"),
        (ProgramTest("def fare(km): return 3 * km", after="both_ways(4) == 7", gives="False"), "both_ways(4)"),
        (ProgramTest("def shown_by(f, *args): ...\nx = 1", after="shown_by(area, 3, 5)[:1]", gives="15"), "area(3, 5)"),
        (ProgramTest("seen = set()\nx = 1", after='"no zero" in seen', gives="True"), "run 1"),
        (ProgramTest("import re\nout = []", after="out[-1:]", gives="[4]"), "run 1"),
        (ProgramTest(after="f(", gives="1"), "run 1"),
    ],
)  # fmt: skip
def test_A11_a_label_says_what_was_run_and_never_what_would_be_wrong(test: ProgramTest, label: str) -> None:
    assert run_labels([test]) == [label]


def test_A11_two_tests_of_the_same_call_have_two_names() -> None:
    tests = [ProgramTest(after="f(6)", gives="16"), ProgramTest(after="f(6) is None", gives="False")]
    assert run_labels(tests) == ["f(6)", "f(6), run 2"]


@pytest.mark.parametrize(
    ("answer", "program"),
    [
        (">>> print((32 + 8) / 5)\n8.0", "print((32 + 8) / 5)"),
        (">>> for n in (1, 2):\n...     print(n)\n...\n1\n2", "for n in (1, 2):\n    print(n)\n"),
        ("print('>>> ready')", "print('>>> ready')"),
    ],
)
def test_A11_of_what_was_copied_from_the_prompt_the_typed_lines_are_the_program(answer: str, program: str) -> None:
    assert program_in(answer).strip() == program.strip()


def test_A11_words_with_an_apostrophe_are_no_program() -> None:
    unread = [ProgramRun(ProgramEnd.NOT_COMPILED, error="SyntaxError: unterminated string literal")]
    assert grade_runs("percent?? i'm out", [LARGE], unread).state is GradeState.UNGRADED


FARE = "def fare(km): return 3 * km"
BOTH_WAYS = [
    ProgramTest(FARE, after="both_ways(4)", gives="23"),
    ProgramTest(FARE, after="both_ways(4) == 7", gives="False"),
]


def test_A11_a_body_without_its_function_is_told_what_is_missing() -> None:
    stopped = ProgramRun(ProgramEnd.RAISED, error="NameError: name 'km' is not defined", line=1)
    said = grade_runs("2*fare(km)-1", BOTH_WAYS, [stopped] * 2).next_step
    assert "`def both_ways(…):`" in said
    assert "`return`" in said
    assert "spelling" not in said
    called = ProgramRun(ProgramEnd.RAISED, error="NameError: name 'both_ways' is not defined", line=1)
    assert "A function is asked for" not in grade_runs("print(both_ways(4))", BOTH_WAYS, [called] * 2).next_step


def test_A11_a_call_that_hands_nothing_back_meets_no_test_by_being_no_wrong_value() -> None:
    shown = [ProgramRun(ProgramEnd.COMPLETE, "23", "None"), ProgramRun(ProgramEnd.COMPLETE, "23", "False")]
    grade = grade_runs("def both_ways(km):\n    print(2 * fare(km) - 1)", BOTH_WAYS, shown)
    assert ([one.verdict for one in grade.results], grade.score) == (["missing", "missing"], 0.0)
    handed = [gave("12"), gave("False")]
    grade = grade_runs("def both_ways(km):\n    return fare(km)", BOTH_WAYS, handed)
    assert [one.verdict for one in grade.results] == ["missing", "met"]


def test_A11_a_test_of_a_name_alone_says_which_one() -> None:
    tests = [ProgramTest('words = ["tea"]', after="n", gives="1"), ProgramTest("n = 3", after="n", gives="4")]
    assert run_labels(tests) == ['n with words = ["tea"]', "with n = 3"]
