"""One line of the surface: an address, what it takes, who answers, and what may come back."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Generic

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response
from typing_extensions import TypeVar

from sprout.errors import NotFound
from sprout.web.bodies import Nothing
from sprout.web.pace import Buckets, Paces
from sprout.web.parts import Limits, WebParts
from sprout.web.requests import checked, json_object, query_values, sane_id

PAGE = "50"
MOST_LISTED = 200

Q = TypeVar("Q", bound=BaseModel, default=Nothing)
B = TypeVar("B", bound=BaseModel, default=Nothing)


@dataclass(frozen=True, slots=True)
class Call(Generic[Q, B]):
    """A request that has been read and found sane, with the parts to answer it; `user_id` is the caller."""

    request: Request
    parts: WebParts
    user_id: str
    ids: dict[str, str]
    query: Q
    body: B

    @property
    def id(self) -> str:
        """The `{id}` of the path."""
        return self.ids["id"]


@dataclass(frozen=True, slots=True)
class Answer:
    """A status that an endpoint may answer with; `many` means a list of the model, `or_null` that there may be none."""

    status: int
    says: str
    model: type[BaseModel] | None = None
    many: bool = False
    or_null: bool = False
    media: str = "application/json"


@dataclass(frozen=True, slots=True)
class Endpoint(Generic[Q, B]):
    """An operation of the surface.

    Args:
        errors: the statuses that are its own; some are everybody's.
        headers: that it reads beside those of everybody.
        read_body: makes a body of its JSON values, where `checked` would not say enough of what is wrong with it.
        max_bytes: of its body, of all that may be limited.
        paced: what of the caller's it is that has a pace of its own: the runs that it begins, the uploads.
    """

    method: str
    path: str
    handler: Callable[[Call[Q, B]], Awaitable[Response]]
    group: str
    summary: str
    answers: tuple[Answer, ...]
    errors: tuple[int, ...] = ()
    query: type[Q] = Nothing  # type: ignore[assignment]  # the default of Q
    body: type[B] = Nothing  # type: ignore[assignment]  # the default of B
    form_field: str | None = None
    headers: tuple[str, ...] = ()
    read_body: Callable[[dict[str, object]], B] | None = None
    max_bytes: Callable[[Limits], int] = attrgetter("json_max_bytes")
    paced: Callable[[Paces], Buckets] | None = None

    async def answer(self, request: Request, parts: WebParts) -> Response:
        """Read the request, check that it is the caller's own, and hand it to the handler."""
        ids = {name: sane_id(value) for name, value in request.path_params.items() if name.endswith("id")}
        query = query_values(request)
        refuse_other_users(request.query_params.getlist("userId"), parts.user_id)
        body: dict[str, object] = {}
        if self.body is not Nothing:
            limits = parts.limits
            body = await json_object(
                request,
                max_bytes=self.max_bytes(limits),
                idle_s=limits.body_idle_s,
                max_depth=limits.json_max_depth,
            )
        refuse_other_users([body.get("userId")], parts.user_id)
        checked_query = checked(self.query, query)
        checked_body = checked(self.body, body) if self.read_body is None else self.read_body(body)
        if self.paced is not None:
            self.paced(parts.paces).take(parts.user_id)
        return await self.handler(Call(request, parts, parts.user_id, ids, checked_query, checked_body))


AnyEndpoint = Endpoint[Any, Any]


def refuse_other_users(claimed: Sequence[object], user_id: str) -> None:
    """Raises NotFound where a request names anybody but its caller; nothing at all is left to `checked`."""
    for claim in claimed:
        if isinstance(claim, str) and claim and claim != user_id:
            raise NotFound("user", claim)


def row(model: BaseModel, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """One row as JSON."""
    return Response(model.model_dump_json(by_alias=True), status, headers, media_type="application/json")


def rows(models: Sequence[BaseModel], headers: dict[str, str] | None = None) -> Response:
    """A list of rows as JSON, in the given order."""
    text = f"[{','.join(m.model_dump_json(by_alias=True) for m in models)}]"
    return Response(text, 200, headers, media_type="application/json")


def page_size(asked: str | None) -> int:
    """How many rows of a list are wanted, from its query."""
    return min(max(int(asked or PAGE), 1), MOST_LISTED)


def link_to_next(call: Call[Any, Any], last_id: str) -> dict[str, str]:
    """The header that says where a list goes on after this row."""
    url = call.request.url.include_query_params(before=last_id)
    return {"Link": f'<{url.path}?{url.query}>; rel="next"'}


def nothing_left() -> Response:
    """204, for what has nothing to say."""
    return Response(status_code=204)
