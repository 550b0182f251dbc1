"""A reader of event streams: what came, and when."""

import json
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import httpx2

from sprout.events import Usage
from sprout.learning.paths.repository import DEFAULT_USER_ID

WAIT_S = 600.0
MODEL_TEXT = frozenset({"agent_reasoning_delta", "message_delta"})


@dataclass(frozen=True, slots=True)
class TimedEvent:
    """One event and the seconds from the request until it was read; the last one carries the run's usage."""

    kind: str
    at_s: float
    usage: Usage | None = None


async def run_on_floor(client: httpx2.AsyncClient) -> list[TimedEvent]:
    """One run on the floor, from the request to its last event."""
    return await read_run(client, "/run", {})


async def run_on_sprout(client: httpx2.AsyncClient, root_id: str) -> list[TimedEvent]:
    """One run of the topic agent, from the request to its last event."""
    return await read_run(client, f"/api/agents/topics/{root_id}/run", {"userId": DEFAULT_USER_ID, "small": False})


async def new_topic(client: httpx2.AsyncClient, title: str) -> str:
    """The id of a fresh root."""
    branch = await _create(client, "/api/branches", {"title": title, "userId": DEFAULT_USER_ID})
    node = {"userId": DEFAULT_USER_ID, "type": "root", "title": title, "branchId": branch["id"]}
    return str((await _create(client, "/api/nodes", node))["id"])


def first(heard: list[TimedEvent], kinds: frozenset[str]) -> float:
    """When the first event of one of these kinds was read, seconds after the request."""
    return next(one.at_s for one in heard if one.kind in kinds)


async def _create(client: httpx2.AsyncClient, path: str, body: dict[str, Any]) -> dict[str, Any]:
    answer = await client.post(path, json=body)
    answer.raise_for_status()
    row: dict[str, Any] = answer.json()
    return row


async def read_run(client: httpx2.AsyncClient, path: str, body: dict[str, Any]) -> list[TimedEvent]:
    """The run that a request starts, from the request to its last event. Raises RuntimeError: it did not complete."""
    heard: list[TimedEvent] = []
    began = time.perf_counter()
    async with client.stream("POST", path, content=json.dumps(body), headers=_JSON, timeout=WAIT_S) as answer:
        answer.raise_for_status()
        async for kind, data in _events(answer):
            at_s = time.perf_counter() - began
            heard.append(TimedEvent(kind, at_s, _usage_of(data) if kind == "run_done" else None))
    if not heard or heard[-1].kind != "run_done":
        raise RuntimeError("the stream ended before its run")
    return heard


def _usage_of(data: str) -> Usage | None:
    """Usage from a run's last event; None for the floor, which reports none. Raises RuntimeError: the run failed."""
    done = json.loads(data)
    if done.get("status", "completed") != "completed":
        raise RuntimeError(f"the run did not complete: {data}")
    return Usage.model_validate(done["usage"]) if "usage" in done else None


async def _events(answer: httpx2.Response) -> AsyncIterator[tuple[str, str]]:
    kind = ""
    async for line in answer.aiter_lines():
        if line.startswith("event: "):
            kind = line[7:]
        elif line.startswith("data: "):
            yield kind, line[6:]


_JSON = {"content-type": "application/json", "accept": "text/event-stream"}
