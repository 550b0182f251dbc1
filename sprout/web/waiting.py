"""The application of a process that waits for the services that it needs: alive, and not ready."""

from collections.abc import Callable
from datetime import UTC, datetime

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from sprout.events import wire_time
from sprout.web.handlers.server import NO_STORE, not_ready
from sprout.web.http.endpoint import json_response
from sprout.web.http.middleware import AllowedHosts, SecurityHeaders
from sprout.web.schemas.responses import Health

STARTING = "Sprout is restarting. Try again in a few seconds."


def waiting_app(reason: Callable[[], str], *, allowed_hosts: tuple[str, ...]) -> Starlette:
    """`/healthz` is 200, `/readyz` 503 with the reason, and so is everything else, without it."""

    async def get_liveness(_: Request) -> Response:
        return json_response(Health(timestamp=wire_time(datetime.now(UTC))), headers=NO_STORE)

    async def get_readiness(_: Request) -> Response:
        return not_ready(reason())

    app = Starlette(
        routes=[Route("/healthz", get_liveness), Route("/readyz", get_readiness)],
        middleware=[Middleware(SecurityHeaders), Middleware(AllowedHosts, allowed=allowed_hosts)],
    )
    app.router.redirect_slashes = False
    app.router.default = _refuse
    return app


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    await not_ready(STARTING)(scope, receive, send)
