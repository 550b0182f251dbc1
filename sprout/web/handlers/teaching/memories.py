"""Memories that the tutor keeps of a learner from lesson to lesson."""

from starlette.responses import Response

from sprout.web.http.dependencies import TeachingRepositories
from sprout.web.http.endpoint import Call, json_list_response, json_response, no_content
from sprout.web.schemas.requests import MemoryChange, NoFields, UserRequest


async def list_memories(call: Call[TeachingRepositories, UserRequest]) -> Response:
    """The caller's memories."""
    return json_list_response(await call.dependencies.memories.memories(call.user_id))


async def update_memory(call: Call[TeachingRepositories, NoFields, MemoryChange]) -> Response:
    """The changed entry."""
    return json_response(await call.dependencies.memories.change_memory(call.id, call.body.text, user_id=call.user_id))


async def delete_memory(call: Call[TeachingRepositories]) -> Response:
    """204 once it is deleted."""
    await call.dependencies.memories.forget(call.id, user_id=call.user_id)
    return no_content()
