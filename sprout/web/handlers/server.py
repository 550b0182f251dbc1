"""Server: health, readiness, status, metrics, and the schema of events."""

import asyncio
import functools
from datetime import UTC, datetime

from starlette.responses import JSONResponse, Response

from sprout.errors import DatabaseUnavailable
from sprout.events import EVENT, wire_time
from sprout.web.http.dependencies import ServerProbes
from sprout.web.http.endpoint import Call, json_list_response, json_response
from sprout.web.http.failures import error_response
from sprout.web.schemas.responses import Health

HEALTH_TIMEOUT_S = 5.0
NO_STORE = {"Cache-Control": "no-store"}


async def get_health(call: Call[ServerProbes]) -> Response:
    """200 while the database responds, else 503."""
    try:
        async with asyncio.timeout(HEALTH_TIMEOUT_S):
            healthy = await call.dependencies.database_ok()
    except TimeoutError:
        healthy = False
    if not healthy:
        return error_response(503, "The database does not answer.", DatabaseUnavailable.code, {"Retry-After": "5"})
    return json_response(Health(timestamp=wire_time(datetime.now(UTC))))


async def get_liveness(call: Call[ServerProbes]) -> Response:
    """200 while the process responds; without the database."""
    return json_response(Health(timestamp=wire_time(datetime.now(UTC))), headers=NO_STORE)


async def get_readiness(call: Call[ServerProbes]) -> Response:
    """200 while requests can be served, else 503 with the reason."""
    try:
        async with asyncio.timeout(HEALTH_TIMEOUT_S):
            reason = await call.dependencies.unready_reason()
    except TimeoutError:
        reason = "Sprout's components did not respond in time."
    return await get_liveness(call) if reason is None else not_ready(reason)


def not_ready(reason: str) -> Response:
    """503, with the reason and when to ask again."""
    return error_response(503, reason, "server_not_ready", {"Retry-After": "5", **NO_STORE})


async def get_status(call: Call[ServerProbes]) -> Response:
    """Version, models, limits, estimates, suggestions, and the budget of the caller."""
    return JSONResponse(dict(await call.dependencies.status(call.user_id)))


async def probe_models(call: Call[ServerProbes]) -> Response:
    """Every model in use with its new probe."""
    return json_list_response(await call.dependencies.probe_models())


async def get_metrics(call: Call[ServerProbes]) -> Response:
    """Metrics in the format of Prometheus."""
    body, content_type = await call.dependencies.metrics(call.request.headers.get("accept", ""))
    return Response(body, headers={"Content-Type": content_type, "Cache-Control": "no-store"})


async def get_event_schema(call: Call[ServerProbes]) -> Response:
    """The JSON Schema of the union of events."""
    return JSONResponse(_event_schema())


@functools.cache
def _event_schema() -> dict[str, object]:
    schema = EVENT.json_schema(by_alias=True, mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Event", **schema}
