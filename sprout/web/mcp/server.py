"""Server of the Model Context Protocol for one request, on the mcp package."""

import json
from collections.abc import Mapping
from functools import partial
from typing import Any

from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import Message, Receive, Scope, Send

from sprout.web.mcp.tool import Tool
from sprout.web.mcp.tool_call import McpCall, ToolResult, call_tool
from sprout.web.mcp.tools import INSTRUCTIONS, TOOLS

NAME, TITLE = "sprout", "Sprout"
Context = ServerRequestContext[Any, Any]


async def serve_message(
    call: McpCall, body: bytes, *, version: str, streams: bool, scope: Scope, receive: Receive, send: Send
) -> None:
    """Answer one message; no session is kept, so that any process answers the next one.

    Args:
        streams: whether the client takes a stream of events, which progress needs.
    """
    server = Server(
        NAME,
        title=TITLE,
        version=version,
        instructions=INSTRUCTIONS,
        on_list_tools=partial(_list_tools, call),
        on_call_tool=partial(_call_tool, call),
    )
    server.middleware.clear()  # spans with what a client says in their names; Sprout's are made from events of runs
    manager = StreamableHTTPSessionManager(server, stateless=True, json_response=not streams)
    async with manager.run():
        await manager.handle_request(scope, _replayed(body, receive), send)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """The body that was read and checked, and after it what comes from the client."""
    is_sent = False

    async def receive_body_first() -> Message:
        nonlocal is_sent
        if is_sent:
            return await receive()
        is_sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive_body_first


async def _list_tools(call: McpCall, _: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    """The tools that the caller's token allows."""
    return types.ListToolsResult(tools=[DESCRIBED[tool.name] for tool in TOOLS if tool.is_for(call.caller)])


def _described(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema(),
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.reads,
            destructive_hint=tool.takes_away,
            idempotent_hint=tool.reads or tool.repeatable,
            open_world_hint=False,
        ),
    )


async def _call_tool(call: McpCall, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    async def report(number: int, sentence: str) -> None:
        await context.session.report_progress(float(number), message=sentence)

    return _result(await call_tool(call, params.name, params.arguments or {}, report))


def _result(result: ToolResult) -> types.CallToolResult:
    text = types.TextContent(type="text", text=_as_text(result.value))
    return types.CallToolResult(content=[text], structured_content=result.value, is_error=result.failed)


def _as_text(value: Mapping[str, Any]) -> str:
    """For clients that show a model no structured results."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


DESCRIBED = {tool.name: _described(tool) for tool in TOOLS}  # once, in the thread that loads this module
