"""The answers about what is taught at a node, and about who made what is under it."""

from starlette.responses import JSONResponse, Response

from sprout.learning.paths.contents import NewContent, NewGeneration
from sprout.web.bodies import ContentBody, GenerationBody, Nothing
from sprout.web.endpoint import Call, row, rows


async def listed(call: Call) -> Response:
    """All contents of a node."""
    return rows(await call.parts.contents.contents(call.id, user_id=call.user_id))


async def active(call: Call) -> Response:
    """The content that is shown now; `null` where there is none, which is no error."""
    found = await call.parts.contents.active_content(call.id, user_id=call.user_id)
    return JSONResponse(None) if found is None else row(found)


async def added(call: Call[Nothing, ContentBody]) -> Response:
    """201 with the new content."""
    new = NewContent(**dict(call.body))
    return row(await call.parts.contents.add_content(call.id, new, user_id=call.user_id), 201)


async def generations(call: Call) -> Response:
    """All notes of who made the children of a node."""
    return rows(await call.parts.contents.generations(call.id, user_id=call.user_id))


async def generation_added(call: Call[Nothing, GenerationBody]) -> Response:
    """201 with the new note."""
    new = NewGeneration(**dict(call.body))
    return row(await call.parts.contents.add_generation(call.id, new, user_id=call.user_id), 201)
