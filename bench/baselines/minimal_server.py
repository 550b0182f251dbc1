"""The floor: the shortest program with the same input and output. It keeps nothing and survives nothing."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from typing import Any

import anthropic
import uvicorn
from sse_starlette.sse import EventSourceResponse
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Route

from bench.workloads import NOTE

TOOL = {
    "name": NOTE,
    "description": "Take a note.",
    "input_schema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
}


async def run(request: Request) -> EventSourceResponse:
    """One run of the loop, streamed."""
    return EventSourceResponse(events(request.app.state.client), sep="\n")


async def events(client: Any) -> AsyncIterator[dict[str, str]]:
    """Ask, call tools, ask again, until the model calls no more."""
    messages: list[Any] = [{"role": "user", "content": "Take notes."}]
    yield event("run_started")
    while True:
        content: list[dict[str, Any]] = []
        results: list[dict[str, Any]] = []
        raw = ""
        asked = client.messages.create(
            model="sprout-offline",
            max_tokens=8_000,
            system="You take notes.",
            tools=[TOOL],
            messages=messages,
            stream=True,
        )
        async for part in await asked:
            if part.type == "content_block_start":
                content.append(part.content_block.model_dump(exclude_none=True))
                raw = ""
            elif part.type == "content_block_delta" and part.delta.type == "text_delta":
                content[-1]["text"] += part.delta.text
                yield event("agent_reasoning_delta", text=part.delta.text)
            elif part.type == "content_block_delta" and part.delta.type == "input_json_delta":
                raw += part.delta.partial_json
            elif part.type == "content_block_stop" and content[-1]["type"] == "tool_use":
                content[-1]["input"] = json.loads(raw)
                yield event("tool_call", tool=content[-1]["name"], input=content[-1]["input"])
                results.append({"type": "tool_result", "tool_use_id": content[-1]["id"], "content": "noted"})
                yield event("tool_result", tool=content[-1]["name"], summary="noted")
        messages.append({"role": "assistant", "content": content})
        if not results:
            break
        messages.append({"role": "user", "content": results})
    yield event("run_done")


def event(kind: str, **fields: Any) -> dict[str, str]:
    """An event as sse-starlette takes it."""
    return {"event": kind, "data": json.dumps(fields)}


async def main(base_url: str, port: int) -> None:
    """Serve on a port of the loopback until the process is ended."""
    app = Starlette(routes=[Route("/run", run, methods=["POST"])])
    async with anthropic.DefaultAioHttpClient() as http:
        app.state.client = anthropic.AsyncAnthropic(api_key="bench", base_url=base_url, http_client=http)
        config = uvicorn.Config(app, host="127.0.0.1", port=port, log_level="warning", timeout_graceful_shutdown=1)
        await uvicorn.Server(config).serve()


if __name__ == "__main__":
    uvicorn_loop = uvicorn.Config(run).get_loop_factory()
    with asyncio.Runner(loop_factory=uvicorn_loop) as runner:
        runner.run(main(sys.argv[1], int(sys.argv[2])))
