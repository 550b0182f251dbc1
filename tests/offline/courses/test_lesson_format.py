"""The lessons of the authored courses: whole, short, and free of what code can see is wrong."""

import re
from typing import Any

import pytest
from pydantic import ValidationError

from sprout.offline.courses.catalogue import courses, lessons
from sprout.offline.courses.course_format import Course
from sprout.offline.courses.lesson_format import Gap, Lesson, LessonQuestion

WHOLE = {
    "prompt": "Which?",
    "answer": "This",
    "help": ["Read it.", "Look there.", "Like this.", "First this."],
    "because": "It is.",
    "solution": "It is this.",
}
COURSES = [pytest.param(course, id=course.slug) for course in courses() if lessons(course.slug)]
LESSONS = [
    pytest.param(lesson, id=f"{course.slug}:{lesson.subconcept}")
    for course in courses()
    for lesson in lessons(course.slug)
]


@pytest.mark.parametrize("course", COURSES)
def test_every_subconcept_of_a_taught_course_has_its_lesson(course: Course) -> None:
    titles = [sub.title for concept in course.concepts for sub in concept.subconcepts]
    assert sorted(titles) == sorted(lesson.subconcept for lesson in lessons(course.slug))


@pytest.mark.parametrize("lesson", LESSONS)
def test_no_help_and_no_explanation_holds_the_result(lesson: Lesson) -> None:
    for step in lesson.steps:
        for ask in (step.asks, step.again):
            if ask.kind not in ("mcq", "numeric"):
                continue
            answer = re.escape(ask.answer.strip().rstrip(".").casefold())
            whole = re.compile(rf"(?<![\w.,]){answer}(?![\w]|[.,]\d)")
            for hint in (*ask.help, *ask.replies.values()):
                asked = ask.prompt.casefold()
                assert not whole.search(hint.casefold()) or whole.search(asked), f"gives {ask.answer!r} away: {hint}"


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_choice_is_not_given_away_by_its_length(lesson: Lesson) -> None:
    for ask in [each for step in lesson.steps for each in (step.asks, step.again)]:
        if ask.kind == "mcq":
            assert len(ask.answer) <= max(len(wrong.option) for wrong in ask.wrong) * 1.3, ask.prompt


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_gap_is_not_given_away_by_its_help_or_its_length(lesson: Lesson) -> None:
    gap = lesson.gap
    assert gap is not None
    assert not re.search(rf"(?<![\w.,]){re.escape(gap.answer)}(?![\w]|[.,]\d)", gap.help), gap.help
    assert not gap.wrong or len(gap.answer) <= max(map(len, gap.wrong)) * 1.3, gap.case


GAP = {"case": "1. 3 · 4 = ___", "answer": "12", "help": "Three fours.", "because": "Three fours are twelve."}


@pytest.mark.parametrize(
    "fields",
    [
        {"case": "1. 3 · 4 = 12"},
        {"case": "1. ___ · 4 = ___"},
        {"answer": "a dozen"},
        {"wrong": ["7", "34"]},
        {"wrong": ["7", "34", "12"]},
    ],
    ids=["none left out", "two left out", "no number and no choice", "three options", "an option twice"],
)
def test_H6_a_gap_that_code_could_not_mark_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Gap.model_validate(GAP | fields)


@pytest.mark.parametrize(
    ("case", "filled"),
    [
        ("4 rows of 3.\n\n1. Count the rows.\n2. Three each. So 3 · 4 = ___. Done.", "So 3 · 4 = 12."),
        ("|rows|seats|\n|-|-|\n|4|___|", "4, 12"),
        ("```\n20 seats\n└─ ___ taken\n```", "12 taken"),
    ],
)
def test_H6_a_filled_gap_is_the_sentence_or_the_row_that_it_stands_in(case: str, filled: str) -> None:
    assert Gap.model_validate(GAP | {"case": case}).filled == filled


@pytest.mark.parametrize("lesson", LESSONS)
def test_the_changed_form_is_another_question(lesson: Lesson) -> None:
    prompts = [ask.prompt for step in lesson.steps for ask in (step.asks, step.again)]
    assert len(set(prompts)) == len(prompts)


@pytest.mark.parametrize("lesson", LESSONS)
def test_the_words_before_a_question_never_look_like_its_marker(lesson: Lesson) -> None:
    for step in lesson.steps:
        assert not any(line.strip().casefold().startswith("question") for line in step.says.splitlines())
        assert "?" not in step.says.strip()[-1:], "the checkpoint asks, not the explanation"


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "code", "tests": [{"before": "n = 3", "typed": "7\n8", "prints": "6", "misconception": "adds"}]},
        {"kind": "code", "tests": [{"after": "double(3)", "gives": "6"}]},
        {"kind": "text", "terms": ["Bastille"], "wrong": [{"option": "Temple", "misconception": "mixes them up"}]},
    ],
)
def test_A11_a_program_and_a_term_need_no_criteria(fields: dict[str, Any]) -> None:
    question = LessonQuestion.model_validate(WHOLE | fields)
    assert not question.criteria


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "code"},
        {"kind": "text", "tests": [{"prints": "6"}]},
        {"kind": "code", "terms": ["Bastille"]},
        {"kind": "code", "tests": [{"prints": "6", "gives": "6"}]},
        {"kind": "code", "tests": [{"prints": "6"}] * 9},
        {"kind": "code", "tests": [{"prints": "6", "expects": "6"}]},
    ],
)
def test_A11_a_question_that_code_could_not_mark_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        LessonQuestion.model_validate(WHOLE | fields)


@pytest.mark.parametrize("missing", ["help", "because", "solution"])
def test_a_question_without_its_help_its_reason_or_its_solution_is_refused(missing: str) -> None:
    fields = {name: value for name, value in WHOLE.items() if name != missing}
    with pytest.raises(ValidationError, match=missing):
        LessonQuestion.model_validate(fields | {"kind": "text", "terms": ["Bastille"]})


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "numeric", "answer": "90", "replies": {"90.0": "These are all of them."}},
        {"kind": "numeric", "answer": "90", "tolerance": 0.5, "replies": {"90.4": "These are nearly all of them."}},
        {"kind": "text", "terms": ["Bastille"], "replies": {"Bastille": "It fell in July."}},
        {"kind": "text", "terms": ["Bastille"], "replies": {"Louvre": "A palace, not a prison."}},
    ],
)
def test_a_reply_to_what_is_no_wrong_answer_of_the_question_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="a reply is to a wrong option"):
        LessonQuestion.model_validate(WHOLE | fields)


@pytest.mark.parametrize("course", courses(), ids=lambda course: course.slug)
def test_A11_code_marks_at_least_three_questions_of_each_lesson(course: Course) -> None:
    """So that mastery does not hang on what a learner says of their own words."""
    for lesson in lessons(course.slug):
        questions = [question for step in lesson.steps for question in (step.asks, step.again)]
        marked = [one for one in questions if one.kind in ("mcq", "numeric") or one.tests or one.terms]
        assert len(marked) >= 3, lesson.subconcept
