"""Clients of a deployment that never repeat a request, and record every error that they see."""

import asyncio
from asyncio import IncompleteReadError
from collections import Counter
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any

from harness.clients.raw_http import ConnectionCut, iter_body, open_connection, send_request, write_request
from harness.servers.deployment import USER, Deployment
from sprout.ids import new_id
from sprout.learning.lessons.fixed_texts import fixed_text

PAUSE_S = 0.05
BAD_REQUEST = 400
SLOW = fixed_text("slow", "en")
QUESTIONS = ("", "[CLARIFICATION]\nWhat is this for?", "[CLARIFICATION]\nAnd what comes after it?")


@dataclass(slots=True)
class Experience:
    """Record of what clients have seen.

    Args:
        requests: number of requests.
        errors: by what was asked: a status of 400 or more, a connection that was refused or cut, a stream that ended
            without its last word, a reply of the tutor that only says that it takes longer.
        streams_moved: number of streaming answers that ended with an invitation to reconnect.
    """

    requests: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    streams_moved: int = 0


@dataclass(frozen=True, slots=True)
class UnforgivingClient:
    """A client whose habits go on until it has `enough`; streams are followed by readers of the deployment."""

    stage: Deployment
    seen: Experience
    enough: asyncio.Event

    async def edit_paths(self) -> None:
        """Make paths, rename topics and read them."""
        while not self.enough.is_set():
            topic_id = await self._create_path("root")
            for number in range(3 if topic_id else 0):
                await self._send("PATCH", f"/api/nodes/{topic_id}", {**USER, "title": f"Title {number} {new_id()}"})
                await self._send("GET", f"/api/nodes/{topic_id}")
                await asyncio.sleep(PAUSE_S)

    async def follow_runs(self) -> None:
        """Grow paths, with and without an idempotency key, and follow each run by its address, as the page does."""
        for keyed in cycle((False, True)):
            if self.enough.is_set():
                return
            if (topic_id := await self._create_path("root")) is None:
                continue
            path, key = f"/api/agents/topics/{topic_id}/run?wait=false", {"Idempotency-Key": new_id()} if keyed else {}
            if (run := await self._send("POST", path, {**USER, "small": True}, key)) is not None:
                await self.stage.add_reader(str(run["id"])).read_to_end()

    async def stream_runs(self) -> None:
        """Grow paths by the streaming request, as `curl -N` does, and come back where it ends with `reconnect`."""
        while not self.enough.is_set():
            if (topic_id := await self._create_path("root")) is None:
                continue
            path = f"/api/agents/topics/{topic_id}/run"
            run_id, last_word = await self._stream(path, {**USER, "small": True})
            if last_word == "reconnect":
                self.seen.streams_moved += 1
                await self.stage.add_reader(run_id).read_to_end()
            elif last_word != "run_done":
                self.seen.errors[f"POST {_without_ids(path)}: its stream ended with {last_word!r}"] += 1

    async def take_lessons(self) -> None:
        """Ask the tutor of one lesson after the other, and wait for each answer."""
        while not self.enough.is_set():
            if (part_id := await self._create_path("root", "concept", "subconcept")) is None:
                continue
            lesson = await self._send("POST", "/api/chat/sessions", {**USER, "nodeId": part_id})
            for content in QUESTIONS if lesson else ():
                path = f"/api/chat/sessions/{lesson['id']}/tutor"
                reply = await self._send("POST", path, {**USER, "content": content})
                if reply is not None and SLOW in reply["message"]:
                    self.seen.errors["the tutor's reply took too long"] += 1

    async def _create_path(self, *kinds: str) -> str | None:
        """The id of the last of these nodes, each in the one before; None after an error."""
        title = f"Topic {new_id()}"
        branch = await self._send("POST", "/api/branches", {**USER, "title": title})
        parent: Any = None
        for kind in kinds if branch else ():
            node = {**USER, "type": kind, "title": f"{kind} of {title}", "branchId": branch["id"]}
            parent = await self._send("POST", "/api/nodes", node | ({"parentId": parent["id"]} if parent else {}))
            if parent is None:
                return None
        return parent and str(parent["id"])

    async def _send(self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None) -> Any:
        """The JSON of the answer; None after an error."""
        self.seen.requests += 1
        try:
            answer = await send_request(self.stage.server.port, method, path, body, headers)
        except (ConnectionCut, TimeoutError) as error:
            self.seen.errors[f"{method} {_without_ids(path)}: {error}"] += 1
            return None
        if answer.status >= BAD_REQUEST:
            self.seen.errors[f"{method} {_without_ids(path)}: {answer.status}"] += 1
            return None
        return answer.body

    async def _stream(self, path: str, body: object) -> tuple[str, str]:
        """The id of the run, and the kind of the stream's last event; an error in words where there is none."""
        self.seen.requests += 1
        run_id, received = "", b""
        try:
            async with open_connection(self.stage.server.port) as (reader, writer):
                head = await write_request(reader, writer, "POST", path, body)
                if head.status != 200:
                    return "", f"{head.status}"
                run_id = head.headers["x-run-id"]
                async with aclosing(iter_body(reader, head)) as parts:
                    async for part in parts:
                        received += part
        except (ConnectionCut, IncompleteReadError, TimeoutError) as error:
            return run_id, f"{error}"
        return run_id, received.rpartition(b"event: ")[2].partition(b"\n")[0].decode()


def _without_ids(path: str) -> str:
    return "/".join("{id}" if part[:1].isdigit() else part for part in path.partition("?")[0].split("/"))
