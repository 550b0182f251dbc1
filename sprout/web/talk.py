"""The answers about conversations: sessions, what was said in them, hints."""

from starlette.responses import Response

from sprout.learning.lessons.talk import NewHint, Said
from sprout.web.bodies import HintBody, NewMessage, NewSession, Nothing, OfNode, SessionChange
from sprout.web.endpoint import Call, row, rows
from sprout.web.requests import moment


async def sessions(call: Call[OfNode, Nothing]) -> Response:
    """The caller's sessions."""
    return rows(await call.parts.talk.sessions(call.user_id, node_id=call.query.node_id))


async def begun(call: Call[Nothing, NewSession]) -> Response:
    """201 with the new session."""
    return row(await call.parts.talk.begin_session(call.user_id, node_id=call.body.node_id), 201)


async def ended(call: Call[Nothing, SessionChange]) -> Response:
    """The session, ended; asking again moves its end."""
    at = None if call.body.ended_at is None else moment(call.body.ended_at, field="endedAt")
    return row(await call.parts.talk.end_session(call.id, user_id=call.user_id, at=at))


async def messages(call: Call) -> Response:
    """What was said in a session."""
    return rows(await call.parts.talk.messages(call.id, user_id=call.user_id))


async def said(call: Call[Nothing, NewMessage]) -> Response:
    """201 with the new message."""
    new = call.body
    said = Said(new.content, new.kind, new.was_successful, new.success_signal)
    return row(await call.parts.talk.say(call.id, said, user_id=call.user_id), 201)


async def hints(call: Call[OfNode, Nothing]) -> Response:
    """The hints that the caller asked for."""
    return rows(await call.parts.talk.hints(call.user_id, node_id=call.query.node_id))


async def hint_noted(call: Call[Nothing, HintBody]) -> Response:
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
    return row(await call.parts.talk.note_hint(hint, user_id=call.user_id), 201)
