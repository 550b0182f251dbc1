"""Reviews: what is due, sessions and their answers."""

from starlette.responses import Response

from sprout.clock import utc_now
from sprout.learning.questions.assessments import SelfMark
from sprout.learning.reviews.calendar import MEDIA_TYPE, review_calendar
from sprout.learning.reviews.cards import ReviewGrade
from sprout.learning.reviews.repository import ReviewAnswer, SettingsChange
from sprout.web.http.dependencies import TeachingRepositories
from sprout.web.http.endpoint import Call, json_list_response, json_response
from sprout.web.schemas.requests import NoFields, UserRequest
from sprout.web.schemas.review_requests import (
    CalendarQuery,
    NewReviewAnswer,
    NewReviewGrade,
    NewReviewSession,
    ReviewSelfMark,
    ReviewSettingsChange,
    ReviewSkip,
)


async def get_due(call: Call[TeachingRepositories, UserRequest]) -> Response:
    """The summary of what is due."""
    return json_response(await call.dependencies.reviews.due(call.user_id))


async def start_session(call: Call[TeachingRepositories, NoFields, NewReviewSession]) -> Response:
    """201 with a new session; 200 with today's that is not over."""
    session, is_new = await call.dependencies.reviews.start_session(
        call.user_id, minutes=call.body.minutes, branch_id=call.body.branch_id
    )
    return json_response(session, 201 if is_new else 200)


async def get_session(call: Call[TeachingRepositories, UserRequest]) -> Response:
    """The session with its open question."""
    return json_response(await call.dependencies.reviews.session(call.id, user_id=call.user_id))


async def submit_answer(call: Call[TeachingRepositories, NoFields, NewReviewAnswer]) -> Response:
    """201 with the result and the next question."""
    new = call.body
    answer = ReviewAnswer(
        new.item_id,
        text=new.answer_text or None,
        option=new.selected_option or None,
        seconds=new.seconds,
        sure=new.sure,
    )
    return json_response(await call.dependencies.reviews.answer(call.id, answer, user_id=call.user_id), 201)


async def self_mark(call: Call[TeachingRepositories, NoFields, ReviewSelfMark]) -> Response:
    """200 with the result by the learner's own verdicts."""
    mark = SelfMark(call.body.verdicts, call.body.misconception)
    return json_response(
        await call.dependencies.reviews.self_mark(call.id, call.body.item_id, mark, user_id=call.user_id)
    )


async def choose_grade(call: Call[TeachingRepositories, NoFields, NewReviewGrade]) -> Response:
    """200 with the result and the chosen grade."""
    grade = ReviewGrade(call.body.grade)
    return json_response(
        await call.dependencies.reviews.choose_grade(call.id, call.body.item_id, grade, user_id=call.user_id)
    )


async def skip_item(call: Call[TeachingRepositories, NoFields, ReviewSkip]) -> Response:
    """200 with the session and its next question."""
    return json_response(await call.dependencies.reviews.skip(call.id, call.body.item_id, user_id=call.user_id))


async def get_settings(call: Call[TeachingRepositories, UserRequest]) -> Response:
    """The caller's settings."""
    return json_response(await call.dependencies.reviews.settings(call.user_id))


async def get_calendar(call: Call[TeachingRepositories, CalendarQuery]) -> Response:
    """The reviews of the next two weeks as a calendar that may be subscribed to."""
    day = await call.dependencies.reviews.day(call.user_id)
    link = f"{call.request.base_url}review"
    text = review_calendar(day, user_id=call.user_id, link=link, now=utc_now(), language=call.query.language)
    return Response(
        text, media_type=MEDIA_TYPE, headers={"Content-Disposition": 'inline; filename="sprout-reviews.ics"'}
    )


async def list_costs(call: Call[TeachingRepositories, UserRequest]) -> Response:
    """What each choice of retention costs the caller."""
    return json_list_response(await call.dependencies.reviews.retention_costs(call.user_id))


async def change_settings(call: Call[TeachingRepositories, NoFields, ReviewSettingsChange]) -> Response:
    """The settings with what is given changed."""
    new = call.body
    change = SettingsChange(
        minutes=new.minutes, retention=new.retention, time_zone=new.time_zone, day_starts_at=new.day_starts_at
    )
    return json_response(await call.dependencies.reviews.change_settings(call.user_id, change))
