"""A client and requests for the tests of the offline server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from anthropic import AsyncAnthropic

from sprout.offline.server import OfflineServer

NOTES = Path(__file__).parent / "notes"
MODEL = "sprout-offline"
SAVE_CONCEPT: dict[str, Any] = {
    "name": "save_concept",
    "input_schema": {
        "type": "object",
        "properties": {"title": {"type": "string"}, "desc": {"type": "string"}},
        "required": ["title", "desc"],
    },
}


@asynccontextmanager
async def sdk_client(server: OfflineServer, *, patience_s: float = 10) -> AsyncIterator[AsyncAnthropic]:
    """The real SDK against the server, with its retries off."""
    async with AsyncAnthropic(api_key="x", base_url=server.base_url, max_retries=0, timeout=patience_s) as client:
        yield client


def request_for(text: str = "Hello", **fields: Any) -> dict[str, Any]:
    """The arguments of a request with one user message."""
    return {"model": MODEL, "max_tokens": 8_000, "messages": [{"role": "user", "content": text}]} | fields


async def read_events(client: AsyncAnthropic, request: dict[str, Any]) -> list[Any]:
    """The raw events of a streamed request, as the wire has them."""
    stream = await client.messages.create(**request, stream=True)
    return [event async for event in stream]
