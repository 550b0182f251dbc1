"""Typed programs with the verdicts of teachers, run against the tests of their questions."""

import sys

import pytest

from harness.corpora import sample
from sprout.learning.marking.attempts import is_genuine_attempt
from sprout.learning.marking.program_marking import mark_program
from sprout.learning.questions.program_tests import ProgramTest, tidy_test
from sprout.programs.runner import SandboxedRunner
from tests.learning.marking.test_typed_answers import TypedAnswer, answers_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="programs are confined by the kernel of Linux")
SETS = ("typed_answers", "typed_answers_apart", "typed_answers_last", "typed_answers_strangers", "typed_answers_unseen")


async def verdict_of(answer: TypedAnswer) -> bool | None:
    """Whether the program is right; None if it is no try, or was not marked."""
    if not is_genuine_attempt(answer.says, prompt=answer.question.prompt, code=True):
        return None
    tests = [tidy_test(ProgramTest(**test.model_dump())) for test in answer.question.tests]
    return (await mark_program(SandboxedRunner(), tests, answer.says)).correct


@pytest.mark.parametrize("answer_set", SETS)
async def test_A11_typed_programs_are_marked_as_a_teacher_would(answer_set: str) -> None:
    typed = [one for one in answers_of(answer_set, "code") if one.question.tests]
    assert len(typed) > 20
    found = [(one, await verdict_of(one)) for one in sample(typed, every=3)]
    assert [one.says for one, correct in found if one.verdict == "right" and correct is not True] == []
    assert [one.says for one, correct in found if one.verdict in ("half", "wrong") and correct is True] == []
    assert [one.says for one, correct in found if one.verdict == "no_attempt" and correct is not None] == []


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("ok so def cost(n):\n    return n + 5", True),
        ("here is my code:\n\ndef cost(n):\n    return n + 5\n\nthat should work I think.", True),
        ("My answer: cost = lambda n: n + 5", True),
        ("this is my function\ndef cost(n):\n    return n * 5", False),
        ("If I add five to n it works:\ncost n = n + 5", None),
    ],
)
async def test_A11_words_around_a_program_do_not_make_it_wrong(answer: str, right: bool | None) -> None:
    test = ProgramTest(after="cost(3)", gives="8")
    assert (await mark_program(SandboxedRunner(), [test], answer)).correct is right


@pytest.mark.parametrize(
    "answer",
    [
        "Answer:\nn = 3\nprint(n)", "Answer: n = 3\nprint(n)", "my code: print(3)", "line 1: print(3)",
        "print(“3”)", "if 3 > 2:\n        print(3)\n    else:\n        print(4)",
    ],
)  # fmt: skip
async def test_A11_labels_curly_quotes_and_a_common_indentation_are_no_faults(answer: str) -> None:
    assert (await mark_program(SandboxedRunner(), [ProgramTest(prints="3")], answer)).correct is True


async def test_A11_a_line_is_named_as_the_learner_counts_it() -> None:
    grade = await mark_program(SandboxedRunner(), [ProgramTest(prints="3")], "here is my code\n\nn = 3\nprint(m)")
    assert "line 4" in grade.next_step


@pytest.mark.parametrize(
    ("answer", "asked"),
    [
        ("def f(n):\n    retrun n", "Did you mean `return` by `retrun`?"),
        ("Def f(n):\n    return n", "Did you mean `def` by `Def`?"),
        ("n = 3\nwhlie n > 2:\n    n = n - 1", "Did you mean `while` by `whlie`?"),
        ("n = (3\nprint(n)", None),
    ],
)
async def test_A11_a_keyword_with_a_slip_is_asked_about(answer: str, asked: str | None) -> None:
    grade = await mark_program(SandboxedRunner(), [ProgramTest(prints="3")], answer)
    assert grade.correct is None
    assert grade.next_step.endswith(asked) if asked else "Did you mean" not in grade.next_step


RECORDED = ProgramTest(
    before="kept = []\ndef print(*values):\n    kept.extend(values)\nrows = [12, 12, 7]", after="kept", gives="[25]"
)
IN_EVERY_ROUND = "seats = 0\nfor r in rows:\n    seats = seats + r - 2\n    print(seats)"


async def test_A11_what_a_test_keeps_is_told_in_words_and_not_by_a_name_of_its_own() -> None:
    for program, said in [
        (IN_EVERY_ROUND, "Your program prints in every round: 10, 20, 25. Print once, behind the loop."),
        ("print(3)", "Your program printed 3; it should print 25."),
        ("seats = 25", "Your program printed no number; it should print 25."),
    ]:
        assert said in (await mark_program(SandboxedRunner(), [RECORDED], program)).next_step


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("for h in [2, 3]:\n    pay = 0\n    pay = pay + h\nprint(pay)", "it belongs before it"),
        ("for h in [2, 3]:\n    pay = 0\n    pay += h\nprint(pay)", "`pay` starts anew in each round"),
        ("def f():\n    for h in [2, 3]:\n        return h\nprint(f())", "`return` stands in the loop"),
        ("print('The sum is', 5)", "The value is right, and only the words beside it are too much."),
    ],
)
async def test_A11_the_commonest_faults_of_loops_and_labels_are_named(program: str, said: str) -> None:
    assert said in (await mark_program(SandboxedRunner(), [ProgramTest(prints="5")], program)).next_step


@pytest.mark.parametrize(
    "program",
    [
        "for h in [2, 3]:\n    pay = 0\n    if h > 2:\n        pay = 6\nprint(pay)",
        "for row in [[1, 2], [3]]:\n    total = 0\n    for x in row:\n        total += x\n    print(total)",
    ],
)
async def test_A11_a_loop_without_these_faults_is_not_blamed(program: str) -> None:
    assert "loop" not in (await mark_program(SandboxedRunner(), [ProgramTest(prints="5")], program)).next_step
