"""The stand-in over HTTP: the real page, and beside it the few addresses that the page asks for."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from harness.servers.in_process import serve_app
from sprout.web.handlers.pages import FRAME_POLICY, MEDIA_TYPES, PAGE_POLICY, find_file
from tests.journeys.support.fake_runs import BRANCH, NODES, SNAPSHOT, FakeServerState, Row

STATIC = Path(__file__).resolve().parents[3] / "static"
SSE = "text/event-stream"
ESTIMATE = {"minutes": 1, "costUsdLow": 0, "costUsdHigh": 1, "concepts": [1, 2], "lessonMinutes": [16, 48]}
STATUS: Row = {
    "version": "0",
    "model": {"name": "claude-opus-5-5", "offline": False, "ready": True, "note": None},
    "models": {},
    "limits": {"uploadMaxBytes": 1, "uploadMaxFiles": 1, "uploadTypes": [".md"]},
    "estimate": {"small": ESTIMATE, "full": ESTIMATE},
    "probes": [],
    "budget": {"tightest": None},
    "suggestions": [],
}


@dataclass(frozen=True, slots=True)
class _FakeServer:
    sprout: FakeServerState

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/api/events", self.stream_events),
                Route("/api/status", self.status),
                Route("/api/account", self.account),
                Route("/api/next", self.nothing_next),
                Route("/api/reviews/due", self.nothing_due),
                Route("/api/today", self.nothing_begun),
                Route("/api/branches/summary", self.summary),
                Route("/api/branches/{id}", self.branch),
                Route("/api/branches/{id}/placement", self.nothing_placed),
                Route("/api/branches/{id}/graph", self.graph),
                Route("/api/branches/{id}/places", self.keep_places, methods=["PATCH"]),
                Route("/api/branches/{id}/changes", self.empty_list),
                Route("/api/branches/{id}/update", self.no_update),
                Route("/api/account/paths", self.empty_list),
                Route("/api/chat/sessions", self.empty_list),
                Route("/api/misconceptions", self.empty_list),
                Route("/api/runs", self.list_runs),
                Route("/api/runs/{id}", self.show_run),
                Route("/api/runs/{id}/events", self.replay_run),
                Route("/api/runs/{id}/{what}", self.post_run, methods=["POST"]),
                Route("/static/{version}/{path:path}", self.file),
                Route("/frames/diagram", self.frame),
                Route("/{path:path}", self.page),
            ]
        )

    def newest_first(self) -> list[Row]:
        return list(reversed(self.sprout.rows.values()))

    async def status(self, request: Request) -> Response:
        return JSONResponse(STATUS)

    async def account(self, request: Request) -> Response:
        return JSONResponse({"userId": "u", "role": "learner", "scopes": [], "account": None})

    async def summary(self, request: Request) -> Response:
        runs = self.newest_first()
        going = next((row["id"] for row in runs if not row["endedAt"]), None)
        path: Row = {"branch": BRANCH, "rootId": "root", "lastActivityAt": None, "concepts": []}
        return JSONResponse([path | {"activeRunId": going, "lastRun": runs[0]}])

    async def branch(self, request: Request) -> Response:
        return JSONResponse(BRANCH)

    async def graph(self, request: Request) -> Response:
        answer: Row = {
            "branch": BRANCH,
            "nodes": NODES,
            "edges": [],
            "progress": [],
            "documents": [],
            "places": {},
            "bare": [],
            "due": [],
            "minutes": {},
            "lessons": {},
        }
        return JSONResponse(answer | {"runs": self.newest_first()[:50]})

    async def keep_places(self, request: Request) -> Response:
        return Response(status_code=204)

    async def empty_list(self, request: Request) -> Response:
        return JSONResponse([])

    async def no_update(self, request: Request) -> Response:
        return JSONResponse(None)

    async def nothing_placed(self, request: Request) -> Response:
        overview: Row = {"branchId": request.path_params["id"], "questions": 0, "minutes": 1}
        return JSONResponse(overview | {"openId": None, "lastId": None})

    async def nothing_next(self, request: Request) -> Response:
        return JSONResponse({"kind": "none", "node": None, "because": [], "opens": [], "reviews": None})

    async def nothing_due(self, request: Request) -> Response:
        return JSONResponse({"due": 0, "today": 0, "minutes": 0, "days": 0, "sessionId": None, "paths": []})

    async def nothing_begun(self, request: Request) -> Response:
        return JSONResponse({"begun": False, "paths": []})

    async def list_runs(self, request: Request) -> Response:
        before, limit = request.query_params.get("before"), int(request.query_params["limit"])
        runs = self.newest_first()
        start = next((i + 1 for i, row in enumerate(runs) if row["id"] == before), 0)
        more = {"Link": '</api/runs>; rel="next"'} if len(runs) > start + limit else {}
        return JSONResponse(runs[start : start + limit], headers=more)

    async def show_run(self, request: Request) -> Response:
        row = self.sprout.rows.get(request.path_params["id"])
        if row is None:
            return JSONResponse({"error": "There is no such run."}, 404)
        last = [
            {"seq": event.seq, "kind": event.kind, "data": event.data} for event in self.sprout.logs[row["id"]][-20:]
        ]
        return JSONResponse(row | {"journal": SNAPSHOT, "lastEvents": last})

    async def replay_run(self, request: Request) -> Response:
        return StreamingResponse(self.sprout.replay(request.path_params["id"]), media_type=SSE)

    async def stream_events(self, request: Request) -> Response:
        places = [place.split(":") for place in request.query_params.get("after", "").split(",") if place]
        return StreamingResponse(self.sprout.events({root: int(seq) for root, seq in places}), media_type=SSE)

    async def post_run(self, request: Request) -> Response:
        result = self.sprout.handle_post(request.path_params["id"], request.path_params["what"], await request.json())
        if isinstance(result, int):
            return JSONResponse({"error": f"refused with {result}"}, result)
        return JSONResponse(result)

    async def file(self, request: Request) -> Response:
        path = find_file(STATIC, request.path_params["path"])
        if path is None:
            return Response(status_code=404)
        return Response(await asyncio.to_thread(path.read_bytes), headers={"Content-Type": MEDIA_TYPES[path.suffix]})

    async def page(self, request: Request) -> Response:
        return await self.render_template("index.html", PAGE_POLICY)

    async def frame(self, request: Request) -> Response:
        return await self.render_template("diagram.html", FRAME_POLICY)

    async def render_template(self, name: str, of: str) -> Response:
        text = await asyncio.to_thread((STATIC / name).read_text)
        policy = {"Content-Security-Policy": of.format(nonce="n")}
        filled = text.replace("{{nonce}}", "n").replace("{{version}}", "v")
        return Response(filled, media_type="text/html", headers=policy)


@asynccontextmanager
async def start_fake_server() -> AsyncIterator[FakeServerState]:
    """The stand-in, serving the real page until the block is left."""
    sprout = FakeServerState()
    async with serve_app(_FakeServer(sprout).app()) as served:
        sprout.url = served.url
        yield sprout
        sprout.cut_streams()
