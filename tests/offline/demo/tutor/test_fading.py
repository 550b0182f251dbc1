"""Examples that fade in the authored lessons: an example, the same with a step left out, then alone."""

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest

from sprout.offline.courses.catalogue import courses, lessons
from sprout.offline.courses.course_format import Course
from sprout.offline.courses.lesson_format import Gap, Lesson
from sprout.offline.demo.tutor.agent import make_tutor
from sprout.offline.demo.tutor.composition import LeakCheck
from sprout.offline.demo.tutor.content.from_course import lesson_from_course
from tests.offline.demo.tutor.classroom import Classroom, a_lesson, draft_of, first_message

EVERY = 5  # lessons of a course of which one is taken
GAP = Gap(
    case="A tram covers 81 km in 3 hours.\n\n1. Three hours share the way.\n2. 81 ÷ 3 = ___ km for each.",
    answer="27",
    unit="km",
    help="Cut the 81 km into three equal parts, as the example cut its way.",
    because="Each of the three hours gets a third of the way.",
)
LESSON = a_lesson().model_copy(update={"gap": GAP})
FIRST, AGAIN = LESSON.steps[0].asks, LESSON.steps[0].again


def room(mastery: float = 0.0, *, authored: Lesson = LESSON, **fields: Any) -> Classroom:
    taught = lesson_from_course(authored)
    subject = first_message("Course", authored.subconcept)
    return Classroom(make_tutor(lambda _: taught), subject, mastery=mastery, **fields)


def opened(mastery: float = 0.0, **fields: Any) -> Classroom:
    lesson = room(mastery, **fields)
    lesson.open()
    return lesson


def right(lesson: Classroom) -> str:
    assert lesson.pending is not None
    return lesson.answer(lesson.pending["answer"], right=True)


def kinds(lesson: Classroom) -> list[str]:
    prompts = {FIRST.prompt: "alone", AGAIN.prompt: "again"}
    return ["gap" if one.get("gap") else prompts.get(one["question"], "later") for one in lesson.asked]


def replies(lesson: Classroom) -> list[str]:
    return [text.partition("\n\nQuestion Type:")[0] for role, text in lesson.transcript if role == "assistant"]


def test_H6_who_knows_little_gets_an_example_then_the_same_with_a_step_left_out_then_works_alone() -> None:
    lesson = room()
    opening = lesson.open()
    assert [call.name for call in lesson.calls][-2:] == ["generate_example", "ask_checkpoint"]
    assert LESSON.steps[0].says in opening
    assert "does not count yet" in opening
    assert "___" in lesson.asked[0]["question"]
    reply = right(lesson)
    assert GAP.because in reply
    assert reply.endswith("Now one on your own, with nothing worked out.")
    assert kinds(lesson) == ["gap", "alone"]


def test_H3_a_filled_gap_is_practice_so_that_the_lesson_goes_on_until_it_is_solved_alone() -> None:
    lesson = opened(learns=1)
    right(lesson)
    assert not lesson.unaided
    assert not lesson.completed
    assert kinds(lesson) == ["gap", "alone"]


@pytest.mark.parametrize("score", [0.6, 0.9])
def test_H6_who_knows_much_gets_the_question_first_without_example_or_gap(score: float) -> None:
    lesson = room(results={"check_student_progress": json.dumps({"diagnosticScore": score})})
    opening = lesson.open()
    assert "generate_example" not in [call.name for call in lesson.calls]
    assert "gap" not in kinds(lesson)
    assert LESSON.steps[0].says not in opening


def test_H6_in_between_the_idea_comes_first_and_the_question_is_whole() -> None:
    assert kinds(opened(0.4)) == ["alone"]


def test_H6_who_needed_the_solution_of_the_first_question_gets_it_with_a_step_left_out() -> None:
    lesson = opened(0.4)
    lesson.push("show")
    assert kinds(lesson) == ["alone", "gap"]
    assert [call.name for call in lesson.calls] == ["generate_example", "ask_checkpoint"]
    right(lesson)
    assert kinds(lesson) == ["alone", "gap", "again"]
    lesson.push("show")
    assert "gap" not in kinds(lesson)[2:], "one gap in a lesson"


@pytest.mark.parametrize("move", ["idk", "wrong", "show", "change"])
def test_H1a_from_a_gap_there_is_always_a_way_on_and_no_reply_comes_twice(move: str) -> None:
    lesson = opened()
    for number in range(2):
        if move == "idk":
            lesson.ask_for_help()
        elif move == "wrong":
            lesson.answer(f"{number}00", right=False)
        elif kinds(lesson) == ["gap"]:
            lesson.push(move)
    assert kinds(lesson) == ["gap", "alone"]
    assert all(one != other for one, other in pairwise(replies(lesson)))


def test_H1a_who_cannot_fill_the_gap_gets_its_help_and_then_the_step() -> None:
    lesson = opened()
    assert GAP.help in lesson.answer("3", right=False)
    reply = lesson.ask_for_help()
    assert GAP.filled in reply
    assert GAP.because in reply


def test_Q2_a_side_question_at_a_gap_is_answered_and_the_gap_stays_open() -> None:
    lesson = opened()
    assert "A cyclist rides 36 km" in lesson.ask("who was that cyclist again?", kind="clarification")
    lesson.ask("show me an example")
    assert kinds(lesson) == ["gap"]
    assert lesson.open_question is not None


def test_V4_the_last_step_is_told_from_its_neighbour_and_no_other_step_is() -> None:
    lesson = opened(0.4, learns=3, neighbours=["Acceleration: how speeds change"])
    for step in (1, 2):
        right(lesson)
        assert ("“Acceleration: how speeds change”" in lesson.last_reply) is (step == 2)
    assert LESSON.steps[2].says in lesson.last_reply


def sample(course: Course) -> Sequence[Lesson]:
    return lessons(course.slug)[::EVERY]


@pytest.mark.parametrize("course", courses(), ids=lambda course: course.slug)
def test_H6_the_example_and_the_gap_of_every_lesson_keep_its_answer_secret(course: Course) -> None:
    for lesson in lessons(course.slug):
        gap = lesson_from_course(lesson).gap
        assert gap is not None, lesson.subconcept
        draft_of(gap.tool_input("Fill it in."))
        for text in (lesson.example.title, lesson.example.text, lesson.steps[0].says, *gap.help):
            assert LeakCheck(gap.secret()).passes(text), f"{lesson.subconcept}: {text}"


@pytest.mark.parametrize("course", courses(), ids=lambda course: course.slug)
def test_H6_an_authored_lesson_fades_for_who_knows_little_also_by_not_knowing(course: Course) -> None:
    for authored in sample(course):
        for knows in (True, False):
            lesson = opened(authored=authored)
            assert [call.name for call in lesson.calls][-2:] == ["generate_example", "ask_checkpoint"]
            assert lesson.asked[0].get("gap"), authored.subconcept
            if knows:
                right(lesson)
            else:
                lesson.ask_for_help()
                lesson.ask_for_help()
            assert lesson.asked[1]["question"] == authored.steps[0].asks.prompt
            assert all(one != other for one, other in pairwise(replies(lesson)))
