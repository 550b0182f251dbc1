"""Call of an endpoint within a request: parsed, checked and answered like one that comes over the network."""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import httpx2
from pydantic import BaseModel
from starlette.requests import Request
from starlette.types import Message

from sprout.web.http.endpoint import AnyEndpoint, Call
from sprout.web.http.parsing import validate
from sprout.web.mcp.tool import Arguments, Notes, Step, field_names

SENT_HEADERS = ("content-type", "content-length")


async def call_endpoint(call: Call[Any, Any, Any], step: Step, arguments: Arguments, chosen: Arguments) -> Any:
    """The JSON of the endpoint's response, for the caller of the outer request.

    Raises what the endpoint does.
    """
    endpoint = step.endpoint
    principal = endpoint.access.admit(call.principal)
    request = _request(call.request, step, {**arguments, **chosen})
    response = await endpoint.answer(request, call.dependencies, principal)
    return json.loads(bytes(response.body)) if response.body else None


def _request(outer: Request, step: Step, values: Mapping[str, object]) -> Request:
    """The request with these values wherever the endpoint takes them."""
    endpoint = step.endpoint
    ids = {name: str(values[argument]) for name, argument in step.ids.items()}
    sent = httpx2.Request(
        endpoint.method,
        _address(outer, endpoint, ids),
        params=_query(endpoint, values),
        json=None if not endpoint.body.model_fields else _fields(endpoint.body, values),
        files=None if endpoint.form_field is None else {endpoint.form_field: _file(values)},
    )
    return _as_asgi(outer, sent, ids)


def _address(outer: Request, endpoint: AnyEndpoint, ids: Mapping[str, str]) -> str:
    path = endpoint.path
    for name, value in ids.items():
        path = path.replace(f"{{{name}}}", quote(value, safe=""))
    return f"http://{outer.url.netloc}{path}"


def _query(endpoint: AnyEndpoint, values: Mapping[str, object]) -> dict[str, str]:
    """Checked here: in an address every value would be text."""
    query = _fields(endpoint.query, values)
    validate(endpoint.query, dict(query))
    return {name: str(value) for name, value in query.items() if value is not None}


def _fields(model: type[BaseModel], values: Mapping[str, object]) -> dict[str, object]:
    names = field_names(model)
    return {name: value for name, value in values.items() if name in names}


def _file(values: Mapping[str, object]) -> tuple[str, bytes, str]:
    notes = validate(Notes, _fields(Notes, values))
    return notes.file_name, notes.text.encode(), ""


def _as_asgi(outer: Request, sent: httpx2.Request, ids: Mapping[str, str]) -> Request:
    content = sent.read()
    headers = [(name.encode(), sent.headers[name].encode()) for name in SENT_HEADERS if name in sent.headers]
    scope = {
        **outer.scope,
        "method": sent.method,
        "path": sent.url.path,
        "raw_path": sent.url.raw_path.partition(b"?")[0],
        "query_string": sent.url.query,
        "path_params": dict(ids),
        "headers": [(b"host", outer.url.netloc.encode()), *headers],
    }

    async def receive() -> Message:
        return {"type": "http.request", "body": content, "more_body": False}

    return Request(scope, receive)
