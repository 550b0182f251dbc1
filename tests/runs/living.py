"""LiveRuns on a real database and the offline model server, with a small agent that grows concepts."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from sprout.agents.agent import AgentSpec, Brief, Job, Team
from sprout.documents.passages import passages_of
from sprout.engines.memory_bus import MemoryBus
from sprout.events import AgentDone, NodeRow, Usage
from sprout.learning.library import DEFAULT_USER_ID
from sprout.loop.model import Message, Text, ToolUse
from sprout.loop.tools import Effect, Tool, tool
from sprout.loop.turn import TurnResult
from sprout.offline.app import OfflineModel
from sprout.offline.pace import Pace
from sprout.offline.server import OfflineServer, running_offline_server
from sprout.runs.bus import News
from sprout.runs.gate import ModelGate
from sprout.runs.live import LiveRuns, ModelChoice, live_runs
from sprout.runs.log import Logged
from sprout.runs.observer import Nobody, Observer
from sprout.store.database import Database
from sprout.store.files import Files
from sprout.store.library import SqlLibrary
from sprout.store.runs import SqlRunStore
from sprout.store.shelf import SqlShelf
from tests.builders import a_topic
from tests.loop.played import QUICK, claude_at

Hook = Callable[[], Awaitable[None]]


@dataclass
class Living:
    runs: LiveRuns
    store: SqlRunStore
    shelf: SqlShelf
    library: SqlLibrary
    root: NodeRow
    server: OfflineServer
    user_id: str = DEFAULT_USER_ID
    seen: list[str] = field(default_factory=list)

    async def told(self, root_id: str, *, after: int = 0) -> list[News]:
        """Everything that a reader is told, to the end of the run."""
        return [news async for batch in self.runs.follow(root_id, after=after) for news in batch]

    async def logged(self, root_id: str) -> list[Logged]:
        return await self.store.events(root_id, limit=10_000)


def grower(shelf: SqlShelf, before_save: Hook | None = None) -> AgentSpec:
    """An agent named "topic" that saves concepts, and hands each one to a child named "subconcept"."""

    async def brief(job: Job, team: Team) -> Brief:
        @tool(effect=Effect.WRITE, repeatable=True)
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

        return _brief([save])

    return AgentSpec("topic", "topic", QUICK, brief)


def child_agent() -> AgentSpec:
    async def brief(job: Job, team: Team) -> Brief:
        return _brief([])

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
) -> AsyncIterator[Living]:
    async with AsyncExitStack() as stack:
        bus = MemoryBus()
        store, shelf = SqlRunStore(database, bus.publish), SqlShelf(database, bus.publish, split=passages_of)
        library = SqlLibrary(database, bus.publish, files=Files(folder))
        root = await a_topic(library)
        server = await stack.enter_async_context(running_offline_server(model, pace=pace))
        claude = await stack.enter_async_context(claude_at(server))
        agents = [grower(shelf, before_save), child_agent()]
        runs = await stack.enter_async_context(
            live_runs(
                store,
                bus,
                claude,
                agents,
                lambda agent, small: ModelChoice("sprout-offline", None, "sprout-offline", True),
                ModelGate(per_root=10, most=32),
                observer,
            )
        )
        yield Living(runs, store, shelf, library, root, server)
