"""The answers about where what is taught comes from."""

from starlette.responses import Response

from sprout.web.bodies import Nothing, PassagePlace, SourceSearch
from sprout.web.endpoint import Call, page_size, row, rows


async def found(call: Call[SourceSearch, Nothing]) -> Response:
    """The passages of a topic's documents that hold words of the query, best first."""
    return rows(await call.parts.sources.search(call.id, call.query.q, user_id=call.user_id))


async def shown(call: Call) -> Response:
    """One passage and its place, or 404."""
    return row(await call.parts.sources.passage(call.id, user_id=call.user_id))


async def document(call: Call[PassagePlace, Nothing]) -> Response:
    """A whole document, passage by passage, or 404; of a piece of it, links say where it goes on."""
    asked = call.query
    if asked.limit is None:
        return rows(
            await call.parts.sources.document(call.id, user_id=call.user_id, after=asked.after, before=asked.before)
        )
    limit, upwards = page_size(asked.limit), asked.before is not None and asked.after is None
    found = await call.parts.sources.document(
        call.id, user_id=call.user_id, after=asked.after, before=asked.before, limit=limit + 1
    )
    piece = found[-limit:] if upwards else found[:limit]
    if not piece:
        return rows(piece)
    more = len(found) > limit
    goes_on = {}
    if more if upwards else asked.after is not None:
        goes_on["prev"] = ("before", piece[0].id)
    if more or upwards:
        goes_on["next"] = ("after", piece[-1].id)
    return rows(piece, _links(call, goes_on))


def _links(call: Call[PassagePlace, Nothing], goes_on: dict[str, tuple[str, str]]) -> dict[str, str] | None:
    """The header that says where the text goes on, above and below what is shown."""
    url = call.request.url.remove_query_params(("after", "before"))
    links = [
        f'<{url.path}?{url.include_query_params(**{name: id_}).query}>; rel="{rel}"'
        for rel, (name, id_) in goes_on.items()
    ]
    return {"Link": ", ".join(links)} if links else None


async def of_node(call: Call) -> Response:
    """What a node teaches from."""
    return row(await call.parts.sources.of_node(call.id, user_id=call.user_id))


async def coverage(call: Call) -> Response:
    """All passages of a branch with the nodes that teach them."""
    return rows(await call.parts.sources.coverage(call.id, user_id=call.user_id))
