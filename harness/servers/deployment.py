"""Deployment for tests: server processes that are killed and restarted, their model, and clients that start runs."""

import asyncio
import tempfile
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx2

from harness.clients.raw_http import ConnectionCut, RawResponse, send_request
from harness.clients.run_follower import RETRY_S, RunFollower
from harness.models.small_path import SmallPathModel
from harness.servers.server_process import ServerSite, start_fork_server
from sprout.ids import new_id
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.offline.api.messages_api import OfflineModel
from sprout.offline.pace import Pace
from sprout.offline.server import running_offline_server

USER = {"userId": DEFAULT_USER_ID}
NO_ANSWER = {502, 503, 504}  # it goes away or is gone; a balancer says so, too


class DeploymentTimeout(Exception):
    """Something did not come to its end in time."""


@dataclass(slots=True)
class Deployment:
    """One server's place and everybody around it; `readers` has one for every run that was ordered to be read."""

    server: ServerSite
    readers: list[RunFollower] = field(default_factory=list)

    async def request_until_answered(
        self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None
    ) -> RawResponse:
        """The answer of whichever life gives one; a server that goes away, also behind a balancer, is asked again."""
        while True:
            try:
                answer = await send_request(self.server.port, method, path, body, headers)
            except (ConnectionCut, TimeoutError):
                answer = RawResponse(503, {}, None)
            if answer.status not in NO_ANSWER:
                return answer
            await asyncio.sleep(RETRY_S)

    async def create_topic(self, named: str = "Topic") -> str:
        """The id of a fresh root."""
        while True:
            name = f"{named} {new_id()}"  # a fresh one for each attempt: the one before may have arrived all the same
            branch = await self.request_until_answered("POST", "/api/branches", {**USER, "title": name})
            node = {**USER, "type": "root", "title": name, "branchId": branch.body["id"]}
            made = await self.request_until_answered("POST", "/api/nodes", node)
            if made.status == 201:
                return str(made.body["id"])

    async def upload_notes(self, topic_id: str) -> None:
        """Send the topic a document; where that dies on its way, the topic has none."""
        files = {"files": ("notes.md", b"# Light\n\nLight is fast.", "text/markdown")}
        async with httpx2.AsyncClient(
            base_url=f"http://127.0.0.1:{self.server.port}", timeout=RETRY_S * 50, verify=False
        ) as client:
            with suppress(httpx2.TransportError):
                await client.post(f"/api/nodes/{topic_id}/documents", files=files)

    async def start_run(self, topic_id: str | None = None, *, on_busy: str = "attach") -> str:
        """The id of a run that was ordered once, however often that took to arrive."""
        topic_id = topic_id or await self.create_topic()
        path = f"/api/agents/topics/{topic_id}/run?wait=false&onBusy={on_busy}"
        answer = await self.request_until_answered("POST", path, {**USER, "small": True}, {"Idempotency-Key": new_id()})
        if answer.status not in {200, 202}:
            raise RuntimeError(f"the run was refused: {answer}")
        return str(answer.body["id"])

    @asynccontextmanager
    async def time_limit(self, seconds: float) -> AsyncIterator[None]:
        """Have all in the block done in time. Raises DeploymentTimeout, with who was still reading what."""
        try:
            async with asyncio.timeout(seconds):
                yield
        except TimeoutError:
            waiting = [f"{one.root_id} after {one.received[-1:]}" for one in self.readers if not one.is_finished]
            raise DeploymentTimeout(f"{waiting}\n{self.server.log_tail()}") from None

    def add_reader(self, run_id: str) -> RunFollower:
        self.readers.append(RunFollower(self.server.port, run_id))
        return self.readers[-1]


@asynccontextmanager
async def open_deployment(
    pace: Pace,
    *,
    settings: Mapping[str, str] | None = None,
    database: str | None = None,
    warm: bool = True,
    fork_server: Process | None = None,
    model: OfflineModel | None = None,
) -> AsyncIterator[Deployment]:
    """A scene in a folder of its own, without a server yet.

    Args:
        pace: of the model.
        database: a URL, where it is not a file in the folder.
        warm: whether servers are forked from a fork_server, instead of started as a person starts them.
        fork_server: a fork_server that is there already.
        model: the model of the server, where it is not the one of small paths.
    """
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sprout-faults-")))
        brain = model or SmallPathModel()
        served = await stack.enter_async_context(running_offline_server(brain, pace=pace, keep_requests=0))
        if warm and fork_server is None:
            fork_server = await stack.enter_async_context(start_fork_server())
        given = {**(settings or {}), **({"DATABASE_URL": database} if database else {})}
        place = ServerSite(folder, served.base_url, fork_server, given)
        stack.push_async_callback(place.kill_all)
        yield Deployment(place)
