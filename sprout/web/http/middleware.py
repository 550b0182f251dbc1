"""Middleware of every request and response: hosts, origins, request rate, security headers."""

import ipaddress
import re

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sprout.errors import TooManyRequests
from sprout.web.http.failures import error_response, retry_after
from sprout.web.http.limits import PROBES
from sprout.web.http.rate_limits import RequestLimiter

NEVER_STORED = ("/api", "/mcp")  # by caches: addresses with what is a learner's own
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(self), payment=(), usb=()",
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
}
PREFLIGHT_HEADERS = {
    "Access-Control-Allow-Methods": "GET, HEAD, POST, PATCH, PUT, DELETE",
    "Access-Control-Allow-Headers": "Accept, Authorization, Cache-Control, Content-Type, Idempotency-Key, "
    "Last-Event-ID",
    "Access-Control-Max-Age": "600",
}
SAME_SITE_VALUES = frozenset({"", "same-origin", "none"})  # Sec-Fetch-Site of our own page, and without any page
EXPOSED_HEADERS = "X-Run-Id, Location, Retry-After, Allow"
_HOST = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[^:\[\]\s/@]+)(:\d{1,5})?")


class SecurityHeaders:
    """Adds the security headers, and `no-store` to what is a learner's; headers that a response has set stay."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
                if scope["path"].startswith(NEVER_STORED):
                    headers.setdefault("Cache-Control", "no-store")
            await send(message)

        await self._app(scope, receive, with_headers if scope["type"] == "http" else send)


class RequestRateLimit:
    """Refuses the requests of an address that exceeds its rate, before they are read.

    Those of an account are charged to it by the endpoint, which knows it.
    """

    def __init__(self, app: ASGIApp, *, limiter: RequestLimiter) -> None:
        self._app = app
        self._limiter = limiter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            try:
                await self._limiter.take(scope["client"][0] if scope.get("client") else "")
            except TooManyRequests as error:
                await error_response(429, str(error), error.code, retry_after(error), params={**error.params})(
                    scope, receive, send
                )
                return
        await self._app(scope, receive, send)


class AllowedHosts:
    """Refuses other Host headers, which stops DNS rebinding.

    Probes and Prometheus come by the address or the plain name of a container. No site of the internet is called so,
    and no page of one can therefore read what they are answered.

    Not Starlette's TrustedHostMiddleware: it answers in plain text, knows no IPv6 address with a port, and takes the
    first of several Host headers.
    """

    def __init__(self, app: ASGIApp, *, allowed: tuple[str, ...]) -> None:
        self._app = app
        self._allowed = frozenset(name.lower() for name in allowed)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not self._allows(Headers(scope=scope).getlist("host"), scope["path"]):
            answer = error_response(400, "This server isn't reachable under that host name.", "host_unknown")
            await answer(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _allows(self, hosts: list[str], path: str) -> bool:
        match = _HOST.fullmatch(hosts[0]) if len(hosts) == 1 else None
        if match is None:
            return False
        is_allowed = "*" in self._allowed or match["name"].lower() in self._allowed
        return is_allowed or (path in PROBES and not _is_domain(match["name"]))


def _is_domain(name: str) -> bool:
    """Whether the name has a dot and is no address."""
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return "." in name
    return False


class CrossOriginPolicy:
    """Lets this server's page and the listed origins call: answers preflights, adds the CORS headers to every response,
    and refuses a request that changes something and comes from any other page.

    Not Starlette's CORSMiddleware: it lets simple cross-site requests through and only hides their responses.
    """

    def __init__(self, app: ASGIApp, *, allowed: tuple[str, ...]) -> None:
        self._app = app
        self._exact = frozenset(origin.lower() for origin in allowed if not origin.endswith(":*"))
        self._any_port = frozenset(origin.lower().removesuffix(":*") for origin in allowed if origin.endswith(":*"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        origin = headers.get("origin")
        allowed = origin is not None and self._allows(origin, host=headers.get("host", ""))
        send_with_cors = _with_cors_headers(send, origin if allowed else None)
        if scope["method"] == "OPTIONS" and origin is not None and "access-control-request-method" in headers:
            await _preflight_response(allowed)(scope, receive, send_with_cors)
        elif scope["method"] not in SAFE_METHODS and not allowed and _is_cross_site(headers):
            refusal = error_response(403, "Pages of other sites can't change anything here.", "other_site")
            await refusal(scope, receive, send_with_cors)
        else:
            await self._app(scope, receive, send_with_cors)

    def _allows(self, origin: str, *, host: str) -> bool:
        origin = origin.lower()
        scheme, separator, rest = origin.partition("://")
        if scheme not in ("http", "https") or not separator or not _HOST.fullmatch(rest):
            return False
        without_port = re.sub(r":\d{1,5}$", "", origin)
        return "*" in self._exact or origin in self._exact or without_port in self._any_port or rest == host.lower()


def _is_cross_site(headers: Headers) -> bool:
    """Whether a browser sent this for another page; other clients send neither header."""
    return "origin" in headers or headers.get("sec-fetch-site", "").lower() not in SAME_SITE_VALUES


def _preflight_response(allowed: bool) -> Response:
    return Response(status_code=204, headers=PREFLIGHT_HEADERS if allowed else None)


def _with_cors_headers(send: Send, origin: str | None) -> Send:
    async def with_cors(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.add_vary_header("Origin")
            if origin is not None:
                headers["Access-Control-Allow-Origin"] = origin
                headers["Access-Control-Expose-Headers"] = EXPOSED_HEADERS
        await send(message)

    return with_cors
