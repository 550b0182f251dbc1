"""A served web application on the real store and the real runs, with its parts at hand.

The one agent does nothing until the test lets it go: what happens in a run meanwhile, the test says itself.
"""

import asyncio
import socket
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, cast

import httpx2
from pydantic import JsonValue

from sprout.agents.agent import AgentSpec, Brief, Job, Team
from sprout.documents.extracting import Extractor
from sprout.documents.intake import Intake
from sprout.documents.kinds import recognised
from sprout.documents.passages import passages_of
from sprout.engines.asyncio_dispatcher import AsyncioDispatcher
from sprout.engines.memory_bus import MemoryBus
from sprout.events import Event, NodeRow
from sprout.learning.paths.library import DEFAULT_USER_ID, BranchRow
from sprout.learning.paths.shelf import Actor
from sprout.loop.model import ModelRequest, ReplyPart
from sprout.loop.policy import LoopPolicy
from sprout.runs.bus import News
from sprout.runs.gate import ModelGate
from sprout.runs.live import LiveRuns, live_runs
from sprout.runs.log import Claim
from sprout.runs.multiplex import Told
from sprout.runs.observer import Nobody
from sprout.runs.parts import ModelChoice, Parts
from sprout.runs.state import Run
from sprout.store.account import SqlAccount
from sprout.store.assessments import SqlAssessments
from sprout.store.contents import SqlContents
from sprout.store.database import Database, open_database
from sprout.store.exchange import SqlExchange
from sprout.store.files import Files
from sprout.store.keys import SqlKeys
from sprout.store.library import SqlLibrary
from sprout.store.log import Publish
from sprout.store.memories import SqlMemories
from sprout.store.progressing import SqlProgress
from sprout.store.reports import SqlReports
from sprout.store.runs import SqlRunStore
from sprout.store.shelf import SqlShelf
from sprout.store.sources import SqlSources
from sprout.store.talk import SqlTalk
from sprout.store.tutoring import SqlTutoring
from sprout.store.unread import SqlPile
from sprout.telemetry.metrics import Metrics
from sprout.web.open_streams import OpenStreams
from sprout.web.parts import Limits, Runs, WebParts
from sprout.web.routes import web_app
from tests.databases import an_empty_database
from tests.serving import Served, serving

PAGE = '<!doctype html><script type="importmap" nonce="{{nonce}}">{}</script><script src="/static/{{version}}/app.js">'
BEATS_S = {False: 10.0, True: 3_600.0}  # how often something is done in the background, by whether it is quiet
LIMITS = Limits(
    json_max_bytes=100_000,
    turn_max_bytes=100_000,
    graph_max_bytes=100_000,
    upload_max_bytes=20_000,
    upload_max_files=2,
    body_idle_s=0.5,
    run_wait_s=0.3,
)


class NoModel:
    """The model of an agent that never asks one."""

    def reply(self, request: ModelRequest) -> AsyncGenerator[ReplyPart, None]:
        raise AssertionError("no test of the web asks a model")


class Waiting:
    """An agent that does nothing until its run is let go."""

    def __init__(self) -> None:
        self._let_go: dict[str, asyncio.Event] = {}

    def let_go(self, run_id: str) -> None:
        self._let_go.setdefault(run_id, asyncio.Event()).set()

    async def brief(self, job: Job, team: Team) -> Brief:
        await self._let_go.setdefault(job.run_id, asyncio.Event()).wait()
        return Brief()

    @property
    def spec(self) -> AgentSpec:
        return AgentSpec(name="topic", lane="topic", policy=LoopPolicy(), brief=self.brief)

    @property
    def others(self) -> Sequence[AgentSpec]:
        """The same under the names of other agents that a request may start."""
        refinement = replace(self.spec, name="refinement", lane="concept", label="concept_refinement")
        return refinement, replace(self.spec, name="review", lane="review", label="path_review")


class Observed:
    """The real runs, and how many streams are open, and which runs were asked to stop."""

    def __init__(self, live: LiveRuns) -> None:
        self._live = live
        self._changed = asyncio.Event()
        self._followers: dict[str, int] = {}
        self._asked_to_stop: set[str] = set()
        self.start, self.run, self.runs, self.latest = live.start, live.run, live.runs, live.latest
        self.handoff, self.answer, self.resume = live.handoff, live.answer, live.resume
        self.retry, self.discard, self.stop_all = live.retry, live.discard, live.stop_all

    async def follow(self, root_id: str, *, after: int = 0) -> AsyncIterator[list[News]]:
        self._follows(root_id, 1)
        try:
            batches = self._live.follow(root_id, after=after)
            async with aclosing(batches):
                async for batch in batches:
                    yield batch
        finally:
            self._follows(root_id, -1)

    async def follow_learner(
        self, user_id: str, cursors: Mapping[str, int] | None, *, on: bool = True
    ) -> AsyncIterator[list[Told]]:
        self._follows(user_id, 1)
        try:
            batches = self._live.follow_learner(user_id, cursors, on=on)
            async with aclosing(batches):
                async for batch in batches:
                    yield batch
        finally:
            self._follows(user_id, -1)

    async def cancel(self, run_id: str, *, user_id: str) -> Run:
        try:
            return await self._live.cancel(run_id, user_id=user_id)
        finally:
            self._asked_to_stop.add(run_id)
            self._wake()

    def followers(self, root_id: str) -> int:
        return self._followers.get(root_id, 0)

    async def until_followers(self, root_id: str, count: int) -> None:
        while self.followers(root_id) != count:
            await self._changed.wait()

    async def until_asked_to_stop(self, run_id: str) -> None:
        while run_id not in self._asked_to_stop:
            await self._changed.wait()

    def _follows(self, root_id: str, change: int) -> None:
        self._followers[root_id] = self.followers(root_id) + change
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


@dataclass
class Web:
    """A running application, its parts, and a client for it."""

    served: Served
    parts: WebParts
    client: httpx2.AsyncClient
    database: Database
    library: SqlLibrary
    shelf: SqlShelf
    store: SqlRunStore
    live: LiveRuns
    runs: Observed
    agent: Waiting
    static_dir: Path
    streams: OpenStreams

    async def a_topic(self, title: str = "Fractions") -> tuple[BranchRow, NodeRow]:
        """A branch with its root."""
        branch = await self.library.create_branch(title, user_id=DEFAULT_USER_ID)
        return branch, await self._a_node("root", title, branch)

    async def a_concept(self, title: str, branch: BranchRow, root: NodeRow) -> NodeRow:
        return await self._a_node("concept", title, branch, parent_id=root.id)

    async def _a_node(
        self, type: Literal["root", "concept"], title: str, branch: BranchRow, *, parent_id: str | None = None
    ) -> NodeRow:
        return await self.library.create_node(
            user_id=DEFAULT_USER_ID, type=type, title=title, branch_id=branch.id, parent_id=parent_id, desc=None
        )

    async def an_edge(self, root: NodeRow, source: NodeRow, target: NodeRow) -> None:
        actor = Actor(DEFAULT_USER_ID)
        await self.shelf.edit_graph(root.id, lambda graph: graph.connect(source.id, target.id), actor=actor)

    async def a_run(self, root: NodeRow | None = None) -> Run:
        """A run that has begun: `run_started` is in its log, and nothing more comes by itself."""
        root = root or (await self.a_topic())[1]
        run = (await self.live.start("topic", node=root, user_id=DEFAULT_USER_ID, small=True)).run
        async with aclosing(self.live.follow(run.id)) as batches:
            await anext(batches)
        return run

    async def say(self, run: Run, *events: Event) -> None:
        """Put events into the log of a run, as its agent would."""
        await self.store.append(run, events)

    async def end(self, run: Run) -> Run:
        """Let the agent go: `agent_done` and `run_done` are the last words."""
        self.agent.let_go(run.id)
        return await self.live.ended(run.id)


async def database_ok() -> bool:
    return True


async def status() -> dict[str, JsonValue]:
    return {"version": "0.0", "models": {"topic": "none"}}


@asynccontextmanager
async def serving_web(
    data_dir: Path,
    static_dir: Path,
    *,
    quiet: bool = False,
    listening_on: socket.socket | None = None,
    **changed: object,
) -> AsyncIterator[Web]:
    """The application on a database of its own; `changed` replaces parts of it by name.

    Args:
        quiet: whether nothing is done in the background that a test would count along.
        listening_on: a socket that is bound; by default one of its own on a free port.
    """
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(open_database(an_empty_database(data_dir)))
        bus, dispatcher, agent = MemoryBus(), AsyncioDispatcher(), Waiting()
        store = SqlRunStore(database, bus.publish, dispatcher)
        shelf = SqlShelf(database, bus.publish, split=passages_of)
        files = Files(data_dir / "documents")
        intake = Intake(SqlPile(database, files=files), Extractor(), look_every_s=BEATS_S[quiet])
        library = SqlLibrary(database, bus.publish, files=files, to_read=intake.tell)
        await stack.enter_async_context(intake.running(take_up=False))
        await library.ensure_user(DEFAULT_USER_ID)
        running = Parts(
            store=store,
            bus=bus,
            dispatcher=dispatcher,
            claim=Claim("here", lease_s=30.0, alone=True),
            model=NoModel(),
            agents={spec.name: spec for spec in (agent.spec, *agent.others)},
            choose=_offline,
            gate=ModelGate(per_root=1, most=1),
            observer=Nobody(),
        )
        live = await stack.enter_async_context(live_runs(running, beat_s=BEATS_S[quiet], sweep_s=BEATS_S[quiet]))
        parts = web_parts(database, bus.publish, library, Observed(live), static_dir)
        app = web_app(replace(parts, **changed))  # type: ignore[arg-type]
        served = await stack.enter_async_context(serving(app, listening_on=listening_on))
        client = await stack.enter_async_context(httpx2.AsyncClient(base_url=served.url, timeout=10, verify=False))
        runs = cast(Observed, parts.runs)
        yield Web(
            served=served,
            parts=parts,
            client=client,
            database=database,
            library=library,
            shelf=shelf,
            store=store,
            live=live,
            runs=runs,
            agent=agent,
            static_dir=static_dir,
            streams=parts.streams,
        )
        live.say_goodbye()


def _offline(agent: str, small: bool) -> ModelChoice:
    return ModelChoice("none", None, "none", offline=True)


def web_parts(database: Database, publish: Publish, library: SqlLibrary, runs: Runs, static_dir: Path) -> WebParts:
    return WebParts(
        library=library,
        assessments=SqlAssessments(database),
        contents=SqlContents(database),
        exchange=SqlExchange(database),
        keys=SqlKeys(database, publish),
        progress=SqlProgress(database),
        sources=SqlSources(database),
        talk=SqlTalk(database),
        tutoring=SqlTutoring(database, publish),
        memories=SqlMemories(database, publish),
        reports=SqlReports(database),
        account=SqlAccount(database, files=library.files),
        runs=runs,
        metrics=Metrics(),
        recognised=media_type_of,
        status=status,
        database_ok=database_ok,
        lifespan=lambda _: nullcontext(),
        static_dir=static_dir,
        version="0.0",
        limits=LIMITS,
    )


def media_type_of(filename: str, mime_type: str, content: bytes) -> tuple[str, str]:
    name, kind = recognised(filename, mime_type, content, max_bytes=LIMITS.upload_max_bytes)
    return name, kind.media_type


async def all_read(client: httpx2.AsyncClient, root_id: str) -> list[dict[str, Any]]:
    """The topic's documents, once none of them waits to be read any more."""
    async with asyncio.timeout(30):
        while True:
            found: list[dict[str, Any]] = (await client.get(f"/api/nodes/{root_id}/documents")).json()
            if all(one["extractionStatus"] != "pending" for one in found):
                return found


def a_static_folder(parent: Path) -> Path:
    """A small page with a few files, something hidden, and something outside that must not get out."""
    folder = parent / "static"
    (folder / "fonts").mkdir(parents=True)
    (folder / "index.html").write_text(PAGE)
    (folder / "diagram.html").write_text(PAGE)
    (folder / "app.js").write_text("// " + "the page's script " * 200)
    (folder / "lib.mjs").write_text("export const one = 1;")
    (folder / "fonts" / "a.woff2").write_bytes(b"wOF2")
    (folder / ".hidden.js").write_text("hidden")
    (parent / "outside.js").write_text("outside")
    return folder
