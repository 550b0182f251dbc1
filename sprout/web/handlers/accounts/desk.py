"""Desk of a class whose teacher the caller is, its concerns and shared lessons; and what its learners see of them."""

from starlette.responses import Response

from sprout.web.http.dependencies import DeskRepositories
from sprout.web.http.endpoint import Call, json_list_response, json_response, no_content
from sprout.web.schemas.class_requests import DeskVerdict, NewShare
from sprout.web.schemas.requests import NoFields


async def get_desk(call: Call[DeskRepositories]) -> Response:
    """What waits for a decision, oldest first."""
    return json_response(await call.dependencies.desk.desk(call.id, teacher_id=call.user_id))


async def get_learner(call: Call[DeskRepositories]) -> Response:
    """Whose answer an item is."""
    found = await call.dependencies.desk.learner(call.id, call.ids["item_id"], teacher_id=call.user_id)
    return json_response(found)


async def get_drawing(call: Call[DeskRepositories]) -> Response:
    """The drawing of an answer that waits for a decision."""
    found = await call.dependencies.desk.drawing(call.id, call.ids["item_id"], teacher_id=call.user_id)
    return Response(found.data, media_type=found.media_type)


async def decide(call: Call[DeskRepositories, NoFields, DeskVerdict]) -> Response:
    """The decision, which is the learner's grade from now on; the same one again changes nothing."""
    desk, verdict = call.dependencies.desk, call.body.decision
    return json_response(await desk.decide(call.id, call.ids["item_id"], verdict, teacher_id=call.user_id))


async def undo(call: Call[DeskRepositories]) -> Response:
    """204 once everything is as it was before the decision."""
    await call.dependencies.desk.undo(call.id, call.ids["item_id"], teacher_id=call.user_id)
    return no_content()


async def list_concerns(call: Call[DeskRepositories]) -> Response:
    """Whom there is concern about, since when, and what to do."""
    return json_response(await call.dependencies.concerns.concerns(call.id, teacher_id=call.user_id))


async def mark_concern_seen(call: Call[DeskRepositories]) -> Response:
    """204 once it is kept that the teacher knows of it."""
    await call.dependencies.concerns.mark_seen(call.id, call.ids["concern_id"], teacher_id=call.user_id)
    return no_content()


async def list_shared(call: Call[DeskRepositories]) -> Response:
    """The conversations that learners have shared with a class, newest first."""
    return json_list_response(await call.dependencies.shared_lessons.shared(call.id, teacher_id=call.user_id))


async def read_shared(call: Call[DeskRepositories]) -> Response:
    """The messages of a shared conversation."""
    shared, session_id = call.dependencies.shared_lessons, call.ids["session_id"]
    return json_list_response(await shared.messages(call.id, session_id, teacher_id=call.user_id))


async def get_share(call: Call[DeskRepositories]) -> Response:
    """With whom the caller shares a conversation, or null."""
    found = await call.dependencies.shared_lessons.find(call.id, user_id=call.user_id)
    return Response("null", media_type="application/json") if found is None else json_response(found)


async def share(call: Call[DeskRepositories, NoFields, NewShare]) -> Response:
    """The class whose teacher may read the conversation from now on."""
    shared = call.dependencies.shared_lessons
    return json_response(await shared.share(call.id, call.body.class_id, user_id=call.user_id))


async def stop_sharing(call: Call[DeskRepositories]) -> Response:
    """204 once nobody else reads the conversation."""
    await call.dependencies.shared_lessons.stop(call.id, user_id=call.user_id)
    return no_content()


async def list_decisions(call: Call[DeskRepositories]) -> Response:
    """What teachers have decided about the caller's questions, newest first."""
    return json_list_response(await call.dependencies.desk.decisions(call.user_id))


async def mark_decisions_seen(call: Call[DeskRepositories]) -> Response:
    """204 once it is kept that the caller has seen them."""
    await call.dependencies.desk.mark_seen(call.user_id)
    return no_content()
