"""Typed programs with the verdicts of teachers, run against the tests of their questions."""

import sys

import pytest

from sprout.learning.marking.attempts import is_genuine_attempt
from sprout.learning.marking.program_marking import grade_runs, program_in
from sprout.learning.questions.program_tests import ProgramTest, tidy_test
from sprout.programs.runner import SandboxedRunner
from tests.learning.marking.test_typed_answers import TypedAnswer, answers_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="programs are confined by the kernel of Linux")
SETS = ("typed_answers", "typed_answers_apart", "typed_answers_last")


async def verdict_of(answer: TypedAnswer) -> bool | None:
    """Whether the program is right; None if it is no try, or was not marked."""
    if not is_genuine_attempt(answer.says, prompt=answer.question.prompt, code=True):
        return None
    tests = [tidy_test(ProgramTest(**test.model_dump())) for test in answer.question.tests]
    program = program_in(answer.says)
    return grade_runs(program, tests, await SandboxedRunner().run(program, tests)).correct


@pytest.mark.parametrize("answer_set", SETS)
async def test_A11_typed_programs_are_marked_as_a_teacher_would(answer_set: str) -> None:
    typed = [one for one in answers_of(answer_set, "code") if one.question.tests]
    found = [(one, await verdict_of(one)) for one in typed]
    assert len(found) > 20
    assert [one.says for one, correct in found if one.verdict == "right" and correct is not True] == []
    assert [one.says for one, correct in found if one.verdict in ("half", "wrong") and correct is True] == []
    assert [one.says for one, correct in found if one.verdict == "no_attempt" and correct is not None] == []
