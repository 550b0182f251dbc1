"""Grades as they are kept with their answers, and what of them is shown."""

from typing import cast

from pydantic import JsonValue, TypeAdapter

from sprout.events import CriterionShown, Graded
from sprout.learning.marking.grades import Grade, shown, ungraded
from sprout.learning.questions.assessing import GradeShown
from sprout.store import tables

NOT_YET = "it waits for its grade"

_GRADE = TypeAdapter(Grade)


def grade_of(answer: tables.Answer) -> Grade | None:
    """The grade as it was kept; None where there is none yet."""
    return as_grade(answer.grade)


def as_grade(kept: JsonValue) -> Grade | None:
    """The grade that a column keeps; None where it is empty."""
    return None if kept is None else _GRADE.validate_python(kept)


def as_kept(grade: Grade) -> JsonValue:
    """The grade as the column has it."""
    return cast(JsonValue, _GRADE.dump_python(grade, mode="json"))


def grade_shown(answer: tables.Answer) -> GradeShown | None:
    """What its learner may see: of words that wait for their grade that they do; None where there is nothing to grade,
    and of answers from before grades were kept."""
    grade = grade_of(answer)
    if grade is None and answer.answer_text is not None and answer.score is None:
        grade = ungraded(NOT_YET)
    if grade is None:
        return None
    seen = shown(grade)
    return GradeShown(
        state=seen.state.value, criteria=criteria_shown(grade), next_step=seen.next_step or None, cut=seen.cut
    )


def graded_event(answer: tables.Answer, grade: Grade) -> Graded:
    """What its learner is told of a grade."""
    seen = shown(grade)
    return Graded(
        question_id=answer.question_id,
        answer_id=answer.id,
        state=seen.state.value,
        score=seen.score,
        correct=seen.correct,
        criteria=criteria_shown(grade),
        next_step=seen.next_step,
        help_level=answer.help_level,
    )


def criteria_shown(grade: Grade) -> list[CriterionShown]:
    """The criteria of a graded answer as a learner sees them."""
    return [CriterionShown(label=one.label, verdict=one.verdict, span=one.span) for one in shown(grade).criteria]
