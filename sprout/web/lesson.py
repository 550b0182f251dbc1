"""The answer to where a lesson stands, for a page that is opened in the middle of it."""

import json

from starlette.responses import Response

from sprout.events import CardShown, CriterionShown
from sprout.learning.marking.grades import Grade, shown
from sprout.learning.mastery.mastery import right_answers_needed
from sprout.learning.paths.contents import ContentRow
from sprout.learning.questions.assessing import GradeShown
from sprout.web.endpoint import Call, row
from sprout.web.shown import LessonShown
from sprout.web.tutor import question_asked


async def stands(call: Call) -> Response:
    """What is open and what has been reached; never what is right."""
    parts = call.parts
    lesson = await parts.tutoring.lesson(call.id, user_id=call.user_id)
    pending = lesson.pending
    grade = None
    if pending is not None and pending.counted is not None:
        grade = await parts.tutoring.grade(pending.counted, user_id=call.user_id)
    return row(
        LessonShown(
            question=question_asked(pending),
            help_level=pending.ladder.level if pending else 0,
            plan=lesson.plan.can,
            chunk=lesson.plan.chunk,
            mastery=lesson.mastery,
            evidence=lesson.attempts,
            needed=0 if lesson.mastered else right_answers_needed(lesson.mastery, lesson.attempts),
            completed=lesson.mastered,
            graded=_graded(grade),
            cards=_cards(await parts.contents.active_content(lesson.node.id, user_id=call.user_id)),
        )
    )


def _graded(grade: Grade | None) -> GradeShown | None:
    if grade is None:
        return None
    seen = shown(grade)
    criteria = [CriterionShown(label=one.label, verdict=one.verdict, span=one.span) for one in seen.criteria]
    return GradeShown(state=seen.state.value, criteria=criteria, next_step=seen.next_step or None, cut=seen.cut)


def _cards(content: ContentRow | None) -> tuple[CardShown, ...]:
    """The cards of the content that are none of its chunks."""
    kept = json.loads(content.cards) if content is not None and content.cards else []
    fields = tuple(CardShown.model_fields)
    return tuple(CardShown(**{name: one[name] for name in fields}) for one in kept if set(fields) <= one.keys())
