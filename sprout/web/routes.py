"""Routes of the HTTP API: one table of endpoints, from which the OpenAPI document and /docs are made as well."""

from collections.abc import Awaitable, Callable
from functools import cache
from itertools import groupby

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from sprout.accounts.access import PUBLIC
from sprout.errors import SproutError
from sprout.web.endpoints.accounts import ACCOUNTS
from sprout.web.endpoints.classes import CLASSES
from sprout.web.endpoints.paths import PATHS
from sprout.web.endpoints.runs import RUNS
from sprout.web.endpoints.server import SERVER
from sprout.web.endpoints.shapes import HTML_PAGE
from sprout.web.endpoints.teaching import TEACHING
from sprout.web.handlers import pages
from sprout.web.http.dependencies import PageFiles, WebDependencies
from sprout.web.http.endpoint import AnyEndpoint, Call, Endpoint, group
from sprout.web.http.endpoint import ResponseSpec as Status
from sprout.web.http.failures import CatchAllErrors, handle_expected, handle_http_exception, handle_unexpected
from sprout.web.http.limits import LOCAL_HOSTS, LOCAL_ORIGINS, PROBES
from sprout.web.http.middleware import AllowedHosts, CrossOriginPolicy, RequestRateLimit, SecurityHeaders
from sprout.web.mcp.endpoint import MCP
from sprout.web.reference.docs import docs_html, docs_page
from sprout.web.reference.openapi import Json, openapi_document

GZIP_MIN_BYTES = 200
GZIP_LEVEL = 6


async def _openapi(call: Call[PageFiles]) -> Response:
    """The table of endpoints as an OpenAPI document."""
    return JSONResponse(_document(call.dependencies.version))


async def _docs(call: Call[PageFiles]) -> Response:
    """The OpenAPI document as a page without a script."""
    return docs_page(_docs_html(call.dependencies.version))


@cache
def _document(version: str) -> Json:
    """The OpenAPI document. Made once: it takes a fifth of a second, in which no stream would go on."""
    return openapi_document(ENDPOINTS, version)


@cache
def _docs_html(version: str) -> str:
    return docs_html(_document(version))


# fmt: off
ENDPOINTS: tuple[AnyEndpoint, ...] = (
    *SERVER, *PATHS, *TEACHING, *ACCOUNTS, *CLASSES, *RUNS, *MCP,
    *group("Pages", lambda web: web.page_files,
        Endpoint("GET", "/", PUBLIC, pages.get_page, "The page", (HTML_PAGE,)),
        Endpoint("GET", "/frames/diagram", PUBLIC, pages.get_diagram_frame, "The frame that diagrams are drawn in",
                 (HTML_PAGE,)),
        Endpoint("GET", "/static/{version}/{path:path}", PUBLIC, pages.get_static_file, "A file of the page",
                 (Status(200, "The file.", media_type="*/*"),), (404,)),
        Endpoint("GET", "/docs", PUBLIC, _docs, "The API reference", (HTML_PAGE,)),
        Endpoint("GET", "/openapi.json", PUBLIC, _openapi, "The OpenAPI document", (Status(200, "OpenAPI 3.1."),))),
)
# fmt: on


def web_app(
    dependencies: WebDependencies,
    *,
    cors_origins: tuple[str, ...] = LOCAL_ORIGINS,
    allowed_hosts: tuple[str, ...] = LOCAL_HOSTS,
) -> Starlette:
    """The application over HTTP.

    Args:
        cors_origins: origins that may call from a browser: exact, with `:*` for any port, or `*` for all.
        allowed_hosts: names without port that the Host header may carry; `*` for all.
    """
    app = _application(dependencies, routes(dependencies), cors_origins, allowed_hosts)
    app.router.default = _fallback(dependencies.page_files)
    return app


def probe_app(dependencies: WebDependencies, *, allowed_hosts: tuple[str, ...] = LOCAL_HOSTS) -> Starlette:
    """The application of a worker, which only says how it is."""
    probes = [route for route in routes(dependencies) if route.path in PROBES]
    return _application(dependencies, probes, (), allowed_hosts)


def _application(
    dependencies: WebDependencies, served: list[Route], cors_origins: tuple[str, ...], allowed_hosts: tuple[str, ...]
) -> Starlette:
    app = Starlette(
        routes=served,
        middleware=[
            Middleware(SecurityHeaders),
            Middleware(CrossOriginPolicy, allowed=cors_origins),
            Middleware(AllowedHosts, allowed=allowed_hosts),
            Middleware(RequestRateLimit, limiter=dependencies.policy.rate_limiters.requests),
            Middleware(CatchAllErrors),
            Middleware(GZipMiddleware, minimum_size=GZIP_MIN_BYTES, compresslevel=GZIP_LEVEL),
        ],
        exception_handlers={
            SproutError: handle_expected,
            HTTPException: handle_http_exception,
            Exception: handle_unexpected,
        },
    )
    app.router.redirect_slashes = False
    return app


def routes(dependencies: WebDependencies) -> list[Route]:
    """One route per address, in the order of the table, so that a 405 lists all methods of the address."""
    in_order = sorted(ENDPOINTS, key=lambda endpoint: _first_place[endpoint.path])
    return [
        _route(path, list(group), dependencies) for path, group in groupby(in_order, key=lambda endpoint: endpoint.path)
    ]


_first_place = {endpoint.path: place for place, endpoint in reversed(list(enumerate(ENDPOINTS)))}


def _route(path: str, endpoints: list[AnyEndpoint], dependencies: WebDependencies) -> Route:
    by_method = {endpoint.method: endpoint for endpoint in endpoints}

    async def answer(request: Request) -> Response:
        return await by_method["GET" if request.method == "HEAD" else request.method].handle(request, dependencies)

    return Route(path, answer, methods=list(by_method), name=path)


def _fallback(page: PageFiles) -> Callable[[Scope, Receive, Send], Awaitable[None]]:
    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope) if scope["type"] == "http" else None
        if request is None or not pages.wants_page(request):
            raise HTTPException(404)
        await (await pages.render_page(page.folder))(scope, receive, send)

    return answer
