"""The answers about assessments: what is asked, and what a learner says to it."""

from starlette.responses import Response

from sprout.learning.questions.assessing import GivenAnswer
from sprout.learning.questions.teachers_questions import teachers_question
from sprout.web.bodies import (
    AssessmentChange,
    AssessmentFilter,
    MaybeOwner,
    NewAnswer,
    NewAssessment,
    NewQuestion,
    Nothing,
    Owner,
)
from sprout.web.endpoint import Call, row, rows
from sprout.web.requests import moment
from sprout.web.shown import DiagnosticShown


async def listed(call: Call[AssessmentFilter, Nothing]) -> Response:
    """The caller's assessments."""
    return rows(await call.parts.assessments.assessments(call.user_id, target_node_id=call.query.target_node_id))


async def shown(call: Call) -> Response:
    """One assessment, or 404."""
    return row(await call.parts.assessments.assessment(call.id, user_id=call.user_id))


async def created(call: Call[Nothing, NewAssessment]) -> Response:
    """201 with the new assessment; 200 with the diagnostic that the node has: there is one."""
    new = call.body
    found, is_new = await call.parts.assessments.create_assessment(
        new.target_node_id, user_id=call.user_id, type=new.type, title=new.title
    )
    return row(found, 201 if is_new else 200)


async def question_added(call: Call[Nothing, NewQuestion]) -> Response:
    """201 with the question, without what is right."""
    new = call.body
    await call.parts.assessments.assessment(call.id, user_id=call.user_id)
    draft = teachers_question(
        prompt=new.prompt,
        format=new.format,
        options=new.options or (),
        correct_answer=new.correct_answer,
        rubric=new.grading_rubric,
        difficulty=new.difficulty,
    )
    added = await call.parts.assessments.add_question(call.id, draft, user_id=call.user_id, node_id=new.node_id)
    return row(added, 201)


async def changed(call: Call[Nothing, AssessmentChange]) -> Response:
    """The assessment with its changes; what is null or left out stays."""
    change = call.body
    completed_at = None if change.completed_at is None else moment(change.completed_at, field="completedAt")
    found = await call.parts.assessments.change_assessment(
        call.id, user_id=call.user_id, title=change.title, completed_at=completed_at
    )
    return row(found)


async def questions(call: Call) -> Response:
    """The questions, without what is right."""
    return rows(await call.parts.assessments.questions(call.id, user_id=call.user_id))


async def answers(call: Call[MaybeOwner, Nothing]) -> Response:
    """The caller's attempts."""
    return rows(await call.parts.assessments.answers(call.id, user_id=call.user_id))


async def answered(call: Call[Nothing, NewAnswer]) -> Response:
    """201 with the attempt and the server's own verdict; what a client thinks of it does not count."""
    new = call.body
    given = GivenAnswer(new.question_id, text=new.answer_text or None, option=new.selected_option or None)
    return row(await call.parts.assessments.answer(call.id, given, user_id=call.user_id), 201)


async def diagnostic(call: Call[Owner, Nothing]) -> Response:
    """A concept's diagnostic. Nothing is made by asking for it."""
    found = await call.parts.assessments.diagnostic(call.id, user_id=call.user_id)
    return row(DiagnosticShown(**dict(found), concept_node_id=call.id))
