"""A learner's desk: HTTP and nothing else, every byte that arrives looked through for what may not be seen yet."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from faults.leaks.secret_markers import MarkedText, SecretMarkers
from harness.clients.raw_http import HOST
from harness.database.empty_sqlite import create_empty_database
from harness.servers.signed_in import PASSWORD, hash_of_password
from sprout.accounts.accounts import NewAccount
from sprout.accounts.principal import AccountRole
from sprout.accounts.security_log import TERMINAL
from sprout.ids import new_id
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.store.accounts.accounts import SqlAccounts
from sprout.store.engine.database import open_database

USER = {"userId": DEFAULT_USER_ID}
SIGNS_IN_AS = "mina"
RETRY_S = 0.05
PATIENCE_S = 120.0
SSE_HEADERS = {"Accept": "text/event-stream"}


class RequestRefused(Exception):
    """The server answered with an error."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a stream."""

    kind: str
    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Leak:
    """Hidden text that was readable too early, and where."""

    where: str
    text: MarkedText


@dataclass(slots=True)
class Disclosures:
    """Texts that a learner may read by now: everything of a settled question, the model answer and its criteria of one
    that they compare, otherwise only what help has revealed."""

    settled: set[str] = field(default_factory=set)
    compared: set[str] = field(default_factory=set)
    tried: set[str] = field(default_factory=set)
    levels: dict[str, int] = field(default_factory=dict)

    def may_be_seen(self, hidden: MarkedText) -> bool:
        """Return True if this text may be part of the data that arrives now."""
        return any(self._may_be_seen(prompt, hidden.source) for prompt in hidden.prompts)

    def _may_be_seen(self, prompt: str, source: str) -> bool:
        if prompt in self.settled:
            return True
        if source.startswith("help "):
            return int(source.removeprefix("help ")) <= self.levels.get(prompt, 0)
        if prompt in self.compared and source in ("answer", "criterion", "misconception"):
            return True
        return source == "misconception" and prompt in self.tried


@dataclass(slots=True)
class LearnerClient:
    """Asks a server, again and again where it goes away; looks through all bytes that came.

    Args:
        user: what requests say of who sends them: nothing where that is who has signed in.
    """

    client: httpx2.AsyncClient
    canaries: SecretMarkers
    user: Mapping[str, str] = field(default_factory=lambda: USER)
    disclosures: Disclosures = field(default_factory=Disclosures)
    leaks: list[Leak] = field(default_factory=list)
    requests: int = 0
    interrupted: int = 0
    scanned_bytes: int = 0
    _unscanned: list[tuple[str, bytes]] = field(default_factory=list)

    async def sign_in(self) -> None:
        await self.request_until_answered("POST", "/api/sign-in", json={"name": SIGNS_IN_AS, "password": PASSWORD})

    async def get(self, path: str, **query: Any) -> Any:
        return _json(await self.request_until_answered("GET", path, params={**self.user, **query}))

    async def post(self, path: str, **body: Any) -> Any:
        return _json(
            await self.request_until_answered("POST", path, json={**self.user, **body}, headers=idempotency_header())
        )

    async def stream(self, path: str, **body: Any) -> list[Event]:
        """The events of a request's stream, from the begin to the end."""
        answer = await self.request_until_answered(
            "POST", path, json={**self.user, **body}, headers=SSE_HEADERS | idempotency_header()
        )
        return [*parse_events(answer.text)]

    async def text(self, path: str, **query: Any) -> str:
        """Request a body that is not JSON, such as the stream of a finished run."""
        return (await self.request_until_answered("GET", path, params={**self.user, **query})).text

    async def get_or_create(self, found: Callable[[], Awaitable[Any]], path: str, **body: Any) -> Any:
        """Return the existing object, or create it with one request; after a broken connection, look it up again."""
        began_s = time.monotonic()
        while time.monotonic() - began_s < PATIENCE_S:
            there = await found()
            if there is not None:
                return there
            answer = await self._try_request("POST", path, json={**self.user, **body})
            if answer is not None:
                return _json(answer)
        raise TimeoutError(f"nobody answers POST {path}")

    async def request_until_answered(self, method: str, path: str, **request: Any) -> httpx2.Response:
        """The whole answer of whichever life gives one. Raises TimeoutError, and what the server refuses."""
        began_s = time.monotonic()
        while time.monotonic() - began_s < PATIENCE_S:
            answer = await self._try_request(method, path, **request)
            if answer is not None:
                return answer
        raise TimeoutError(f"nobody answers {method} {path}")

    async def _try_request(self, method: str, path: str, **request: Any) -> httpx2.Response | None:
        """The complete response; None if it was cut off or the server was down."""
        try:
            answer = await self.client.request(method, path, **request)
        except httpx2.TransportError:
            answer = None
        if answer is None or answer.status_code == 503 or _is_cut(answer):
            self.interrupted += 1
            await asyncio.sleep(RETRY_S)
            return None
        self.requests += 1
        head = b"\n".join(name + b": " + value for name, value in answer.headers.raw)
        self._unscanned.append((f"{method} {path.split('?', maxsplit=1)[0]}", head + b"\n\n" + answer.content))
        if answer.is_error:
            raise RequestRefused(f"{method} {path}: {answer.status_code} {answer.text[:300]}")
        return answer

    def scan_received(self) -> None:
        """Look through what has arrived since the last time, as things stand now."""
        for where, raw in self._unscanned:
            self.scanned_bytes += len(raw)
            self.leaks += [
                Leak(where, one) for one in self.canaries.find_in(raw) if not self.disclosures.may_be_seen(one)
            ]
        self._unscanned.clear()


@asynccontextmanager
async def learner_client(
    port: int, canaries: SecretMarkers, *, signed_in: bool = False
) -> AsyncIterator[LearnerClient]:
    """A desk for the server at this port.

    Args:
        signed_in: whether the server has the account of `seed_account`, who signs in.
    """
    origin = f"http://{HOST}:{port}"
    async with httpx2.AsyncClient(base_url=origin, timeout=PATIENCE_S, headers={"Origin": origin}) as client:
        desk = LearnerClient(client, canaries, {} if signed_in else USER)
        if signed_in:
            await desk.sign_in()
        yield desk


async def seed_account(folder: Path) -> None:
    """Make a data folder in which a learner has an account and nothing else."""
    async with open_database(create_empty_database(folder)) as database:
        new = NewAccount(SIGNS_IN_AS, SIGNS_IN_AS, AccountRole.LEARNER, hash_of_password())
        await SqlAccounts(database).create(new, origin=TERMINAL)


def parse_events(text: str) -> Iterator[Event]:
    """The events of a stream that has ended; comments are left out."""
    for block in text.replace("\r\n", "\n").split("\n\n"):
        lines = [line.split(": ", 1) for line in block.splitlines() if line[:1] not in ("", ":")]
        fields = {pair[0]: pair[1] for pair in lines if len(pair) == 2}
        if "event" in fields and "data" in fields:
            yield Event(fields["event"], json.loads(fields["data"]))


def idempotency_header() -> dict[str, str]:
    """A header by which a request that is repeated is known to be the same."""
    return {"Idempotency-Key": new_id()}


def _is_cut(answer: httpx2.Response) -> bool:
    """Return True if a stream ended before its run: the server is shutting down."""
    streams = "text/event-stream" in answer.headers.get("content-type", "")
    return streams and all(event.kind != "run_done" for event in parse_events(answer.text))


def _json(answer: httpx2.Response) -> Any:
    return answer.json() if answer.content else None
