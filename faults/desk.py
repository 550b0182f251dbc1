"""A learner's desk: HTTP and nothing else, every byte that arrives looked through for what may not be seen yet."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2

from faults.canaries import Canaries, Hidden
from faults.harness.wire import HOST
from sprout.ids import new_id
from sprout.learning.paths.library import DEFAULT_USER_ID

WHO = {"userId": DEFAULT_USER_ID}
KNOCK_S = 0.05
PATIENCE_S = 120.0
STREAMED = {"Accept": "text/event-stream"}


class Refused(Exception):
    """The server answered with an error."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a stream."""

    kind: str
    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Leak:
    """What could be read too early, and where."""

    where: str
    hidden: Hidden


@dataclass(slots=True)
class Seen:
    """What a learner may read by now: of a question that is settled everything, else what help has told."""

    settled: set[str] = field(default_factory=set)
    tried: set[str] = field(default_factory=set)
    unknown: set[str] = field(default_factory=set)
    levels: dict[str, int] = field(default_factory=dict)

    def may_see(self, hidden: Hidden) -> bool:
        """Whether this text may stand in what arrives now."""
        prompt = hidden.prompt
        if prompt in self.settled:
            return True
        if hidden.part.startswith("help "):
            return int(hidden.part.removeprefix("help ")) <= self.levels.get(prompt, 0)
        if hidden.part == "smaller":
            return prompt in self.unknown
        return hidden.part == "misconception" and prompt in self.tried


@dataclass(slots=True)
class Desk:
    """Asks a server, again and again where it goes away; looks through all bytes that came."""

    client: httpx2.AsyncClient
    canaries: Canaries
    seen: Seen = field(default_factory=Seen)
    leaks: list[Leak] = field(default_factory=list)
    requests: int = 0
    cuts: int = 0
    looked_at: int = 0
    _unread: list[tuple[str, bytes]] = field(default_factory=list)

    async def get(self, path: str, **query: Any) -> Any:
        return _json(await self.insisted("GET", path, params={**WHO, **query}))

    async def post(self, path: str, **body: Any) -> Any:
        return _json(await self.insisted("POST", path, json={**WHO, **body}, headers=once()))

    async def stream(self, path: str, **body: Any) -> list[Event]:
        """The events of a request's stream, from the begin to the end."""
        answer = await self.insisted("POST", path, json={**WHO, **body}, headers=STREAMED | once())
        return [*events_in(answer.text)]

    async def text(self, path: str, **query: Any) -> str:
        """What is no JSON, such as the stream of a run that is over."""
        return (await self.insisted("GET", path, params={**WHO, **query})).text

    async def made(self, found: Callable[[], Awaitable[Any]], path: str, **body: Any) -> Any:
        """What is found, or what is made by asking once: where the answer was cut off, it is looked for again."""
        began_s = time.monotonic()
        while time.monotonic() - began_s < PATIENCE_S:
            there = await found()
            if there is not None:
                return there
            answer = await self._tried("POST", path, json={**WHO, **body})
            if answer is not None:
                return _json(answer)
        raise TimeoutError(f"nobody answers POST {path}")

    async def insisted(self, method: str, path: str, **request: Any) -> httpx2.Response:
        """The whole answer of whichever life gives one. Raises TimeoutError, and what the server refuses."""
        began_s = time.monotonic()
        while time.monotonic() - began_s < PATIENCE_S:
            answer = await self._tried(method, path, **request)
            if answer is not None:
                return answer
        raise TimeoutError(f"nobody answers {method} {path}")

    async def _tried(self, method: str, path: str, **request: Any) -> httpx2.Response | None:
        """The whole answer; None where it was cut off or there was nobody."""
        try:
            answer = await self.client.request(method, path, **request)
        except httpx2.TransportError:
            answer = None
        if answer is None or answer.status_code == 503 or _is_cut(answer):
            self.cuts += 1
            await asyncio.sleep(KNOCK_S)
            return None
        self.requests += 1
        head = b"\n".join(name + b": " + value for name, value in answer.headers.raw)
        self._unread.append((f"{method} {path.split('?', maxsplit=1)[0]}", head + b"\n\n" + answer.content))
        if answer.is_error:
            raise Refused(f"{method} {path}: {answer.status_code} {answer.text[:300]}")
        return answer

    def look(self) -> None:
        """Look through what has arrived since the last time, as things stand now."""
        for where, raw in self._unread:
            self.looked_at += len(raw)
            self.leaks += [Leak(where, one) for one in self.canaries.found_in(raw) if not self.seen.may_see(one)]
        self._unread.clear()


@asynccontextmanager
async def desk_at(port: int, canaries: Canaries) -> AsyncIterator[Desk]:
    """A desk for the server at this port."""
    async with httpx2.AsyncClient(base_url=f"http://{HOST}:{port}", timeout=PATIENCE_S) as client:
        yield Desk(client, canaries)


def events_in(text: str) -> Iterator[Event]:
    """The events of a stream that has ended; comments are left out."""
    for block in text.replace("\r\n", "\n").split("\n\n"):
        lines = [line.split(": ", 1) for line in block.splitlines() if line[:1] not in ("", ":")]
        fields = {pair[0]: pair[1] for pair in lines if len(pair) == 2}
        if "event" in fields and "data" in fields:
            yield Event(fields["event"], json.loads(fields["data"]))


def once() -> dict[str, str]:
    """A header by which a request that is repeated is known to be the same."""
    return {"Idempotency-Key": new_id()}


def _is_cut(answer: httpx2.Response) -> bool:
    """Whether a stream has ended before its run did: the server has said goodbye."""
    streams = "text/event-stream" in answer.headers.get("content-type", "")
    return streams and all(event.kind != "run_done" for event in events_in(answer.text))


def _json(answer: httpx2.Response) -> Any:
    return answer.json() if answer.content else None
