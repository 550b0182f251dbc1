"""The answers about changes of a path: who made them and why, and the way back."""

from starlette.responses import Response

from sprout.web.bodies import ChangeFilter, Nothing
from sprout.web.change_shown import change_row, undone_change
from sprout.web.endpoint import Call, link_to_next, page_size, row, rows


async def listed(call: Call[ChangeFilter, Nothing]) -> Response:
    """The changes of a branch, newest first; where there are more, a link says where."""
    limit = page_size(call.query.limit)
    found = await call.parts.library.changes(call.id, user_id=call.user_id, before=call.query.before, limit=limit + 1)
    headers = link_to_next(call, found[limit - 1].id) if len(found) > limit else None
    return rows([change_row(change) for change in found[:limit]], headers)


async def undone(call: Call) -> Response:
    """The change by which the one of the path is undone, also where it was before; 409 says what is in the way.

    Where another has to be undone first, `undoFirst` names it.
    """
    return row(undone_change(await call.parts.library.undo(call.id, user_id=call.user_id)))
