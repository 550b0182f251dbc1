"""The `mcp` command: passes the tools of a running server on to an assistant that starts it, over stdin and stdout."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp import Client, MCPError, types
from mcp.client.streamable_http import streamable_http_client
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from pydantic import SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from sprout import __version__
from sprout.errors import SetupError

CONNECT_S, READ_S = 10.0, 900.0
PING = {"jsonrpc": "2.0", "id": 0, "method": "ping"}
PROTOCOL = "2026-07-28"  # in which a message needs no session, so that a restarted server takes the next one
CUT = "The connection to Sprout was cut: try again. What was begun may have happened."
NO_SERVER = "No Sprout server answers at {url}: start it with `sprout serve`, or say where it is with --url."
NOT_ADMITTED = "{url} asks who you are: make an access token in its settings, and set SPROUT_MCP_TOKEN to it."
Context = ServerRequestContext[Any, Any]


class McpSettings(BaseSettings):
    """Address and token of the server: for a command that needs none of the server's own settings."""

    model_config = SettingsConfigDict(env_prefix="SPROUT_MCP_")

    url: str = "http://127.0.0.1:8000"
    token: SecretStr | None = None


async def pass_on(settings: McpSettings) -> None:
    """Serve one assistant until it closes stdin. Raises SetupError: the server cannot be used."""
    headers = {} if settings.token is None else {"Authorization": f"Bearer {settings.token.get_secret_value()}"}
    async with httpx2.AsyncClient(headers=headers, timeout=httpx2.Timeout(READ_S, connect=CONNECT_S)) as http:
        sprout = SproutServer(http, settings.url.rstrip("/"))
        await sprout.check()
        async with stdio_server() as (read, write):
            server = _local_server(sprout, await sprout.instructions())
            await server.run(read, write, server.create_initialization_options())


class SproutServer:
    """A running server, asked anew for each message: none that fails takes others with it."""

    def __init__(self, http: httpx2.AsyncClient, url: str) -> None:
        self._http, self._url = http, url
        self._address = f"{url}/mcp"

    async def check(self) -> None:
        """Raises SetupError, with what to do, unless the server answers this client."""
        try:
            answer = await self._http.post(self._address, json=PING, headers={"Accept": "application/json"})
        except (httpx2.TransportError, httpx2.InvalidURL):
            raise SetupError(NO_SERVER.format(url=self._url)) from None
        if answer.status_code == 401:
            raise SetupError(NOT_ADMITTED.format(url=self._url))
        if answer.status_code != 200:
            raise SetupError(f"{self._url} refuses: {_reason(answer)}")

    async def instructions(self) -> str | None:
        """Instructions of the server for its use."""
        async with self._connection("auto") as client:
            return client.instructions

    async def list_tools(self, cursor: str | None) -> types.ListToolsResult:
        async with self._connection() as client:
            return await client.list_tools(cursor=cursor)

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        report = context.session.report_progress
        async with self._connection() as client:
            return await client.call_tool(params.name, params.arguments, progress_callback=report)

    async def why_not(self) -> str:
        """The answer to an assistant for a call without a result."""
        try:
            await self.check()
        except SetupError as error:
            return str(error)
        return CUT

    @asynccontextmanager
    async def _connection(self, mode: str = PROTOCOL) -> AsyncIterator[Client]:
        transport = streamable_http_client(self._address, http_client=self._http, max_sse_event_size=None)
        async with Client(transport, mode=mode, cache=None) as client:
            yield client


def _reason(answer: httpx2.Response) -> str:
    try:
        return str(answer.json()["error"])
    except (ValueError, KeyError, TypeError):
        return f"it answers with {answer.status_code}, and may be no Sprout server."


def _local_server(sprout: SproutServer, instructions: str | None) -> Server[Any]:
    """The server that the assistant talks to, which has no tools of its own."""

    async def list_tools(_: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        try:
            return await sprout.list_tools(params.cursor if params else None)
        except (MCPError, httpx2.HTTPError, ExceptionGroup):
            raise MCPError(types.INTERNAL_ERROR, await sprout.why_not()) from None

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        try:
            return await sprout.call_tool(context, params)
        except (MCPError, httpx2.HTTPError, ExceptionGroup):
            reason = types.TextContent(type="text", text=await sprout.why_not())
            return types.CallToolResult(content=[reason], is_error=True)

    return Server(
        "sprout",
        title="Sprout",
        version=__version__,
        instructions=instructions,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
