"""Assessments: their questions, and the learner's answers."""

from datetime import datetime
from types import EllipsisType

from starlette.responses import Response

from sprout.learning.questions.assessments import GivenAnswer
from sprout.learning.questions.teachers_questions import build_teachers_question
from sprout.web.http.dependencies import TeachingRepositories
from sprout.web.http.endpoint import Call, json_list_response, json_response
from sprout.web.http.parsing import parse_timestamp
from sprout.web.schemas.requests import (
    AssessmentChange,
    AssessmentFilter,
    NewAnswer,
    NewAssessment,
    NewQuestion,
    NoFields,
    UserRequest,
)


async def list_assessments(call: Call[TeachingRepositories, AssessmentFilter]) -> Response:
    """The caller's assessments."""
    return json_list_response(
        await call.dependencies.assessments.assessments(call.user_id, target_node_id=call.query.target_node_id)
    )


async def get_assessment(call: Call[TeachingRepositories]) -> Response:
    """One assessment, or 404."""
    return json_response(await call.dependencies.assessments.assessment(call.id, user_id=call.user_id))


async def create_assessment(call: Call[TeachingRepositories, NoFields, NewAssessment]) -> Response:
    """201 with the new assessment; 200 with the existing diagnostic, of which a node has one."""
    new = call.body
    found, is_new = await call.dependencies.assessments.create_assessment(
        new.target_node_id, user_id=call.user_id, type=new.type, title=new.title
    )
    return json_response(found, 201 if is_new else 200)


async def add_question(call: Call[TeachingRepositories, NoFields, NewQuestion]) -> Response:
    """201 with the question, without its answer key."""
    new = call.body
    await call.dependencies.assessments.assessment(call.id, user_id=call.user_id)
    draft = build_teachers_question(
        prompt=new.prompt,
        format=new.format,
        options=new.options or (),
        correct_answer=new.correct_answer,
        rubric=new.grading_rubric,
        difficulty=new.difficulty,
    )
    added = await call.dependencies.assessments.add_question(call.id, draft, user_id=call.user_id, node_id=new.node_id)
    return json_response(added, 201)


async def update_assessment(call: Call[TeachingRepositories, NoFields, AssessmentChange]) -> Response:
    """The assessment with its changes; what is left out stays, and a null `completedAt` opens it again."""
    change = call.body
    completed_at: datetime | EllipsisType | None = ...
    if "completed_at" in change.model_fields_set:
        given = change.completed_at
        completed_at = None if given is None else parse_timestamp(given, field="completedAt")
    found = await call.dependencies.assessments.change_assessment(
        call.id, user_id=call.user_id, title=change.title, completed_at=completed_at
    )
    return json_response(found)


async def list_questions(call: Call[TeachingRepositories]) -> Response:
    """The questions, without answer keys."""
    return json_list_response(await call.dependencies.assessments.questions(call.id, user_id=call.user_id))


async def list_answers(call: Call[TeachingRepositories, UserRequest]) -> Response:
    """The caller's attempts."""
    return json_list_response(await call.dependencies.assessments.answers(call.id, user_id=call.user_id))


async def submit_answer(call: Call[TeachingRepositories, NoFields, NewAnswer]) -> Response:
    """201 with the attempt and the server's verdict; the client's own doesn't count."""
    new = call.body
    text, option = new.answer_text or None, new.selected_option or None
    given = GivenAnswer(new.question_id, text=text, option=option, sure=new.sure)
    return json_response(await call.dependencies.assessments.record_answer(call.id, given, user_id=call.user_id), 201)
