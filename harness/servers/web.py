"""The web application on the real store and the real runs, served, with its dependencies at hand.

The one agent does nothing until the test lets it go: what happens in a run meanwhile, the test says itself.
"""

import asyncio
import socket
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, cast

import httpx2
from pydantic import JsonValue

from harness.agents.waiting_agent import WaitingAgent
from harness.runs.observed_runs import ObservedRuns
from harness.runs.observers import NullObserver
from harness.servers.chosen_settings import ChosenSettings
from harness.servers.engines import open_engines, open_topology_database
from harness.servers.in_process import RunningServer, serve_app
from sprout.accounts.principal import LOCAL_LEARNER
from sprout.documents.anki.package_writer import write_anki_package
from sprout.documents.document_worker import DocumentWorker
from sprout.documents.file_types import detect_file_type
from sprout.documents.question_files.file_reader import QuestionFileReader
from sprout.documents.sandbox.extractor import Extractor
from sprout.documents.splitting.passages import split_into_passages
from sprout.events import Event, NodeRow
from sprout.learning.actor import Actor
from sprout.learning.paths.repository import DEFAULT_USER_ID, BranchRow, PathRepository
from sprout.llm.model_key import ModelKey
from sprout.loop.model import ModelRequest, ReplyPart
from sprout.runs.execution.dependencies import ModelChoice, RunDependencies
from sprout.runs.live_runs import LiveRuns, live_runs
from sprout.runs.run_store import WorkerLease
from sprout.runs.state import Run
from sprout.shared_state import SharedState
from sprout.sign_in import account_repositories
from sprout.store.account.account import SqlAccount
from sprout.store.assessment.answer_keys import SqlAnswerKeys
from sprout.store.assessment.assessments import SqlAssessments
from sprout.store.assessment.misconceptions import SqlMisconceptions
from sprout.store.assessment.progress import SqlProgressRepository
from sprout.store.assessment.reports import SqlReports
from sprout.store.documents.local_storage import LocalStorage
from sprout.store.documents.queue import SqlDocumentQueue
from sprout.store.documents.sources import SqlSources
from sprout.store.engine.database import Database
from sprout.store.lessons.conversations import SqlConversations
from sprout.store.lessons.memories import SqlMemories
from sprout.store.lessons.repository import SqlLessonRepository
from sprout.store.paths.contents import SqlContents
from sprout.store.paths.exchange import SqlPathExchange
from sprout.store.paths.left_out import SqlLeftOut
from sprout.store.paths.paths import SqlPaths
from sprout.store.paths.question_sets import SqlQuestionSets
from sprout.store.paths.repository import SqlPathRepository
from sprout.store.placement.repository import SqlPlacements
from sprout.store.reviews.flashcards import SqlFlashcards
from sprout.store.reviews.question_imports import SqlQuestionImports
from sprout.store.reviews.repository import SqlReviews
from sprout.store.runs.repository import SqlRunStore
from sprout.telemetry.metrics import Metrics
from sprout.web.http.authentication import always
from sprout.web.http.dependencies import (
    PageFiles,
    PathRepositories,
    RequestPolicy,
    Runs,
    ServerProbes,
    TeachingRepositories,
    WebDependencies,
)
from sprout.web.http.limits import LOCAL_ORIGINS, WebLimits
from sprout.web.http.open_streams import OpenStreams
from sprout.web.routes import web_app

PAGE = '<!doctype html><script type="importmap" nonce="{{nonce}}">{}</script><script src="/static/{{version}}/app.js">'
BACKGROUND_INTERVAL_S = {
    False: 10.0,
    True: 3_600.0,
}  # how often something is done in the background, by whether it is quiet
WEB_LIMITS = WebLimits(
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


@dataclass
class Web:
    """A running application, its parts, and a client for it."""

    served: RunningServer
    dependencies: WebDependencies
    client: httpx2.AsyncClient
    database: Database
    paths: SqlPaths
    graphs: SqlPathRepository
    store: SqlRunStore
    live: LiveRuns
    runs: ObservedRuns
    agent: WaitingAgent
    static_dir: Path
    streams: OpenStreams

    async def a_topic(self, title: str = "Fractions") -> tuple[BranchRow, NodeRow]:
        """A branch with its root."""
        branch = await self.paths.create_branch(title, user_id=DEFAULT_USER_ID)
        return branch, await self._a_node("root", title, branch)

    async def a_concept(self, title: str, branch: BranchRow, root: NodeRow) -> NodeRow:
        return await self._a_node("concept", title, branch, parent_id=root.id)

    async def _a_node(
        self, type: Literal["root", "concept"], title: str, branch: BranchRow, *, parent_id: str | None = None
    ) -> NodeRow:
        return await self.paths.create_node(
            user_id=DEFAULT_USER_ID, type=type, title=title, branch_id=branch.id, parent_id=parent_id, desc=None
        )

    async def an_edge(self, root: NodeRow, source: NodeRow, target: NodeRow) -> None:
        actor = Actor(DEFAULT_USER_ID)
        await self.graphs.edit_graph(root.id, lambda graph: graph.connect(source.id, target.id), actor=actor)

    async def a_run(self, root: NodeRow | None = None) -> Run:
        """A run that has begun: `run_started` is in its log, and nothing more comes by itself."""
        root = root or (await self.a_topic())[1]
        run = (await self.live.start("topic", node=root, user_id=DEFAULT_USER_ID, small=True)).run
        async with aclosing(self.live.follow(run.id)) as batches:
            await anext(batches)
        return await self.store.run(run.id)

    async def append_events(self, run: Run, *events: Event) -> None:
        """Put events into the log of a run, as its agent would."""
        await self.store.append(run, events)

    async def end(self, run: Run) -> Run:
        """Let the agent go: `agent_done` and `run_done` are the last words."""
        self.agent.finish(run.id)
        return await self.live.wait_until_released(run.id)


async def database_ok() -> bool:
    return True


async def status(_: str) -> dict[str, JsonValue]:
    return {"version": "0.0", "models": {"topic": "none"}}


@asynccontextmanager
async def serving_web(
    data_dir: Path,
    static_dir: Path,
    *,
    quiet: bool = False,
    listening_on: socket.socket | None = None,
    limits: WebLimits = WEB_LIMITS,
    cors_origins: tuple[str, ...] = LOCAL_ORIGINS,
    served_paths: PathRepository | None = None,
    database_probe: Callable[[], Awaitable[bool]] = database_ok,
) -> AsyncIterator[Web]:
    """The application on a database of its own.

    Args:
        served_paths: the paths that requests see; by default those of the database.
        quiet: whether background work, which a test would count along, is off.
        listening_on: a socket that is bound; by default one of its own on a free port.
    """
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(open_topology_database(data_dir))
        files = LocalStorage(data_dir / "documents")
        intake = DocumentWorker(
            SqlDocumentQueue(database, storage=files), Extractor(), poll_interval_s=BACKGROUND_INTERVAL_S[quiet]
        )
        engines = await stack.enter_async_context(open_engines(database, per_root=1, limit=1, document_worker=intake))
        bus, agent = engines.shared.bus, WaitingAgent()
        store = SqlRunStore(database, bus.publish, engines.dispatcher)
        repositories = SqlPathRepository(database, bus.publish, split=split_into_passages)
        paths = SqlPaths(database, bus.publish, storage=files, on_document_added=engines.on_document_added)
        await stack.enter_async_context(intake.running(process_backlog=False))
        await paths.ensure_user(DEFAULT_USER_ID)
        running = RunDependencies(
            store=store,
            bus=bus,
            dispatcher=engines.dispatcher,
            lease=WorkerLease("here", lease_s=30.0, exclusive=True),
            model=NoModel(),
            agents={spec.name: spec for spec in (agent.spec, *agent.others)},
            choose_model=_offline,
            gate=engines.shared.gate,
            observer=NullObserver(),
            claims_new_runs=engines.claims_new_runs,
        )
        live = await stack.enter_async_context(
            live_runs(running, heartbeat_s=BACKGROUND_INTERVAL_S[quiet], sweep_s=BACKGROUND_INTERVAL_S[quiet])
        )
        parts = web_parts(database, engines.shared, paths, ObservedRuns(live), static_dir)
        parts = replace(
            parts,
            path_repositories=replace(parts.path_repositories, paths=served_paths or paths),
            server_probes=replace(parts.server_probes, database_ok=database_probe),
            policy=replace(parts.policy, limits=limits),
        )
        app = web_app(parts, cors_origins=cors_origins)
        served = await stack.enter_async_context(serve_app(app, listening_on=listening_on))
        client = await stack.enter_async_context(httpx2.AsyncClient(base_url=served.url, timeout=10, verify=False))
        runs = cast(ObservedRuns, parts.runs)
        yield Web(
            served=served,
            dependencies=parts,
            client=client,
            database=database,
            paths=paths,
            graphs=repositories,
            store=store,
            live=live,
            runs=runs,
            agent=agent,
            static_dir=static_dir,
            streams=parts.policy.open_streams,
        )
        live.begin_shutdown()


def _offline(agent: str, small: bool) -> ModelChoice:
    return ModelChoice("none", None, "none", offline=True)


def web_parts(
    database: Database, shared: SharedState, paths: SqlPaths, runs: Runs, static_dir: Path
) -> WebDependencies:
    metrics, publish = Metrics(), shared.bus.publish

    async def exposition(accept: str) -> tuple[bytes, str]:
        return metrics.exposition(accept)

    return WebDependencies(
        path_repositories=PathRepositories(
            paths=paths,
            contents=SqlContents(database),
            exchange=SqlPathExchange(database),
            sources=SqlSources(database),
            left_out=SqlLeftOut(database, publish),
            progress=SqlProgressRepository(database),
            question_sets=SqlQuestionSets(database),
        ),
        teaching_repositories=TeachingRepositories(
            assessments=SqlAssessments(database),
            answer_keys=SqlAnswerKeys(database, publish),
            conversations=SqlConversations(database),
            lessons=SqlLessonRepository(database, publish),
            memories=SqlMemories(database, publish),
            reports=SqlReports(database),
            misconceptions=SqlMisconceptions(database),
            reviews=SqlReviews(database),
            placements=SqlPlacements(database),
            flashcards=SqlFlashcards(database),
            question_imports=SqlQuestionImports(database),
        ),
        account=SqlAccount(database, storage=paths.storage),
        account_repositories=account_repositories(ChosenSettings.model_validate({}), database, None),
        runs=runs,
        server_probes=ServerProbes(status, database_ok, exposition),
        model_key=ModelKey(static_dir.parent, None, None, many_processes=False),
        page_files=PageFiles(static_dir, version="0.0"),
        detect_media_type=media_type_of,
        write_flashcards=write_anki_package,
        read_question_file=QuestionFileReader().read,
        policy=RequestPolicy(
            always(LOCAL_LEARNER),
            WEB_LIMITS,
            open_streams=OpenStreams(metrics.track_stream, shared.learner_streams),
            take_token=shared.take_token,
        ),
    )


def media_type_of(filename: str, mime_type: str, content: bytes) -> tuple[str, str]:
    name, kind = detect_file_type(filename, mime_type, content, max_bytes=WEB_LIMITS.upload_max_bytes)
    return name, kind.media_type


async def until_processed(client: httpx2.AsyncClient, root_id: str) -> list[dict[str, Any]]:
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
