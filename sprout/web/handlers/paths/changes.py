"""Changes of a path, and undoing them."""

from starlette.responses import Response

from sprout.web.http.dependencies import PathRepositories
from sprout.web.http.endpoint import Call, json_list_response, json_response, next_link, page_size
from sprout.web.schemas.change_responses import change_row, undone_change
from sprout.web.schemas.requests import ChangeFilter


async def list_changes(call: Call[PathRepositories, ChangeFilter]) -> Response:
    """The changes of a branch, newest first; a `Link` header leads to the next page."""
    limit = page_size(call.query.limit)
    found = await call.dependencies.paths.changes(
        call.id, user_id=call.user_id, before=call.query.before, limit=limit + 1
    )
    headers = next_link(call, found[limit - 1].id) if len(found) > limit else None
    return json_list_response([change_row(change) for change in found[:limit]], headers)


async def undo_change(call: Call[PathRepositories]) -> Response:
    """The change that undoes this one, also if that was done before; 409 says why it is impossible.

    If another change has to be undone first, `undoFirst` names it.
    """
    return json_response(undone_change(await call.dependencies.paths.undo(call.id, user_id=call.user_id)))
