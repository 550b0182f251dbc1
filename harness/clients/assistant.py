"""An assistant of a learner: the mcp package's own client, and all that has come back to it."""

import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

Json = dict[str, Any]
NOTES = """# Mirrors

A **mirror** is a surface that throws light back at the angle at which it came. The **normal** is a line at right angles
to the mirror, from which the angle of incidence is measured.

# Refraction

Light goes slower in water than in air. The **refractive index** says how many times slower light is in a material.
"""


@dataclass(frozen=True, slots=True)
class Refusal(Exception):
    """A tool has refused, with this error of the API."""

    error: Json


@dataclass(frozen=True, slots=True)
class Assistant:
    """A connected assistant.

    Args:
        progress: what was reported of its calls, in order.
        texts: every text that a tool came back with.
    """

    client: Client
    progress: list[tuple[float, str | None]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    async def call(self, name: str, **arguments: Any) -> Json:
        """The result of a tool. Raises Refusal."""
        result = await self.client.call_tool(name, arguments, progress_callback=self.report)
        (content,) = result.content
        assert content.type == "text"
        self.texts.append(content.text)
        value = json.loads(content.text)
        assert result.structured_content == value
        if result.is_error:
            raise Refusal(value)
        found: Json = value
        return found

    async def refused(self, name: str, **arguments: Any) -> Json:
        """The error with which a tool refuses."""
        try:
            result = await self.call(name, **arguments)
        except Refusal as refusal:
            return refusal.error
        raise AssertionError(f"{name} was not refused: {result}")

    async def tools(self) -> list[str]:
        """The names of the tools that it may call."""
        return [tool.name for tool in (await self.client.list_tools()).tools]

    async def report(self, progress: float, total: float | None, message: str | None) -> None:
        """Keep what is reported of a call."""
        self.progress.append((progress, message))


@asynccontextmanager
async def connected(url: str, token: str | None = None, *, mode: str = "auto") -> AsyncIterator[Assistant]:
    """An assistant over HTTP.

    Args:
        mode: `legacy` begins with the handshake of the protocol of 2025.
    """
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        transport = streamable_http_client(f"{url}/mcp", http_client=http)
        async with Client(transport, mode=mode, cache=None) as client:
            yield Assistant(client)


@asynccontextmanager
async def started(url: str, token: str | None = None) -> AsyncIterator[Assistant]:
    """An assistant on the same machine, which starts `sprout mcp` and talks to it over stdin and stdout."""
    environment = {"SPROUT_MCP_URL": url} | ({} if token is None else {"SPROUT_MCP_TOKEN": token})
    command = StdioServerParameters(command=sys.executable, args=["-m", "sprout", "mcp"], env=environment)
    async with Client(command, cache=None) as client:
        yield Assistant(client)


async def a_token(browser: httpx2.AsyncClient, *scopes: str) -> str:
    """A new access token of the person in the browser."""
    made = await browser.post("/api/account/tokens", json={"name": "assistant", "scopes": scopes})
    return str(made.raise_for_status().json()["token"])


async def a_new_path(assistant: Assistant, title: str) -> tuple[str, str]:
    """The ids of a path with notes, and of its topic."""
    made = await assistant.call("create_path", title=title)
    await assistant.call("add_notes", topicId=made["topic"]["id"], fileName="light.md", text=NOTES)
    return made["branch"]["id"], made["topic"]["id"]


def message(method: str, params: Json | None = None) -> Json:
    """A request of JSON-RPC."""
    return {"jsonrpc": "2.0", "id": 1, "method": method} | ({} if params is None else {"params": params})
