"""Grades as stored with their answers, and their visible form."""

from typing import cast

from pydantic import JsonValue, TypeAdapter

from sprout.events import CriterionShown, Graded
from sprout.learning.marking.grades import Grade, ungraded, visible_grade
from sprout.learning.questions.assessments import GradeShown
from sprout.store.schema import tables

AWAITING_GRADE = "it waits for its grade"

_GRADE = TypeAdapter(Grade)


def grade_of(answer: tables.Answer) -> Grade | None:
    """The stored grade; None if there is none yet."""
    return load_grade(answer.grade)


def load_grade(stored: JsonValue) -> Grade | None:
    """The grade of a column; None if it is empty."""
    return None if stored is None else _GRADE.validate_python(stored)


def dump_grade(grade: Grade) -> JsonValue:
    """The column of a grade."""
    return cast(JsonValue, _GRADE.dump_python(grade, mode="json"))


def grade_response(answer: tables.Answer) -> GradeShown | None:
    """The visible grade; for text that waits for its grade, that it does. None if there is nothing to grade."""
    grade = grade_of(answer)
    if grade is None and answer.answer_text is not None and answer.score is None:
        grade = ungraded(AWAITING_GRADE)
    if grade is None:
        return None
    seen = visible_grade(grade)
    return GradeShown(
        state=seen.state.value, criteria=criteria_response(grade), next_step=seen.next_step or None, cut=seen.truncated
    )


def graded_event(answer: tables.Answer, grade: Grade) -> Graded:
    """The event of a grade, as its learner sees it."""
    seen = visible_grade(grade)
    return Graded(
        question_id=answer.question_id,
        answer_id=answer.id,
        state=seen.state.value,
        score=seen.score,
        correct=seen.correct,
        criteria=criteria_response(grade),
        next_step=seen.next_step,
        help_level=answer.help_level,
    )


def criteria_response(grade: Grade) -> list[CriterionShown]:
    """The criteria of a graded answer as a learner sees them."""
    return [
        CriterionShown(label=one.label, verdict=one.verdict, span=one.span) for one in visible_grade(grade).criteria
    ]
