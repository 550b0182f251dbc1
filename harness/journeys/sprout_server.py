"""A Sprout of a test's own: the real server and its real page, on the offline model in a weather that can change."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from harness.servers.chosen_settings import ChosenSettings
from harness.servers.in_process import serve_app
from harness.servers.topology import serve_topology
from harness.services import SCALED
from sprout.app import open_app, web_dependencies
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.offline.api.messages_api import OfflineModel
from sprout.offline.demo.router import demo_model
from sprout.offline.faults.scenarios import Fault, FaultPlan, Scenario, parse_fault
from sprout.offline.pace import Pace
from sprout.offline.server import running_offline_server
from sprout.web.routes import web_app

QUICK_PACE = Pace(0.05, 2_500)
STEADY_PACE = Pace(0.1, 500)
COURSE = "Bayesian reasoning"
Row = dict[str, Any]


class ModelFaults(FaultPlan):
    """Fair until it turns: then every request meets the same fault, or waits until it is let through."""

    def __init__(self) -> None:
        super().__init__()
        self._now: Fault | None = None
        self._unheld: int | None = None
        self._raised = asyncio.Event()

    def set_fault(self, fault: Fault | Scenario | str) -> None:
        self._now = parse_fault(fault)

    def clear(self) -> None:
        self._now = None

    def hold_after(self, requests: int) -> None:
        """Answer the first `requests` of this server; all others wait until there may be more."""
        self._allow(requests)

    def release(self) -> None:
        self._allow(None)

    async def fault_for(self, number: int) -> Fault | None:
        while self._unheld is not None and number > self._unheld:
            await self._raised.wait()
        return self._now

    def _allow(self, requests: int | None) -> None:
        self._unheld = requests
        self._raised.set()
        self._raised = asyncio.Event()


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """One event of a run's log."""

    seq: int
    kind: str
    data: Row


@dataclass(frozen=True, slots=True)
class SproutServer:
    """A Sprout that serves at `url`, and what its API says."""

    url: str
    faults: ModelFaults
    client: httpx2.AsyncClient

    async def get(self, path: str, **query: str) -> Any:
        answer = await self.client.get(f"/api{path}", params=query)
        return answer.raise_for_status().json()

    async def post(self, path: str, body: Row) -> Any:
        answer = await self.client.post(f"/api{path}", json=body)
        return answer.raise_for_status().json()

    async def paths(self) -> list[Row]:
        """The learner's paths as the home lists them."""
        found: list[Row] = await self.get("/branches/summary", userId=DEFAULT_USER_ID)
        return found

    async def graph(self) -> Row:
        """Everything of the only path."""
        (path,) = await self.paths()
        found: Row = await self.get(f"/branches/{path['branch']['id']}/graph")
        return found

    async def last_run(self) -> Row:
        """The newest run of the only path."""
        run: Row = (await self.graph())["runs"][0]
        return run

    async def events_of(self, run_id: str) -> list[StoredEvent]:
        """Everything that was logged in a run; waits for its end."""
        answer = await self.client.get(f"/api/runs/{run_id}/events")
        blocks = answer.raise_for_status().text.replace("\r\n", "\n").split("\n\n")
        events = (dict(line.split(": ", 1) for line in block.splitlines() if line[0] != ":") for block in blocks)
        return [
            StoredEvent(int(each["id"]), each["event"], json.loads(each["data"])) for each in events if "id" in each
        ]

    async def start_path(self, title: str, *, small: bool = True) -> str:
        """Begin to grow a path; the id of its run."""
        branch = await self.post("/branches", {"title": title, "userId": DEFAULT_USER_ID})
        root = await self.post(
            "/nodes", {"userId": DEFAULT_USER_ID, "type": "root", "title": title, "branchId": branch["id"]}
        )
        return str((await self.start_run(root["id"], small=small)).json()["id"])

    async def start_run(self, root_id: str, *, small: bool = False) -> httpx2.Response:
        """Ask for a run on a topic: 202 where one began, 200 where one is going."""
        body = {"userId": DEFAULT_USER_ID, "small": small}
        return await self.client.post(f"/api/agents/topics/{root_id}/run", params={"wait": "false"}, json=body)


def titles(graph: Row, kind: str) -> list[str]:
    """The titles of the nodes of one kind, sorted."""
    return sorted(node["title"] for node in graph["nodes"] if node["type"] == kind)


def edge_names(graph: Row) -> list[str]:
    """The edges among concepts, as a map names them, sorted."""
    concepts = {node["id"] for node in graph["nodes"] if node["type"] == "concept"}
    pairs = ((edge["sourceNodeId"], edge["targetNodeId"]) for edge in graph["edges"])
    return sorted(f"{source}>{target}" for source, target in pairs if {source, target} <= concepts)


@asynccontextmanager
async def start_server(
    folder: Path,
    database_url: str,
    *,
    pace: Pace = STEADY_PACE,
    offline_model: OfflineModel | None = None,
    **settings: Any,
) -> AsyncIterator[SproutServer]:
    """A Sprout on a model server that speaks at this pace, until the block is left.

    Args:
        offline_model: answers in place of the built-in one.
    """
    weather = ModelFaults()
    async with AsyncExitStack() as stack:
        brain = offline_model or demo_model()
        served_model = await stack.enter_async_context(running_offline_server(brain, pace=pace, faults=weather))
        serve = _serve_processes if SCALED else _serve_here
        url = await stack.enter_async_context(serve(folder, database_url, served_model.base_url, settings))
        web = await stack.enter_async_context(httpx2.AsyncClient(base_url=url, timeout=60, verify=False))
        yield SproutServer(url, weather, web)


@asynccontextmanager
async def _serve_here(
    folder: Path, database_url: str, model_url: str, settings: Mapping[str, Any]
) -> AsyncIterator[str]:
    """The address of a server in this process."""
    chosen = {"base_url": model_url, "api_key": "a-key", **settings}
    async with (
        open_app(ChosenSettings(data_dir=folder, database_url=database_url, **chosen)) as sprout,
        serve_app(web_app(web_dependencies(sprout))) as served,
    ):
        yield served.url


def _serve_processes(
    folder: Path, database_url: str, model_url: str, settings: Mapping[str, Any]
) -> AbstractAsyncContextManager[str]:
    """The address of a balancer before the processes of the scaled topology."""
    environment = {f"SPROUT_{name.upper()}": str(value) for name, value in settings.items()}
    return serve_topology(folder, database_url, model_url, environment)
