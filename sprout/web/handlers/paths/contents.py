"""Contents of nodes, and the record of how their children were generated."""

from starlette.responses import JSONResponse, Response

from sprout.learning.paths.contents import NewContent, NewGeneration
from sprout.web.http.dependencies import PathRepositories
from sprout.web.http.endpoint import Call, json_list_response, json_response
from sprout.web.schemas.requests import ContentBody, GenerationBody, NoFields


async def list_contents(call: Call[PathRepositories]) -> Response:
    """All contents of a node."""
    return json_list_response(await call.dependencies.contents.contents(call.id, user_id=call.user_id))


async def get_active_content(call: Call[PathRepositories]) -> Response:
    """The active content, or `null`."""
    found = await call.dependencies.contents.active_content(call.id, user_id=call.user_id)
    return JSONResponse(None) if found is None else json_response(found)


async def add_content(call: Call[PathRepositories, NoFields, ContentBody]) -> Response:
    """201 with the new content."""
    new = NewContent(**dict(call.body))
    return json_response(await call.dependencies.contents.add_content(call.id, new, user_id=call.user_id), 201)


async def list_generations(call: Call[PathRepositories]) -> Response:
    """The generations of a node's children."""
    return json_list_response(await call.dependencies.contents.generations(call.id, user_id=call.user_id))


async def add_generation(call: Call[PathRepositories, NoFields, GenerationBody]) -> Response:
    """201 with the new generation."""
    new = NewGeneration(**dict(call.body))
    return json_response(await call.dependencies.contents.add_generation(call.id, new, user_id=call.user_id), 201)
