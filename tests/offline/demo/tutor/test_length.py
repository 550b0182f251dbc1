"""Length of a lesson: how many turns it takes whom, with mastery as the server computes it."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest

from sprout.learning.mastery.mastery import Evidence, mastery
from sprout.learning.questions.questions import prompt_key
from sprout.offline.courses.catalogue import courses, lessons
from sprout.offline.courses.course_format import Course
from sprout.offline.courses.lesson_format import Lesson
from sprout.offline.demo.tutor.agent import make_tutor
from sprout.offline.demo.tutor.content.from_course import lesson_from_course
from tests.offline.demo.tutor.classroom import Classroom, first_message

MOST_TURNS = 30
EVERY = 7  # lessons of a course of which one is taken
START = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass
class MarkedClassroom(Classroom):
    """A classroom in which a lesson is learned as the server has it."""

    evidence: list[Evidence] = field(default_factory=list)

    @property
    def is_learned(self) -> bool:
        known = mastery(self.evidence, []).get("this")
        return known is not None and known.learned

    def mark(self, *, right: bool) -> None:
        """Answer the open question, which code marks."""
        assert self.pending is not None
        number = len(self.evidence)
        self.evidence.append(
            Evidence(
                f"a{number}",
                f"q{len(self.asked)}",
                prompt_key(self.pending["question"]),
                ("this",),
                "numeric",
                3,
                float(right),
                int(self.ladder.level),
                START + timedelta(minutes=number),
                number,
            )
        )
        self.answer(self.pending["answer"] if right else f"wrong {number}", right=right)


def is_marked(call: dict[str, Any]) -> bool:
    return call["type"] == "mcq" or bool({"number", "accepted", "program_tests"} & call.keys())


def turns_of(authored: Lesson, errs: float, seed: int) -> int:
    """Turns until the lesson is over for a learner who errs in that share of their answers."""
    luck = Random(f"{authored.subconcept} {seed}")
    taught = lesson_from_course(authored)
    lesson = MarkedClassroom(make_tutor(lambda _: taught), first_message("Course", authored.subconcept))
    lesson.open()
    turns = 0
    while not lesson.completed and turns <= 2 * MOST_TURNS:
        assert lesson.pending is not None
        right = luck.random() >= errs
        if is_marked(lesson.pending):
            lesson.mark(right=right)
            turns += 1
        else:
            lesson.compare("met" if right else "missing")
            turns += 2
    return turns


@pytest.mark.parametrize("course", courses(), ids=lambda course: course.slug)
def test_no_lesson_goes_on_for_more_than_thirty_turns_for_who_errs_now_and_then(course: Course) -> None:
    long = {
        (lesson.subconcept, seed): turns
        for lesson in lessons(course.slug)[::EVERY]
        for seed in range(4)
        if (turns := turns_of(lesson, errs=0.2, seed=seed)) > MOST_TURNS
    }
    assert not long
