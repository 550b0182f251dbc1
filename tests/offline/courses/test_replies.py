"""Replies of the authored courses: one to each wrong answer that is known, and none gives the right one away."""

import pytest

from harness.corpora import sample
from sprout.learning.lessons.help_ladder import HelpLevel
from sprout.learning.marking.number_grading import grade_number
from sprout.learning.marking.numeric_question import NumericQuestion
from sprout.offline.courses.catalogue import courses, lessons
from sprout.offline.courses.lesson_format import LessonQuestion
from sprout.offline.demo.tutor.composition import LeakCheck
from sprout.offline.demo.tutor.content.from_course import lesson_from_course
from sprout.offline.demo.tutor.lesson import PreparedQuestion
from sprout.offline.demo.tutor.replies.wrong_answers import reply_to


def questions(course: str) -> list[LessonQuestion]:
    return [ask for lesson in lessons(course) for step in lesson.steps for ask in (step.asks, step.again)]


def prepared(course: str) -> list[PreparedQuestion]:
    taught = [lesson_from_course(lesson) for lesson in lessons(course)]
    return [one for lesson in taught for chunk in lesson.chunks for one in chunk.questions]


def is_marked_wrong(question: PreparedQuestion, answer: str) -> bool:
    """Whether the marker calls the answer wrong: a right share where a percentage is asked for is only asked back."""
    if question.kind != "number":
        return True
    asked = NumericQuestion(question.prompt, question.answer, question.unit or None, question.tolerance)
    return grade_number(asked, answer).correct is False


TAUGHT = [course.slug for course in courses() if lessons(course.slug)]


@pytest.mark.parametrize("course", TAUGHT)
def test_no_reply_gives_the_answer_away(course: str) -> None:
    for question in prepared(course):
        check = LeakCheck(question.secret())
        for answer, reply in question.replies.items():
            assert check.passes(reply), f"{question.prompt}\n{answer}: {reply}"


@pytest.mark.parametrize("course", TAUGHT)
def test_each_reply_leaves_room_for_every_hint(course: str) -> None:
    """Else the tutor would keep it back: with the hints it would amount to the answer."""
    for question in sample(prepared(course), every=4):
        check = LeakCheck(question.secret(), level=HelpLevel.READ_AGAIN)
        every = check.sayable(question.help)
        for answer, reply in question.replies.items():
            assert check.after(reply).sayable(question.help) == every, f"{question.prompt}\n{answer}: {reply}"


@pytest.mark.parametrize("course", TAUGHT)
def test_each_reply_is_found_by_its_own_answer_and_is_said_once(course: str) -> None:
    for question in prepared(course):
        for answer, reply in question.replies.items():
            found = reply_to(question, answer)
            assert found == reply or not is_marked_wrong(question, answer), f"{question.prompt}\n{answer}: {found}"
        said = [*question.replies.values(), *question.help, question.because]
        assert len(set(said)) == len(said), question.prompt


@pytest.mark.parametrize("course", TAUGHT)
def test_every_wrong_option_value_and_term_has_a_reply(course: str) -> None:
    for question in questions(course):
        wrong = {*question.diagnostic_values, *(one.option for one in question.wrong)}
        assert wrong <= set(question.replies), f"{question.prompt}\n{wrong - set(question.replies)}"
