"""Endpoint of the Model Context Protocol: one message of a learner's assistant a request."""

import asyncio
from operator import attrgetter
from types import ModuleType
from typing import Any, Literal

from pydantic import Field, JsonValue
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from sprout.accounts.access import READ
from sprout.errors import BadInput
from sprout.events import Wire
from sprout.web.http.dependencies import WebDependencies
from sprout.web.http.endpoint import AnyEndpoint, Call, Endpoint, group
from sprout.web.http.endpoint import ResponseSpec as Status
from sprout.web.schemas.requests import NoFields, RequestModel

MEDIA_TYPES = frozenset({"application/json", "application/*", "*/*"})
STREAM_TYPES = frozenset({"text/event-stream", "text/*", "*/*"})


class McpMessage(RequestModel):
    """A request of JSON-RPC 2.0, or without `id` a notification, which nothing answers."""

    jsonrpc: Literal["2.0"]
    method: str = Field(min_length=1, max_length=200, description="such as tools/list or tools/call")
    id: str | int = Field(default=0, description="which the result comes back with; a notification has none")
    params: dict[str, JsonValue] | None = Field(default=None, description="as the protocol has them for the method")


class McpAnswer(Wire):
    """A result of JSON-RPC 2.0, or an error of the protocol; what a tool refuses is a result with `isError`."""

    jsonrpc: Literal["2.0"]
    id: str | int | None
    result: dict[str, JsonValue] | None = Field(default=None, description="as the protocol has it for the method")
    error: dict[str, JsonValue] | None = Field(default=None, description="`code` and `message`")


async def answer_message(call: Call[WebDependencies, NoFields, McpMessage]) -> Response:
    """The answer to one message of an assistant: its tools make requests of this API, with the caller's rights."""
    accepted = _accepted(call.request.headers.get("accept", "*/*"))
    if MEDIA_TYPES.isdisjoint(accepted):
        raise BadInput("Accept application/json and text/event-stream.", field="Accept")
    return _McpResponse(call, streams=not STREAM_TYPES.isdisjoint(accepted))


def _accepted(header: str) -> set[str]:
    return {each.partition(";")[0].strip().lower() for each in header.split(",")}


class _McpResponse(Response):
    """The response that the mcp package makes, which may be a stream."""

    def __init__(self, call: Call[WebDependencies, NoFields, McpMessage], *, streams: bool) -> None:
        super().__init__()
        self._call, self._streams = call, streams

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        call = self._call
        protocol: Any = await asyncio.to_thread(_load_protocol)
        await protocol.serve_message(
            call,
            call.body.model_dump_json(exclude_unset=True).encode(),
            version=call.dependencies.page_files.version,
            streams=self._streams,
            scope=scope,
            receive=receive,
            send=send,
        )


def _load_protocol() -> ModuleType:
    """The mcp package takes as long to load as the rest of the server together: only who uses it waits for it."""
    from sprout.web.mcp import server

    return server


# fmt: off
MCP: tuple[AnyEndpoint, ...] = group("Assistants", lambda web: web,
    Endpoint("POST", "/mcp", READ, answer_message,
             "A message of the Model Context Protocol, with which an assistant uses Sprout",
             (Status(200, "The result.", McpAnswer),
              Status(200, "Progress, then the result.", media_type="text/event-stream"),
              Status(202, "A notification: nothing answers it.", media_type="")), (404,), body=McpMessage,
             max_bytes=attrgetter("graph_max_bytes")))
# fmt: on
