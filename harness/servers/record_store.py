"""A learning record store for tests, over real HTTP: it checks statements, never stores one twice, and can fail."""

import asyncio
import base64
import json
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from harness.invariants.xapi_statements import VOIDED, faults_of
from harness.servers.in_process import serve_app

KEY, SECRET = "sprout-5b", "a secret of ours"
VERSION_HEADER = "X-Experience-API-Version"


@dataclass
class Faults:
    """Faults of the next requests.

    Args:
        answers: statuses instead of what is right, for as many requests; nothing is stored.
        half: store the first half of the next batch, and then fail.
        most: takes no more statements at once.
        knows_all: any statement that is there is a conflict, be it the same or not.
        drop: store the next batch, and break off the answer.
        hold: store batches, and give no answer.
    """

    answers: list[Response] = field(default_factory=list)
    half: bool = False
    most: int = 1_000
    knows_all: bool = False
    drop: bool = False
    hold: bool = False


@dataclass
class RecordStore:
    """A running store: its statements by their ids, and what it was asked."""

    endpoint: str = ""
    statements: dict[str, Any] = field(default_factory=dict)
    asked: Counter[str] = field(default_factory=Counter)
    batches: list[int] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    faults: Faults = field(default_factory=Faults)
    holding: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def voided(self) -> set[str]:
        """The ids of statements that others void."""
        return {one["object"]["id"] for one in self.statements.values() if one["verb"]["id"] == VOIDED}

    @property
    def standing(self) -> dict[str, Any]:
        """The statements that hold: neither voided nor voiding."""
        held = self.statements.keys() - self.voided
        return {id_: one for id_, one in self.statements.items() if id_ in held and one["verb"]["id"] != VOIDED}

    def app(self) -> Starlette:
        """The store as an application."""
        return Starlette(
            routes=[
                Route("/xapi/about", self._about),
                Route("/xapi/statements", self._statements, methods=["POST"]),
            ]
        )

    async def _about(self, request: Request) -> Response:
        self.asked["about"] += 1
        return JSONResponse({"version": ["1.0.3", "1.0.0"], "extensions": {}})

    async def _statements(self, request: Request) -> Response:
        self.asked["statements"] += 1
        body = await request.body()
        self.bodies.append(body)
        if self.faults.answers:
            return self.faults.answers.pop(0)
        if request.headers.get("authorization") != _basic():
            return JSONResponse({"error": "who?"}, 401)
        if not request.headers.get(VERSION_HEADER, "").startswith("1.0"):
            return JSONResponse({"error": "version"}, 400)
        statements = json.loads(body)
        if len(statements) > self.faults.most:
            return Response(status_code=413)
        if wrong := [fault for one in statements for fault in faults_of(one)]:
            return JSONResponse({"error": wrong}, 400)
        if any(self._conflicts(one) for one in statements):
            return Response(status_code=409)
        return await self._store(request, statements)

    async def _store(self, request: Request, statements: list[Any]) -> Response:
        self.batches.append(len(statements))
        if self.faults.half:
            self.faults.half = False
            self.statements |= {one["id"]: one for one in statements[: len(statements) // 2]}
            return Response(status_code=500)
        self.statements |= {one["id"]: one for one in statements}
        if self.faults.drop:
            self.faults.drop = False
            return Response(headers={"Content-Length": "100"})  # and less comes: the connection is cut
        if self.faults.hold:
            self.holding.set()
            await request.receive()  # until the caller has gone
        return JSONResponse([one["id"] for one in statements])

    def _conflicts(self, statement: Any) -> bool:
        there = self.statements.get(statement["id"])
        return there is not None and (self.faults.knows_all or there != statement)


@asynccontextmanager
async def serving_record_store() -> AsyncIterator[RecordStore]:
    """A store on a free port."""
    store = RecordStore()
    async with serve_app(store.app()) as served:
        store.endpoint = f"{served.url}/xapi"
        yield store


def _basic() -> str:
    return f"Basic {base64.b64encode(f'{KEY}:{SECRET}'.encode()).decode()}"
