"""LiveRuns on a real database and the offline model server, with a small agent that grows concepts."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from sprout.agents.agent import AgentSpec, Brief, Job, Team
from sprout.documents.passages import passages_of
from sprout.engines.asyncio_dispatcher import AsyncioDispatcher
from sprout.engines.memory_bus import MemoryBus
from sprout.events import AgentDone, NodeRow, Usage
from sprout.ids import new_id
from sprout.learning.paths.library import DEFAULT_USER_ID
from sprout.llm.claude import Claude
from sprout.loop.model import Message, Text, ToolUse
from sprout.loop.tools import Effect, Tool, tool
from sprout.loop.turn import TurnResult
from sprout.offline.app import OfflineModel
from sprout.offline.pace import Pace
from sprout.offline.server import OfflineServer, running_offline_server
from sprout.runs.bus import News
from sprout.runs.dispatcher import Dispatcher
from sprout.runs.gate import ModelGate
from sprout.runs.live import LiveRuns, live_runs
from sprout.runs.log import Claim, Logged, OnBusy
from sprout.runs.observer import Nobody, Observer
from sprout.runs.parts import ModelChoice, Parts
from sprout.runs.state import Run, RunState
from sprout.store.database import Database
from sprout.store.files import Files
from sprout.store.library import SqlLibrary
from sprout.store.log import Publish
from sprout.store.runs import SqlRunStore
from sprout.store.shelf import SqlShelf
from tests.builders import a_topic
from tests.loop.played import QUICK, claude_at

LONGEST_S = 20.0

Hook = Callable[[], Awaitable[None]]
StoreMaker = Callable[[Database, Publish, Dispatcher], SqlRunStore]


@dataclass(frozen=True, slots=True)
class Brain:
    """The model's server, and the model as Sprout knows it."""

    server: OfflineServer
    model: Claude


@asynccontextmanager
async def thinking(model: OfflineModel, *, pace: Pace | None = None) -> AsyncIterator[Brain]:
    async with running_offline_server(model, pace=pace) as server, claude_at(server) as claude:
        yield Brain(server, claude)


@dataclass
class Living:
    runs: LiveRuns
    store: SqlRunStore
    shelf: SqlShelf
    library: SqlLibrary
    root: NodeRow
    brain: Brain
    parts: Parts
    user_id: str = DEFAULT_USER_ID

    @property
    def server(self) -> OfflineServer:
        return self.brain.server

    async def started(
        self, agent: str = "topic", *, node: NodeRow | None = None, on_busy: OnBusy = OnBusy.ATTACH
    ) -> str:
        """The id of a new run."""
        admission = await self.runs.start(agent, node=node or self.root, user_id=self.user_id, on_busy=on_busy)
        assert admission.verdict == "new"
        return admission.run.id

    async def waiting(self, run_id: str) -> Run:
        """The run once it waits for a person, and nobody carries it."""
        await self.until(run_id, "waiting_on_human")
        run = await self.runs.ended(run_id)
        assert run.state is RunState.WAITING_ON_HUMAN
        return run

    async def until(self, run_id: str, kind: str, *, times: int = 1) -> None:
        """Come back when the run's log has that many events of the kind (of text in flight: when some was told)."""
        async with asyncio.timeout(LONGEST_S), aclosing(self.runs.follow(run_id)) as batches:
            async for batch in batches:
                times -= sum(one.kind == kind for one in batch)
                if times <= 0:
                    return
        raise AssertionError(f"the run has ended without {kind}")

    async def told(self, root_id: str, *, after: int = 0) -> list[News]:
        """Everything that a reader is told, to the end of the run."""
        return [news async for batch in self.runs.follow(root_id, after=after) for news in batch]

    async def logged(self, root_id: str) -> list[Logged]:
        return await self.store.events(root_id, limit=10_000)


def grower(shelf: SqlShelf, before_save: Hook | None = None) -> AgentSpec:
    """An agent named "topic" that saves concepts, and hands each one to a child named "subconcept"."""

    async def brief(job: Job, team: Team) -> Brief:
        @tool(effect=Effect.WRITE, repeatable=True, stored=True)
        async def save(title: str, call: ToolUse) -> str:
            """Save a concept."""
            if before_save is not None:
                await before_save()
            edit = await shelf.edit_graph(
                job.node_id,
                lambda graph: graph.add(title, None, datetime.now(UTC)),
                actor=job.actor(call.id),
            )
            assert edit.node is not None
            await team.start("subconcept", node_id=edit.node.id, label=f"subconcept_bootstrap:{title}")
            return f"saved {title}"

        async def begin() -> None:
            nodes, _ = await shelf.children(job.node_id)
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
async def living(
    database: Database,
    model: OfflineModel,
    folder: Path,
    *,
    pace: Pace | None = None,
    before_save: Hook | None = None,
    observer: Observer = Nobody(),
    root: NodeRow | None = None,
    resume: bool = True,
    agents: Sequence[AgentSpec] = (),
    child: AgentSpec | None = None,
    brain: Brain | None = None,
    store_like: StoreMaker = SqlRunStore,
    gate: ModelGate | None = None,
    lease_s: float = 30.0,
    beat_s: float = 10.0,
    sweep_s: float = 30.0,
    alone: bool = True,
    take_up: bool = True,
) -> AsyncIterator[Living]:
    """A server's life, from its start to its stop.

    Args:
        child: who works on what the growing agent saves, where there are no other `agents`.
        root: a topic from before; a new one without it.
        brain: the model's server, where it is to outlive this; `model` is not asked then.
        store_like: makes the store that the carrier writes to.
    """
    async with AsyncExitStack() as stack:
        bus, dispatcher = MemoryBus(), AsyncioDispatcher()
        store = store_like(database, bus.publish, dispatcher)
        shelf = SqlShelf(database, bus.publish, split=passages_of)
        library = SqlLibrary(database, bus.publish, files=Files(folder))
        root = root or await a_topic(library)
        if brain is None:
            brain = await stack.enter_async_context(thinking(model, pace=pace))
        parts = Parts(
            store=store,
            bus=bus,
            dispatcher=dispatcher,
            claim=Claim(new_id(), lease_s, alone=alone, resume=resume),
            model=brain.model,
            agents={agent.name: agent for agent in agents or (grower(shelf, before_save), child or child_agent())},
            choose=lambda agent, small: ModelChoice("sprout-offline", None, "sprout-offline", True),
            gate=gate or ModelGate(per_root=10, most=32),
            observer=observer,
        )
        runs = await stack.enter_async_context(live_runs(parts, beat_s=beat_s, sweep_s=sweep_s, take_up=take_up))
        yield Living(runs, store, shelf, library, root, brain, parts)
