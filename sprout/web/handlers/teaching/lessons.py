"""State of a lesson, for a page that is opened in the middle of it."""

import json
from dataclasses import dataclass

from starlette.responses import Response

from sprout.events import CardShown, CriterionShown, wire_time
from sprout.learning.lessons.repository import LessonRepository
from sprout.learning.marking.grades import Grade, visible_grade
from sprout.learning.paths.contents import ContentRow, Contents
from sprout.learning.questions.assessments import GradeShown
from sprout.web.handlers.teaching.tutor import open_lesson_question
from sprout.web.http.endpoint import Call, json_response
from sprout.web.schemas.responses import LessonState


@dataclass(frozen=True, slots=True)
class LessonDependencies:
    """Lessons, and the contents with their cards."""

    lessons: LessonRepository
    contents: Contents


async def get_lesson(call: Call[LessonDependencies]) -> Response:
    """The open question and the progress so far; never answer keys."""
    lessons, contents = call.dependencies.lessons, call.dependencies.contents
    lesson = await lessons.lesson(call.id, user_id=call.user_id)
    pending, standing = lesson.pending, lesson.standing
    grade = None
    if pending is not None and pending.last_attempt_id is not None:
        grade = await lessons.grade(pending.last_attempt_id, user_id=call.user_id)
    return json_response(
        LessonState(
            question=open_lesson_question(pending),
            reading=lesson.reading,
            help_level=pending.ladder.level if pending else 0,
            plan=lesson.plan.goals,
            chunk=lesson.plan.step,
            asked=lesson.plan.asked,
            mastery=standing.mastery,
            evidence=standing.attempts,
            needed=standing.needed,
            completed=standing.learned,
            mastered=standing.mastered,
            mastered_from=None if standing.mastered_from is None else wire_time(standing.mastered_from),
            graded=_grade_response(grade),
            cards=_cards(await contents.active_content(lesson.node.id, user_id=call.user_id)),
        )
    )


def _grade_response(grade: Grade | None) -> GradeShown | None:
    if grade is None:
        return None
    seen = visible_grade(grade)
    criteria = [CriterionShown(label=one.label, verdict=one.verdict, span=one.span) for one in seen.criteria]
    return GradeShown(state=seen.state.value, criteria=criteria, next_step=seen.next_step or None, cut=seen.truncated)


def _cards(content: ContentRow | None) -> tuple[CardShown, ...]:
    """The cards of the content, without its lesson steps."""
    cards = json.loads(content.cards) if content is not None and content.cards else []
    fields = tuple(CardShown.model_fields)
    return tuple(CardShown(**{name: one[name] for name in fields}) for one in cards if set(fields) <= one.keys())
