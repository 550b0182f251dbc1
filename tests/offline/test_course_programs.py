"""Programs of the Python course, run against the tests of their questions."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import yaml

from harness.corpora import sample
from sprout.learning.marking.program_marking import grade_runs, program_in
from sprout.learning.questions.program_tests import ProgramTest, program_test_faults, tidy_test
from sprout.offline.courses import catalogue
from sprout.offline.courses.lesson_format import Lesson, LessonProgramTest, LessonQuestion
from sprout.programs.runner import SandboxedRunner

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="programs are confined by the kernel of Linux")
FILES = sorted((Path(catalogue.__file__).parent / "python_functions_and_lists").glob("[0-9]*.yaml"))


def questions_with_tests(file: Path) -> Iterator[LessonQuestion]:
    lessons = [Lesson.model_validate(one) for one in yaml.safe_load(file.read_text(encoding="utf-8"))]
    for step in (step for lesson in lessons for step in lesson.steps):
        yield from (question for question in (step.asks, step.again) if question.tests)


async def is_right(authored: Sequence[LessonProgramTest], answer: str) -> bool:
    tests = [tidy_test(ProgramTest(**test.model_dump())) for test in authored]
    assert not [*program_test_faults(tests)], answer
    program = program_in(answer)
    return grade_runs(program, tests, await SandboxedRunner().run(program, tests)).correct is True


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
async def test_A11_the_answer_of_a_program_question_passes_its_tests_and_the_partial_answer_does_not(
    file: Path,
) -> None:
    for question in sample(questions_with_tests(file), every=3):
        assert await is_right(question.tests, question.answer), question.prompt
        assert question.partial is not None, question.prompt
        assert not await is_right(question.tests, question.partial), question.prompt


async def test_A11_the_program_of_a_diagnostic_item_passes_its_tests_and_its_outputs_alone_do_not() -> None:
    course = next(one for one in catalogue.courses() if one.slug == "python_functions_and_lists")
    items = [item for concept in course.concepts for item in concept.items if item.program_tests]
    assert items
    for item in items:
        printed = "\n".join(f"print({test.gives})" for test in item.program_tests if test.gives)
        assert await is_right(item.program_tests, item.answer), item.prompt
        assert not await is_right(item.program_tests, printed), item.prompt
