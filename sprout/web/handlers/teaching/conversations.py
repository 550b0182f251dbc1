"""Conversations: sessions, messages and hints."""

from starlette.responses import Response

from sprout.learning.lessons.conversations import LearnerMessage, NewHint
from sprout.web.http.dependencies import TeachingRepositories
from sprout.web.http.endpoint import Call, json_list_response, json_response
from sprout.web.http.parsing import parse_timestamp
from sprout.web.schemas.requests import HintBody, NewMessage, NewSession, NodeQuery, NoFields, SessionChange


async def list_sessions(call: Call[TeachingRepositories, NodeQuery]) -> Response:
    """The caller's sessions."""
    return json_list_response(await call.dependencies.conversations.sessions(call.user_id, node_id=call.query.node_id))


async def begin_session(call: Call[TeachingRepositories, NoFields, NewSession]) -> Response:
    """201 with the new session."""
    return json_response(
        await call.dependencies.conversations.start_session(call.user_id, node_id=call.body.node_id), 201
    )


async def end_session(call: Call[TeachingRepositories, NoFields, SessionChange]) -> Response:
    """The ended session; a repeated request moves its end."""
    at = None if call.body.ended_at is None else parse_timestamp(call.body.ended_at, field="endedAt")
    return json_response(await call.dependencies.conversations.end_session(call.id, user_id=call.user_id, at=at))


async def list_messages(call: Call[TeachingRepositories]) -> Response:
    """The messages of a session."""
    return json_list_response(await call.dependencies.conversations.messages(call.id, user_id=call.user_id))


async def add_message(call: Call[TeachingRepositories, NoFields, NewMessage]) -> Response:
    """201 with the new message."""
    new = call.body
    message = LearnerMessage(new.content, new.kind, new.was_successful, new.success_signal)
    return json_response(await call.dependencies.conversations.add_message(call.id, message, user_id=call.user_id), 201)


async def list_hints(call: Call[TeachingRepositories, NodeQuery]) -> Response:
    """The hints that the caller asked for."""
    return json_list_response(await call.dependencies.conversations.hints(call.user_id, node_id=call.query.node_id))


async def add_hint(call: Call[TeachingRepositories, NoFields, HintBody]) -> Response:
    """201 with the new hint."""
    new = call.body
    referenced = new.referenced_success_message_ids
    hint = NewHint(
        new.node_id,
        new.session_id,
        new.request_message_id,
        new.response_message_id,
        None if referenced is None else tuple(referenced),
    )
    return json_response(await call.dependencies.conversations.add_hint(hint, user_id=call.user_id), 201)
