"""LiveRuns on a real database and the offline model server, with a small agent that grows concepts."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from harness.builders import a_topic
from harness.loop.scripted_turn import QUICK, claude_at
from harness.runs.observers import NullObserver
from harness.servers.engines import PLACES, open_engines
from sprout.agents.agent import AgentSpec, Brief, Job, Team
from sprout.documents.splitting.passages import split_into_passages
from sprout.events import AgentDone, NodeRow, Usage
from sprout.ids import new_id
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.llm.claude import Claude
from sprout.loop.model import Message, Text, ToolUse
from sprout.loop.tools import Effect, Tool, tool
from sprout.loop.turn import TurnResult
from sprout.offline.api.messages_api import OfflineModel
from sprout.offline.pace import Pace
from sprout.offline.server import OfflineServer, running_offline_server
from sprout.runs.dispatcher import Dispatcher
from sprout.runs.execution.dependencies import ModelChoice, RunDependencies
from sprout.runs.execution.memory_flush import LearnerMemories
from sprout.runs.execution.observer import Observer
from sprout.runs.live_runs import LiveRuns, live_runs
from sprout.runs.model_gate import ModelGate
from sprout.runs.model_probes import ModelProbes
from sprout.runs.run_store import OnBusy, StoredEvent, WorkerLease
from sprout.runs.state import Run, RunState
from sprout.runs.streaming.bus import BusMessage
from sprout.store.documents.local_storage import LocalStorage
from sprout.store.engine.database import Database
from sprout.store.paths.paths import SqlPaths
from sprout.store.paths.repository import SqlPathRepository
from sprout.store.runs.event_log import Publish
from sprout.store.runs.repository import SqlRunStore

LONGEST_S = 20.0

Hook = Callable[[], Awaitable[None]]
StoreMaker = Callable[[Database, Publish, Dispatcher], SqlRunStore]


@dataclass(frozen=True, slots=True)
class ModelBackend:
    """The model's server, and the model as Sprout knows it."""

    server: OfflineServer
    model: Claude


@asynccontextmanager
async def model_backend(model: OfflineModel, *, pace: Pace | None = None) -> AsyncIterator[ModelBackend]:
    async with running_offline_server(model, pace=pace) as server, claude_at(server) as claude:
        yield ModelBackend(server, claude)


@dataclass
class LiveApp:
    runs: LiveRuns
    store: SqlRunStore
    repositories: SqlPathRepository
    paths: SqlPaths
    root: NodeRow
    backend: ModelBackend
    parts: RunDependencies
    user_id: str = DEFAULT_USER_ID

    @property
    def server(self) -> OfflineServer:
        return self.backend.server

    async def start(self, agent: str = "topic", *, node: NodeRow | None = None, on_busy: OnBusy = OnBusy.ATTACH) -> str:
        """The id of a new run."""
        admission = await self.runs.start(agent, node=node or self.root, user_id=self.user_id, on_busy=on_busy)
        assert admission.outcome == "new"
        return admission.run.id

    async def wait_for_question(self, run_id: str) -> Run:
        """The run once it waits for a person, and nobody carries it."""
        await self.wait_for_event(run_id, "waiting_on_human")
        run = await self.runs.wait_until_released(run_id)
        assert run.state is RunState.WAITING_ON_HUMAN
        return run

    def stand_still(self) -> None:
        """Take nothing more, as a process that is frozen or gone."""
        self.parts.dispatcher.stop()

    async def wait_until_released(self, run_id: str) -> Run:
        """The run once a worker had it, and its task in this process is done."""
        await self.wait_for_event(run_id, "run_started")
        return await self.runs.wait_until_released(run_id)

    async def wait_for_event(self, run_id: str, kind: str, *, times: int = 1) -> None:
        """Come back when the run's log has that many events of the kind (of text in flight: when some was told)."""
        async with asyncio.timeout(LONGEST_S), aclosing(self.runs.follow(run_id)) as batches:
            async for batch in batches:
                times -= sum(one.kind == kind for one in batch)
                if times <= 0:
                    return
        raise AssertionError(f"the run has ended without {kind}")

    async def streamed(self, root_id: str, *, after: int = 0) -> list[BusMessage]:
        """Everything that a reader is told, to the end of the run."""
        return [message async for batch in self.runs.follow(root_id, after=after) for message in batch]

    async def stored_events(self, root_id: str) -> list[StoredEvent]:
        return await self.store.events(root_id, limit=10_000)


def path_agent(repositories: SqlPathRepository, before_save: Hook | None = None) -> AgentSpec:
    """An agent named "topic" that saves concepts, and hands each one to a child named "subconcept"."""

    async def brief(job: Job, team: Team) -> Brief:
        @tool(effect=Effect.WRITE, repeatable=True, stored=True)
        async def save(title: str, call: ToolUse) -> str:
            """Save a concept."""
            if before_save is not None:
                await before_save()
            edit = await repositories.edit_graph(
                job.node_id,
                lambda graph: graph.add(title, None, datetime.now(UTC)),
                actor=job.actor(call.id),
            )
            assert edit.node is not None
            await team.start("subconcept", node_id=edit.node.id, label=f"subconcept_bootstrap:{title}")
            return f"saved {title}"

        async def begin() -> None:
            nodes, _ = await repositories.children(job.node_id)
            for node in nodes:
                await team.start("subconcept", node_id=node.id, label=f"subconcept_bootstrap:{node.title}")

        return replace(_brief([save]), begin=begin)

    return AgentSpec("topic", "topic", QUICK, brief)


def child_agent() -> AgentSpec:
    async def brief(job: Job, team: Team) -> Brief:
        return replace(_brief([]), system="You are a child.")

    return AgentSpec("subconcept", "concept", QUICK, brief)


def _brief(tools: Sequence[Tool]) -> Brief:
    async def finish(result: TurnResult | None) -> AgentDone:
        return AgentDone(reason="", usage=Usage(), rationale=result.text if result else None)

    return Brief(system="You grow.", messages=(Message("user", (Text("Grow."),)),), tools=tuple(tools), finish=finish)


@asynccontextmanager
async def live_app(
    database: Database,
    model: OfflineModel,
    folder: Path,
    *,
    pace: Pace | None = None,
    before_save: Hook | None = None,
    observer: Observer = NullObserver(),
    root: NodeRow | None = None,
    auto_resume: bool = True,
    agents: Sequence[AgentSpec] = (),
    child: AgentSpec | None = None,
    backend: ModelBackend | None = None,
    store_like: StoreMaker = SqlRunStore,
    gate: ModelGate | None = None,
    places: int = PLACES,
    memories: LearnerMemories | None = None,
    lease_s: float = 30.0,
    heartbeat_s: float = 60.0,
    sweep_s: float = 30.0,
    exclusive: bool = True,
    resume_orphans: bool = True,
    probes: Callable[[Database], ModelProbes] | None = None,
) -> AsyncIterator[LiveApp]:
    """A server's life, from its start to its stop.

    Args:
        child: who works on what the growing agent saves, where there are no other `agents`.
        root: a topic from before; a new one without it.
        backend: a model server that outlives this; `model` is not used then.
        store_like: makes the store that the worker writes to.
        places: how many runs are carried at once, on the scaled topology.
        probes: where the probes of models are stored, if runs go by them.
        heartbeat_s: by default longer than a test: a life that stands still renews no lease.
        exclusive: whether workers from before are known to be gone, as those of a locked file are.
    """
    async with AsyncExitStack() as stack:
        engines = await stack.enter_async_context(open_engines(database, places=places))
        bus, dispatcher = engines.shared.bus, engines.dispatcher
        store = store_like(database, bus.publish, dispatcher)
        repositories = SqlPathRepository(database, bus.publish, split=split_into_passages)
        paths = SqlPaths(database, bus.publish, storage=LocalStorage(folder))
        root = root or await a_topic(paths)
        if backend is None:
            backend = await stack.enter_async_context(model_backend(model, pace=pace))
        parts = RunDependencies(
            store=store,
            bus=bus,
            dispatcher=dispatcher,
            lease=WorkerLease(new_id(), lease_s, exclusive=exclusive, auto_resume=auto_resume),
            model=backend.model,
            agents={
                agent.name: agent for agent in agents or (path_agent(repositories, before_save), child or child_agent())
            },
            choose_model=lambda agent, small: ModelChoice("sprout-offline", None, "sprout-offline", True),
            gate=gate or engines.shared.gate,
            observer=observer,
            probes=None if probes is None else probes(database),
            memories=memories,
            claims_new_runs=engines.claims_new_runs,
        )
        runs = await stack.enter_async_context(
            live_runs(parts, heartbeat_s=heartbeat_s, sweep_s=sweep_s, resume=resume_orphans)
        )
        yield LiveApp(runs, store, repositories, paths, root, backend, parts)
