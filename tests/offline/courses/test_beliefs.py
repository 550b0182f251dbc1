"""Beliefs in the authored courses: every wrong option and number stands for one, or says that it is a slip."""

from collections import Counter
from collections.abc import Iterator

import pytest
from pydantic import ValidationError

from sprout.learning.misconceptions.beliefs import belief_id
from sprout.learning.text.stems import stems
from sprout.offline.courses.catalogue import courses, find_contrast, lessons, subconcept_plan
from sprout.offline.courses.course_format import Course, Question
from sprout.offline.courses.lesson_format import LessonQuestion, WrongOption
from sprout.offline.courses.review_items import CourseItems

EACH_COURSE = pytest.mark.parametrize("course", courses(), ids=lambda course: course.slug)
LEAST_WITH_CONTRAST = 0.7  # of what shows belief: else the page has nothing to put it to the test with


def questions_of(course: Course) -> Iterator[Question | LessonQuestion]:
    yield from (item for concept in course.concepts for item in concept.items)
    yield from (ask for lesson in lessons(course.slug) for step in lesson.steps for ask in (step.asks, step.again))


def wrong_answers(course: Course) -> Iterator[tuple[str, bool]]:
    """What each wrong option and number comes from, and whether that is a slip."""
    for question in questions_of(course):
        yield from ((one.misconception, one.slip) for one in question.wrong)
        yield from ((words, value in question.slips) for value, words in question.diagnostic_values.items())


def beliefs(course: Course) -> Iterator[str]:
    """Every mention of a belief."""
    yield from (words for words, is_slip in wrong_answers(course) if not is_slip)
    for question in questions_of(course):
        tests = question.program_tests if isinstance(question, Question) else question.tests
        yield from (one.misconception for one in (*question.criteria, *tests) if one.misconception)


@EACH_COURSE
def test_C0_a_belief_is_a_sentence_and_a_slip_says_what_was_done(course: Course) -> None:
    assert [words for words in beliefs(course) if not words.endswith(".")] == []
    assert [words for words, is_slip in wrong_answers(course) if is_slip and words.endswith(".")] == []


@EACH_COURSE
def test_C0_every_question_for_a_number_has_wrong_ones_that_stand_for_something(course: Course) -> None:
    numbers = [one for one in questions_of(course) if _kind(one) == "numeric"]
    assert [one.prompt for one in numbers if not one.diagnostic_values] == []


@EACH_COURSE
def test_C0_the_same_belief_has_the_same_words(course: Course) -> None:
    found = sorted(set(beliefs(course)))
    alike = Counter(stems([words]) for words in found if stems([words]))
    assert {words: alike[stems([words])] for words in found if alike[stems([words])] > 1 and "=" not in words} == {}
    assert len({belief_id(words) for words in found}) == len(found)
    assert not {words.rstrip(".").casefold() for words in found} & {
        words.casefold() for words, is_slip in wrong_answers(course) if is_slip
    }


@EACH_COURSE
def test_C0_most_answers_that_show_a_belief_have_a_case_to_test_it_on(course: Course) -> None:
    mentions = [*beliefs(course)]
    assert sum(find_contrast(words) is not None for words in mentions) >= LEAST_WITH_CONTRAST * len(mentions)


@EACH_COURSE
def test_C0_a_contrast_of_a_course_is_to_a_belief_that_answers_show_and_no_lesson_is_about(course: Course) -> None:
    ideas = {contrast.idea for contrast in course.contrasts}
    assert ideas <= set(beliefs(course))
    assert not ideas & {lesson.contrast.idea for lesson in lessons(course.slug)}


@EACH_COURSE
def test_C0_agents_get_slips_and_contrasts_with_the_questions(course: Course) -> None:
    wrong = [
        one
        for concept in course.concepts
        for item in (subconcept_plan(course, concept.title) or pytest.fail("no plan")).questions
        for one in item.input.get("misconceptions", ())
    ]
    assert {one["slip"] for one in wrong} == {False, True}
    assert all(one.get("contrast") == find_contrast(one["misconception"]) for one in wrong)
    items = [
        one
        for concept in course.concepts
        for part in concept.subconcepts
        for item in CourseItems().items(course.title, concept.title, part.title)
        for one in item.misconceptions
    ]
    assert {one.slip for one in items} == {False, True}
    assert any(one.contrast for one in items)


def test_C0_a_slip_that_is_no_wrong_number_does_not_load() -> None:
    base = {"prompt": "How many?", "answer": "1", "difficulty": 1, "tests": ["Some title"], "format": "numeric"}
    with pytest.raises(ValidationError, match="one of the diagnostic values"):
        Question.model_validate(base | {"diagnostic_values": {"2": "adds"}, "slips": ["3"]})
    assert not WrongOption(option="a", misconception="A is right.").slip


def _kind(question: Question | LessonQuestion) -> str:
    return question.format if isinstance(question, Question) else question.kind
