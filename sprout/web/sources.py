"""The answers about where what is taught comes from."""

from starlette.responses import Response

from sprout.web.bodies import Nothing, SourceSearch
from sprout.web.endpoint import Call, row, rows


async def found(call: Call[SourceSearch, Nothing]) -> Response:
    """The passages of a topic's documents that hold words of the query, best first."""
    return rows(await call.parts.sources.search(call.id, call.query.q, user_id=call.user_id))


async def shown(call: Call) -> Response:
    """One passage and its place, or 404."""
    return row(await call.parts.sources.passage(call.id, user_id=call.user_id))


async def document(call: Call) -> Response:
    """A whole document, passage by passage, or 404."""
    return rows(await call.parts.sources.document(call.id, user_id=call.user_id))


async def of_node(call: Call) -> Response:
    """What a node teaches from."""
    return row(await call.parts.sources.of_node(call.id, user_id=call.user_id))


async def coverage(call: Call) -> Response:
    """All passages of a branch with the nodes that teach them."""
    return rows(await call.parts.sources.coverage(call.id, user_id=call.user_id))
