"""A stand-in that serves the real page, paths of any size, and runs of three agents at any pace: the browser's load."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import uvicorn
import uvloop
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from sprout.web.handlers.pages import MEDIA_TYPES, PAGE_POLICY, find_file

STATIC = Path(__file__).parents[2] / "static"
AGENTS = 3
DELTAS_PER_S = 30
DELTAS_A_TURN = 60
DELTA = "what builds on what "
ACROSS = 8
USAGE = {"inputTokens": 900, "outputTokens": 120, "cacheWriteTokens": 0, "cacheReadTokens": 4_000, "costUsd": 0.004}
CAPS = {"iterations": 15, "tokens": None, "costUsd": 1.5}
MODEL = "claude-opus-5-5"
Row = dict[str, Any]


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def path_rows(branch: str) -> tuple[list[Row], list[Row]]:
    """Nodes and edges of a path named `CONCEPTSxPARTS`: each concept builds on two of the layer below it."""
    concepts, parts = (int(number) for number in branch.split("x"))
    nodes = [node_row(branch, f"{branch}-root", "root", None, "A large path")]
    edges: list[Row] = []
    for at in range(concepts):
        concept = f"{branch}-{at}"
        nodes.append(node_row(branch, concept, "concept", f"{branch}-root", f"Concept {at}: what it says and why"))
        below = {at - ACROSS, at - ACROSS + (1 if at % ACROSS < ACROSS - 1 else 0)} if at >= ACROSS else set()
        edges += [edge_row(f"{branch}-{one}", concept) for one in sorted(below)]
        for part in range(parts):
            nodes.append(node_row(branch, f"{concept}-{part}", "subconcept", concept, f"Part {at}.{part} of it"))
            if part:
                edges.append(edge_row(f"{concept}-{part - 1}", f"{concept}-{part}"))
    return nodes, edges


def node_row(branch: str, node_id: str, kind: str, parent: str | None, title: str) -> Row:
    words = {"desc": "What it is, what it is not, and one example that is worth keeping in mind.", "reason": None}
    row = {"id": node_id, "branchId": branch, "type": kind, "parentId": parent, "title": title, "userId": "u"}
    return row | words | {"accuracyScore": 0, "createdAt": now(), "updatedAt": now()}


def edge_row(source: str, target: str) -> Row:
    return {"sourceNodeId": source, "targetNodeId": target}


@dataclass
class FakeRuns:
    """Runs by id, newest last, with their events and their readers."""

    runs: dict[str, Row] = field(default_factory=dict)
    logs: dict[str, list[str]] = field(default_factory=dict)
    readers: set[asyncio.Queue[str]] = field(default_factory=set)
    started: int = 0

    def publish(self, root: str, kind: str, **data: Any) -> None:
        """One event, which only a delta's is not kept."""
        head, kept_whole = "", not kind.endswith("_delta")
        if kept_whole:
            self.runs[root]["lastEventId"] += 1
            head = f"id: {root}:{self.runs[root]['lastEventId']}\n"
        frame = f"{head}event: {kind}\ndata: {json.dumps({'rootId': root, 'at': now()} | data)}\n\n"
        if kept_whole:
            self.logs[root].append(frame)
        for reader in self.readers:
            reader.put_nowait(frame)

    def start_run(self, branch: str) -> str:
        self.started += 1
        root = f"r{self.started}"
        row: Row = {"id": root, "rootId": root, "agent": "topic", "label": "topic", "state": "running", "reason": None}
        row |= {"lane": f"topic:{branch}-root", "nodeId": f"{branch}-root", "branchId": branch, "parentId": None}
        row |= {"model": MODEL, "offline": False, "small": False, "usage": USAGE, "caps": CAPS, "error": None}
        row |= {"createdAt": now(), "startedAt": now(), "endedAt": None, "lastEventId": 0, "position": 0}
        row |= {"question": None, "offers": ["cancel"], "resumes": 0, "cutOff": False, "discarded": False}
        self.runs[root], self.logs[root] = row, []
        for run, agent, lane in self.agents_of(root, branch):
            self.publish(root, "run_queued", runId=run, agent=agent, position=0)
            facts = {"lane": lane, "model": MODEL, "caps": CAPS, "offline": False}
            self.publish(root, "run_started", runId=run, agent=agent, **facts)
        return root

    def agents_of(self, root: str, branch: str) -> list[tuple[str, str, str]]:
        """The run, name and lane of each agent."""
        helpers = [
            (f"{root}-{at}", f"subconcept_bootstrap:Concept {at}", f"concept:{branch}-{at}") for at in range(1, AGENTS)
        ]
        return [(root, "topic", f"topic:{branch}-root"), *helpers]

    async def play(self, branch: str, turns: int, speed: float, *, grows: bool) -> Row:
        """Play a run with so many turns per agent, at `speed` times the pace of a real stream; count its events."""
        root = self.start_run(branch)
        for turn in range(turns):
            for delta in range(DELTAS_A_TURN):
                for run, agent, _ in self.agents_of(root, branch):
                    block = {"runId": run, "agent": agent, "blockId": f"{run}-{turn}"}
                    self.publish(root, "agent_reasoning_delta", text=DELTA, **block)
                if speed <= 1 or delta % round(speed) == 0:
                    await asyncio.sleep(1 / DELTAS_PER_S if speed <= 1 else round(speed) / DELTAS_PER_S / speed)
            for at, (run, agent, _) in enumerate(self.agents_of(root, branch)):
                self._end_turn(root, run, agent, turn, f"{branch}-{at}" if grows else None)
        for run, agent, _ in self.agents_of(root, branch)[1:]:
            self.publish(root, "agent_done", runId=run, agent=agent, reason="end_turn", usage=USAGE)
        self.runs[root] |= {"state": "completed", "reason": "end_turn", "endedAt": now(), "offers": []}
        self.publish(root, "run_done", runId=root, status="completed", reason="end_turn", usage=USAGE)
        return {"kept": len(self.logs[root]), "deltas": turns * DELTAS_A_TURN * AGENTS}

    def _end_turn(self, root: str, run: str, agent: str, turn: int, parent: str | None) -> None:
        by = {"runId": run, "agent": agent}
        self.publish(root, "agent_reasoning", blockId=f"{run}-{turn}", text=DELTA * DELTAS_A_TURN, **by)
        title = f"Part {turn} of {run}"
        call = {"callId": f"{run}-c{turn}", "tool": "save_subconcept"}
        self.publish(root, "tool_call", input={"title": title}, **call, **by)
        if parent is not None:
            node = node_row(parent.split("-", maxsplit=1)[0], f"{run}-n{turn}", "subconcept", parent, title)
            self.publish(root, "node_created", node=node, reason=None, **by)
        self.publish(root, "tool_result", summary="saved", ok=True, durationMs=12, attempts=1, **call, **by)
        self.publish(root, "usage", usage=USAGE, **by)

    async def follow(self, request: Request) -> AsyncIterator[str]:
        after = dict(place.split(":") for place in request.query_params.get("after", "").split(",") if place)
        messages: asyncio.Queue[str] = asyncio.Queue()
        self.readers.add(messages)
        try:
            for root, row in self.runs.items():
                if root in after or not row["endedAt"]:
                    yield "".join(self.logs[root][int(after.get(root, 0)) :])
            while True:
                frames = [await messages.get()]
                while not messages.empty():
                    frames.append(messages.get_nowait())
                yield "".join(frames)
        finally:
            self.readers.discard(messages)

    def runs_of(self, branch: str) -> list[Row]:
        return [row for row in reversed(self.runs.values()) if row["branchId"] == branch]


class FakeServer:
    """The addresses that the page asks for, and the bench's own."""

    def __init__(self) -> None:
        self._runs = FakeRuns()
        self._branches: list[str] = []

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/bench/play/{branch}", self.play_runs, methods=["POST"]),
                Route("/bench/path/{branch}", self.create_path, methods=["POST"]),
                Route("/api/events", self.events),
                Route("/api/status", self.status),
                Route("/api/branches/summary", self.summary),
                Route("/api/branches/{branch}/graph", self.graph),
                Route("/api/runs/{run}/events", self.replay),
                Route("/api/{rest:path}", self.empty_list),
                Route("/static/{version}/{path:path}", self.file),
                Route("/{path:path}", self.page),
            ]
        )

    async def create_path(self, request: Request) -> Response:
        self._branches.append(request.path_params["branch"])
        return JSONResponse({})

    async def play_runs(self, request: Request) -> Response:
        wanted = request.query_params
        turns, speed, grows = int(wanted["turns"]), float(wanted["speed"]), wanted["grows"] == "1"
        return JSONResponse(await self._runs.play(request.path_params["branch"], turns, speed, grows=grows))

    async def events(self, request: Request) -> Response:
        return StreamingResponse(self._runs.follow(request), media_type="text/event-stream")

    async def replay(self, request: Request) -> Response:
        log = "".join(self._runs.logs[request.path_params["run"]])
        return Response(log, media_type="text/event-stream")

    async def status(self, _: Request) -> Response:
        estimate = {"minutes": 1, "costUsdLow": 0, "costUsdHigh": 1}
        model = {"name": MODEL, "offline": False, "ready": True, "note": None}
        limits = {"uploadMaxBytes": 1, "uploadMaxFiles": 1, "uploadTypes": [".md"]}
        rest: Row = {"estimate": {"small": estimate, "full": estimate}, "suggestions": []}
        return JSONResponse({"version": "0", "model": model, "models": {}, "limits": limits} | rest)

    async def summary(self, _: Request) -> Response:
        return JSONResponse([self._summary(branch) for branch in self._branches])

    def _summary(self, branch: str) -> Row:
        nodes, _ = path_rows(branch)
        facts = {"learned": False, "mastered": False, "begun": False, "mastery": 0, "subconceptCount": 0}
        concepts = [node | facts for node in nodes if node["type"] == "concept"]
        row: Row = {"branch": self._branch(branch), "rootId": f"{branch}-root", "lastActivityAt": None}
        return row | {"concepts": concepts, "activeRunId": None, "lastRun": None}

    def _branch(self, branch: str) -> Row:
        return {"id": branch, "title": f"Path {branch}", "userId": "u", "createdAt": now(), "updatedAt": now()}

    async def graph(self, request: Request) -> Response:
        branch = request.path_params["branch"]
        nodes, edges = path_rows(branch)
        progress = [{"nodeId": node["id"], "completedAt": None, "masteryScore": 0.1} for node in nodes]
        answer: Row = {"branch": self._branch(branch), "nodes": nodes, "edges": edges, "progress": progress}
        return JSONResponse(answer | {"documents": [], "runs": self._runs.runs_of(branch)})

    async def empty_list(self, _: Request) -> Response:
        return JSONResponse([])

    async def file(self, request: Request) -> Response:
        path = find_file(STATIC, request.path_params["path"])
        if path is None:
            return Response(status_code=404)
        return Response(await asyncio.to_thread(path.read_bytes), headers={"Content-Type": MEDIA_TYPES[path.suffix]})

    async def page(self, _: Request) -> Response:
        text = await asyncio.to_thread((STATIC / "index.html").read_text)
        filled = text.replace("{{nonce}}", "n").replace("{{version}}", "v")
        policy = {"Content-Security-Policy": PAGE_POLICY.format(nonce="n")}
        return Response(filled, media_type="text/html", headers=policy)


async def main(port: int) -> None:
    """Serve until the process is ended."""
    config = uvicorn.Config(FakeServer().app(), port=port, log_level="warning", access_log=False)
    await uvicorn.Server(config).serve()


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main(int(sys.argv[1])))
