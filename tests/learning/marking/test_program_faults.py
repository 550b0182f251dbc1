"""Messages of Python's in words for a beginner (A11)."""

import pytest

from sprout.learning.marking.grades import GradeState
from sprout.learning.marking.program_faults import fault_in_words
from sprout.learning.marking.program_marking import ONLY_PRINT_MISSING, mark_program
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
        ("print('50' // 12)", "A text stands beside `//`"),
        ("age = 3\nif age under 6: price 0, if under 16 price 3 else 7", "each branch on lines of its own"),
        ("print(3 < '1')", "Two kinds of value"),
        ("xs = [1]\nprint(xs[1])", "positions begin at 0"),
        ("xs = [1]\nprint(xs['a'])", "a position, which is a whole number"),
        ("for n in 3:\n    print(n)", "A loop takes values from a list"),
        ("print(tottal)", "Nothing was stored under this name"),
        ("if True:\nprint(1)", "stand further to the right"),
        ("retrun 3", "Did you mean `return` by `retrun`?"),
        ("size = 3\nif size=>10:\n    print(1)", "written the other way round"),
        ("x = 3 =< 4", "written the other way round"),
        ("if 3 == 3\n    print(1)", "ends with a colon"),
        ("def f(x) return x", "ends with a colon"),
        ("while True print(1)", "ends with a colon"),
        ("x = 1\nif x:\n    pass\nelse if x == 2:\n    pass", "begins with `elif`"),
        ("assert len([1]) = 1", "asked with `==`"),
        ("x = 3\nif x = 3:\n    print(x)", "asked with `==`"),
        ("3 = x", "asked with `==`"),
        ('code = "A1"\nprint(code = "A1")', "asked with `==`"),
        ("if 1 < 2 && 2 < 3:\n    print(1)", "`and`, `or`"),
        ("n = 1\nn++", "`+= 1`"),
        ("area(a):\n    return a", "begins with `def`"),
        ("return 3", "put it below a line with `def`"),
        ("break", "belongs into a loop"),
        ("print 'hi'", "in round brackets"),
        ("print(1", "not closed"),
        ("print(1))", "one closing bracket too many"),
        ("print('hi)", "one is missing"),
        ("x = 2\nprint(3x)", "a product needs `*`"),
        ("print([1 2])", "missing between them"),
        ("x = 3\n    y = 4", "begin at the same place"),
        ("print(1 / 0)", "divided by 0"),
        ("def f(a):\n    return a\nf(1, 2)", "another number of values"),
        ("def f(a):\n    return f(a)\nf(1)", "calls itself"),
        ("assert len([1, 2]) == 3", "work out by hand"),
        ("while 1:\n    days = days + 1", "`days` is only changed and has no value to begin with"),
        ("for n in [1]:\n    total += n", "`total` is only changed and has no value to begin with"),
        ("def f():\n    total += 1\nf()", "`total` is only changed and has no value to begin with"),
        ("for n in [1]:\n    ys.append(n)", "`ys` is only changed and has no value to begin with"),
        ("total == 0\nprint(total)", "a value is stored with one `=`"),
        ("print(days)", "Nothing was stored under this name"),
        ("Print(1)", "it is `print`"),
        ("number = 3\nprint(nubmer)", "there is `number`"),
        ("n = 3\nprint(n x 4)", "are `*` and `/`"),
        ("for x in [1]\n    print(x)", "ends with a colon"),
        ("def f(a b):\n    return a", "stands a comma"),
        ("print(Hello, Mia!)", "stands in quotes"),
        ("print(3).", "without a full stop"),
        ("xs = [1]\nxs.apend(2)", "nothing of that name behind a dot"),
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
        ("32 / 5", ProgramTest(before="taxi = 32; toll = 8", prints="8.0"), "takes `print`"),
        ("n = 2\nprint('n * 2')", ProgramTest(prints="4"), "In quotes `n` is shown as it stands"),
        ("print(14)", ProgramTest("price = 4", prints="15"), "does not use `price`"),
        ("n = 0\nn =+ 2\nn =+ 2\nprint(n)", ProgramTest(prints="4"), "added with `+=`"),
        ("def Area(a):\n    return a", ProgramTest(after="area(2)", gives="2"), "yours is `Area`"),
        ("def size(a):\n    return a", ProgramTest(after="area(2)", gives="2"), "your program makes is `size`"),
        ("area = 2", ProgramTest(after="area(2)", gives="2"), "a function is made with `def`"),
        ("def f(x):\n    print(2 * x)", ProgramTest(after="f(2)", gives="4"), "`return` hands it back"),
        ("before = [4].copy", ProgramTest(after="before", gives="[4]"), "`copy` was not called"),
        ("it has to be n = 3 + v", ProgramTest(after="n", gives="4"), "NameError: name 'v'"),
    ],
)
async def test_A11_what_a_beginner_leaves_out_is_named(program: str, test: ProgramTest, words: str) -> None:
    grade = await mark_program(SandboxedRunner(), [test], program)
    assert words in grade.next_step
    assert " at 0x" not in grade.next_step


@pytest.mark.parametrize(
    ("shown", "is_named"),
    [
        ("print('pay')", True),
        ("print('pay + 5')", True),
        ("print('Total pay:', pay)", False),
        ("print('pay:', pay)", False),
    ],
)
async def test_A11_a_name_in_quotes_is_named_where_it_stands_alone(shown: str, is_named: bool) -> None:
    test = ProgramTest(prints="9")
    grade = await mark_program(SandboxedRunner(), [test], f"pay = 4\n{shown}")
    assert ("In quotes" in grade.next_step) is is_named


def test_A11_a_call_that_prints_nothing_is_no_value_left_unshown() -> None:
    run = ProgramRun(ProgramEnd.COMPLETE)
    for program in ("pass", "import math", "def f():\n    return 3", "", "if x", "x = 3\nprint(end='')"):
        assert fault_in_words(program, run) == "", program
    assert "takes `print`" in fault_in_words("a = 3\na + 4", run)
    assert "takes `print`" in fault_in_words("a = 3 + 4", run)
    assert fault_in_words("(" * 5_000, run) == ""


@pytest.mark.parametrize(
    "program",
    [
        "each = (rope - lost) / 4", "(rope - lost) / 4", "rest = rope - lost\nrest / 4", "rope -= lost\nrope /= 4",
        "def each():\n    return (rope - lost) / 4\neach()", "if rope > lost:\n    (rope - lost) / 4\nelse:\n    0.0",
        "each = 0\nfor n in [1]:\n    each += (rope - lost) / 4",
    ],
)  # fmt: skip
async def test_A11_where_only_print_is_missing_that_alone_is_said(program: str) -> None:
    tests = [
        ProgramTest(f"rope = {rope}; lost = {lost}", prints=f"{(rope - lost) / 4}") for rope, lost in ((60, 12), (8, 8))
    ]
    grade = await mark_program(SandboxedRunner(), tests, program)
    assert (grade.state, grade.correct, grade.next_step) == (GradeState.GRADED, False, ONLY_PRINT_MISSING)


async def test_A11_two_lines_without_print_lack_only_that() -> None:
    tests = [ProgramTest('code = "A1"; people = 7', prints="True\nFalse", misconception="at most leaves out the bound")]
    grade = await mark_program(SandboxedRunner(), tests, 'code == "A1"\npeople <= 6')
    assert (grade.next_step, grade.misconceptions) == (ONLY_PRINT_MISSING, ())
    half = await mark_program(SandboxedRunner(), tests, 'print(code == "A1")\npeople <= 6')
    assert half.next_step == ONLY_PRINT_MISSING
    wrong = await mark_program(SandboxedRunner(), tests, 'code == "A1"\npeople < 8')
    assert wrong.next_step.endswith("takes `print`.")


@pytest.mark.parametrize("program", ["(60 - 12) / 4", "print(rope)", "rope / 4", "def f(:"])
async def test_A11_print_is_not_said_to_be_all_that_is_missing_where_more_is(program: str) -> None:
    tests = [
        ProgramTest(f"rope = {rope}; lost = {lost}", prints=f"{(rope - lost) / 4}") for rope, lost in ((60, 12), (8, 8))
    ]
    assert ONLY_PRINT_MISSING not in (await mark_program(SandboxedRunner(), tests, program)).next_step


@pytest.mark.parametrize(
    ("program", "prints", "words"),
    [
        ("print('Area: ', 1786)", "Area: 1786", "a space too many: the comma in `print` already puts a space."),
        ("n = 3\nprint(n, ' apples')", "3 apples", "the comma in `print` already puts a space"),
        ("print('a  b')", "a b", "Only a space is too many"),
        ("print('Area:' + str(1786))", "Area: 1786", "Only a space is missing"),
        ("print('sale')", "Sale", "`Sale` is written with a capital S."),
        ("print('*****')\nprint('SALE now')", "*****\nSALE Now", "`Now` is written with a capital N."),
        ("print('Hello')", "hello", "`hello` is written with a small h."),
        ("print('Hello')", "Hello!", "! is missing"),
        ("print('Hello.')", "Hello", ". is too many"),
        ("print('Hello.')", "Hello!", "there is . where ! should be"),
        ("print(True, False)", "True\nFalse", "one `print` for each"),
        ("print(1)\nprint(2)", "1 2", "one `print` with commas"),
        ("t = 0\nfor n in [1, 2]:\n    t += n\n    print(t)", "3", "The last line is right"),
    ],
)
async def test_A11_a_difference_that_is_easily_overlooked_is_named(program: str, prints: str, words: str) -> None:
    grade = await mark_program(SandboxedRunner(), [ProgramTest(prints=prints)], program)
    assert words in grade.next_step


async def test_A11_a_case_that_a_test_of_checks_looks_for_is_named_in_plain_words() -> None:
    before = (
        "seen = set()\ndef total(xs):\n    seen.add("
        "'the empty list' if not xs else 'a single value')\n    return sum(xs)"
    )
    tests = [
        ProgramTest(before, after=f'"{case}" in seen', gives="True") for case in ("the empty list", "a single value")
    ]
    grade = await mark_program(SandboxedRunner(), tests, "assert total([4]) == 4")
    assert grade.next_step == (
        "One case is not in your program yet, or not with its expected result: “the empty list”."
    )


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
