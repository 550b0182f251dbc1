"""Endpoints: method and path, the handler with its dependencies, parameters and responses."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any, Generic

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response
from typing_extensions import TypeVar

from sprout.accounts.access import Access
from sprout.accounts.principal import Principal, signed_in
from sprout.errors import NotFound
from sprout.web.http.dependencies import RequestPolicy, WebDependencies
from sprout.web.http.limits import WebLimits
from sprout.web.http.parsing import read_json_object, read_query, validate, validate_id
from sprout.web.http.rate_limits import RateLimiter, RateLimiters
from sprout.web.schemas.requests import NoFields

DEFAULT_PAGE_SIZE = "50"
MAX_PAGE_SIZE = 200

D = TypeVar("D", default=None)
Q = TypeVar("Q", bound=BaseModel, default=NoFields)
B = TypeVar("B", bound=BaseModel, default=NoFields)


def _nothing(dependencies: WebDependencies) -> Any:
    return None


@dataclass(frozen=True, slots=True)
class Call(Generic[D, Q, B]):
    """A valid request, and the dependencies of its handler."""

    request: Request
    dependencies: D
    policy: RequestPolicy
    principal: Principal | None
    ids: dict[str, str]
    query: Q
    body: B

    @property
    def caller(self) -> Principal:
        """The principal of an endpoint that demands one."""
        return signed_in(self.principal)

    @property
    def user_id(self) -> str:
        """The caller's id."""
        return self.caller.user_id

    @property
    def id(self) -> str:
        """The `{id}` of the path."""
        return self.ids["id"]


@dataclass(frozen=True, slots=True)
class ResponseSpec:
    """A response of an endpoint; `many` means a list of the model, `nullable` that it may be null.

    One with the status 204 or without a media type has no body.
    """

    status: int
    description: str
    model: type[BaseModel] | None = None
    many: bool = False
    nullable: bool = False
    media_type: str = "application/json"


@dataclass(frozen=True, slots=True)
class Endpoint(Generic[D, Q, B]):
    """An operation of the API.

    Args:
        access: who may call it.
        error_statuses: besides those that every endpoint may answer with.
        headers: the request headers that it reads.
        parse_body: makes the body of its JSON values; by default `validate` does.
        max_bytes: the limit of its body.
        rate_limiter: of the caller, for what it starts: runs or uploads.
        tag: its group in the reference; set with `needs` by `group`.
        needs: the dependencies that its handler takes.
    """

    method: str
    path: str
    access: Access
    handler: Callable[[Call[D, Q, B]], Awaitable[Response]]
    summary: str
    responses: tuple[ResponseSpec, ...]
    error_statuses: tuple[int, ...] = ()
    query: type[Q] = NoFields  # type: ignore[assignment]  # the default of Q
    body: type[B] = NoFields  # type: ignore[assignment]  # the default of B
    form_field: str | None = None
    headers: tuple[str, ...] = ()
    parse_body: Callable[[dict[str, object]], B] | None = None
    max_bytes: Callable[[WebLimits], int] = attrgetter("json_max_bytes")
    rate_limiter: Callable[[RateLimiters], RateLimiter] | None = None
    tag: str = ""
    needs: Callable[[WebDependencies], D] = _nothing

    async def handle(self, request: Request, dependencies: WebDependencies) -> Response:
        """Admit the caller, and answer."""
        return await self.answer(request, dependencies, await self._principal(request, dependencies.policy))

    async def answer(self, request: Request, dependencies: WebDependencies, principal: Principal | None) -> Response:
        """Parse the request of an admitted caller, check that it is the caller's own, and call the handler."""
        policy = dependencies.policy
        ids = {name: validate_id(value) for name, value in request.path_params.items() if name.endswith("id")}
        query = read_query(request)
        refuse_other_users(request.query_params.getlist("userId"), principal)
        body: dict[str, object] = {}
        if self.body is not NoFields:
            limits = policy.limits
            body = await read_json_object(
                request,
                max_bytes=self.max_bytes(limits),
                idle_s=limits.body_idle_s,
                max_depth=limits.json_max_depth,
            )
        refuse_other_users([body.get("userId")], principal)
        checked_query = validate(self.query, query)
        checked_body = validate(self.body, body) if self.parse_body is None else self.parse_body(body)
        if self.rate_limiter is not None:
            await self.rate_limiter(policy.rate_limiters).take(signed_in(principal).user_id)
        call = Call(request, self.needs(dependencies), policy, principal, ids, checked_query, checked_body)
        return await self.handler(call)

    async def _principal(self, request: Request, policy: RequestPolicy) -> Principal | None:
        """The caller, who may; a public endpoint asks for none.

        Raises NotSignedIn, MissingRight, TooManyRequests.
        """
        if self.access.scope is None:
            return None
        sender = await policy.authenticate(request)
        if sender is not None:
            address = request.client.host if request.client else ""
            await policy.rate_limiters.requests.charge_account(sender.user_id, address=address)
        return self.access.admit(sender)


AnyEndpoint = Endpoint[Any, Any, Any]


def group(
    tag: str, needs: Callable[[WebDependencies], D], *endpoints: Endpoint[D, Any, Any]
) -> tuple[AnyEndpoint, ...]:
    """Endpoints under one tag, whose handlers take the same dependencies."""
    return tuple(replace(endpoint, tag=tag, needs=needs) for endpoint in endpoints)


def refuse_other_users(claimed: Sequence[object], principal: Principal | None) -> None:
    """Raises NotFound for any user but the caller, who may be left out."""
    for claim in claimed:
        if isinstance(claim, str) and claim and (principal is None or claim != principal.user_id):
            raise NotFound("user", claim)


def json_response(model: BaseModel, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """One row as JSON."""
    return Response(model.model_dump_json(by_alias=True), status, headers, media_type="application/json")


def json_list_response(models: Sequence[BaseModel], headers: dict[str, str] | None = None) -> Response:
    """A list of rows as JSON, in the given order."""
    text = f"[{','.join(m.model_dump_json(by_alias=True) for m in models)}]"
    return Response(text, 200, headers, media_type="application/json")


def page_size(text: str | None) -> int:
    """The number of rows that a query asks for, within bounds."""
    return min(max(int(text or DEFAULT_PAGE_SIZE), 1), MAX_PAGE_SIZE)


def next_link(call: Call[Any, Any, Any], last_id: str) -> dict[str, str]:
    """The Link header to the page after this row."""
    url = call.request.url.include_query_params(before=last_id)
    return {"Link": f'<{url.path}?{url.query}>; rel="next"'}


def no_content() -> Response:
    """204."""
    return Response(status_code=204)
