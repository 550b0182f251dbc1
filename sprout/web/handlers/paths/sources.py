"""Sources: passages of documents, and the nodes that teach them."""

from starlette.responses import Response

from sprout.web.http.dependencies import PathRepositories
from sprout.web.http.endpoint import Call, json_list_response, json_response, page_size
from sprout.web.schemas.requests import PassagePageQuery, SourceSearch


async def search_passages(call: Call[PathRepositories, SourceSearch]) -> Response:
    """The passages of a topic's documents that hold words of the query, best first."""
    return json_list_response(await call.dependencies.sources.search(call.id, call.query.q, user_id=call.user_id))


async def get_passage(call: Call[PathRepositories]) -> Response:
    """One passage and its place, or 404."""
    return json_response(await call.dependencies.sources.passage(call.id, user_id=call.user_id))


async def list_document_passages(call: Call[PathRepositories, PassagePageQuery]) -> Response:
    """The passages of a document, or 404; with a limit, a `Link` header leads to the pages before and after."""
    asked = call.query
    if asked.limit is None:
        return json_list_response(
            await call.dependencies.sources.document(
                call.id, user_id=call.user_id, after=asked.after, before=asked.before
            )
        )
    limit, upwards = page_size(asked.limit), asked.before is not None and asked.after is None
    found = await call.dependencies.sources.document(
        call.id, user_id=call.user_id, after=asked.after, before=asked.before, limit=limit + 1
    )
    page = found[-limit:] if upwards else found[:limit]
    if not page:
        return json_list_response(page)
    more = len(found) > limit
    neighbours = {}
    if more if upwards else asked.after is not None:
        neighbours["prev"] = ("before", page[0].id)
    if more or upwards:
        neighbours["next"] = ("after", page[-1].id)
    return json_list_response(page, _links(call, neighbours))


def _links(
    call: Call[PathRepositories, PassagePageQuery], neighbours: dict[str, tuple[str, str]]
) -> dict[str, str] | None:
    """The Link header to the pages before and after."""
    url = call.request.url.remove_query_params(("after", "before"))
    links = [
        f'<{url.path}?{url.include_query_params(**{name: id_}).query}>; rel="{rel}"'
        for rel, (name, id_) in neighbours.items()
    ]
    return {"Link": ", ".join(links)} if links else None


async def get_node_sources(call: Call[PathRepositories]) -> Response:
    """The passages that a node teaches from."""
    return json_response(await call.dependencies.sources.of_node(call.id, user_id=call.user_id))


async def get_coverage(call: Call[PathRepositories]) -> Response:
    """All passages of a branch with the nodes that teach them."""
    return json_list_response(await call.dependencies.sources.coverage(call.id, user_id=call.user_id))
