"""The answers about the server itself: is it well, what can it do, what does its API look like."""

import asyncio
import functools
from datetime import UTC, datetime

from starlette.responses import JSONResponse, Response

from sprout.events import EVENT, wire_time
from sprout.web.endpoint import Call, row
from sprout.web.failures import error_answer
from sprout.web.shown import Health

HEALTH_TIMEOUT_S = 5.0
FRESH = {"Cache-Control": "no-store"}


async def health(call: Call) -> Response:
    """200 while the database answers, else 503."""
    try:
        async with asyncio.timeout(HEALTH_TIMEOUT_S):
            well = await call.parts.database_ok()
    except TimeoutError:
        well = False
    if not well:
        return error_answer(503, "The database does not answer.", {"Retry-After": "5"})
    return row(Health(timestamp=wire_time(datetime.now(UTC))))


async def alive(call: Call) -> Response:
    """200 as long as the process answers at all; nothing is asked of the database."""
    return row(Health(timestamp=wire_time(datetime.now(UTC))), headers=FRESH)


async def ready(call: Call) -> Response:
    """200 while requests can be served, else 503 with what is missing."""
    try:
        async with asyncio.timeout(HEALTH_TIMEOUT_S):
            missing = await call.parts.missing()
    except TimeoutError:
        missing = "Sprout does not get an answer from its own parts in time."
    if missing is not None:
        return error_answer(503, missing, {"Retry-After": "5", **FRESH})
    return row(Health(timestamp=wire_time(datetime.now(UTC))), headers=FRESH)


async def status(call: Call) -> Response:
    """What the server is and offers."""
    return JSONResponse(dict(await call.parts.status()))


async def metrics(call: Call) -> Response:
    """What is counted, for Prometheus."""
    body, content_type = call.parts.metrics.exposition(call.request.headers.get("accept", ""))
    return Response(body, headers={"Content-Type": content_type, "Cache-Control": "no-store"})


async def event_schema(call: Call) -> Response:
    """The JSON Schema of the union of events."""
    return JSONResponse(_event_schema())


@functools.cache
def _event_schema() -> dict[str, object]:
    schema = EVENT.json_schema(by_alias=True, mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Event", **schema}
