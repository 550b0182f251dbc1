"""Engines of the topology that the tests run on: those of one process, or those that several processes share."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from harness.database.empty_sqlite import create_empty_database
from harness.database.postgres import pooled_postgres
from harness.servers.chosen_settings import ChosenSettings
from harness.servers.redis import REDIS_URL, redis_prefix
from harness.services import SCALED, require
from sprout.documents.document_worker import DocumentWorker
from sprout.engines.asyncio_dispatcher import AsyncioDispatcher
from sprout.engines.memory_bus import MemoryBus
from sprout.engines.procrastinate_dispatcher import ProcrastinateDispatcher
from sprout.engines.redis_bus import open_redis_bus
from sprout.engines.redis_writer import MAX_WAITING
from sprout.runs.dispatcher import Dispatcher
from sprout.runs.streaming.bus import EventBus
from sprout.shared_state import SharedState, open_shared_state
from sprout.store.engine.database import Database, open_database
from sprout.store.engine.transaction import WriteTransaction

PLACES = 40


@dataclass(frozen=True, slots=True)
class Engines:
    """Engines that runs and streams work with.

    Args:
        on_document_added: called in the transaction that adds one.
        claims_new_runs: whether the process that starts a run has it at once; otherwise a job brings it.
    """

    shared: SharedState
    dispatcher: Dispatcher
    on_document_added: Callable[[WriteTransaction], None]
    claims_new_runs: bool


@asynccontextmanager
async def open_topology_database(folder: Path) -> AsyncIterator[Database]:
    """An empty database of the topology; the file is in the folder where it is one."""
    with pooled_postgres() if SCALED else nullcontext(create_empty_database(folder)) as url:
        async with open_database(url) as database:
            yield database


@asynccontextmanager
async def open_engines(
    database: Database,
    *,
    per_root: int = 10,
    limit: int = 32,
    places: int = PLACES,
    document_worker: DocumentWorker | None = None,
) -> AsyncIterator[Engines]:
    """The engines of a process on this database.

    Args:
        per_root, limit: of model calls.
        places: how many runs a worker carries, where there are workers.
        document_worker: reads the documents that are added.
    """
    timing = {"children": per_root, "model_calls": limit}
    async with AsyncExitStack() as stack:
        if not SCALED:
            shared = await stack.enter_async_context(
                open_shared_state(ChosenSettings.model_validate({"runs": timing, "redis_url": None}))
            )
            wake = document_worker.wake_after if document_worker else _ignore
            yield Engines(shared, AsyncioDispatcher(), wake, claims_new_runs=True)
            return
        require("redis")
        settings = ChosenSettings.model_validate({"runs": timing, "redis_url": REDIS_URL})
        prefix = await stack.enter_async_context(redis_prefix())
        shared = await stack.enter_async_context(open_shared_state(settings, prefix=prefix))
        dispatcher = ProcrastinateDispatcher(
            await database_url(database),
            places=places,
            on_document=document_worker.wake if document_worker else _nothing,
        )
        yield Engines(shared, dispatcher, dispatcher.announce_document, claims_new_runs=False)


@asynccontextmanager
async def open_bus(*, max_waiting: int = MAX_WAITING) -> AsyncIterator[EventBus]:
    """A bus of the topology with no other users.

    Args:
        max_waiting: how many messages a reader may be behind.
    """
    if not SCALED:
        yield MemoryBus(max_waiting=max_waiting)
        return
    require("redis")
    async with redis_prefix() as prefix, open_redis_bus(REDIS_URL, prefix=prefix, max_waiting=max_waiting) as bus:
        yield bus


async def database_url(database: Database) -> str:
    """The URL of an open PostgreSQL database, as libpq takes it."""
    url = await database.read_tx(lambda connection: connection.engine.url)
    return url.set(drivername="postgresql").render_as_string(hide_password=False)


def _ignore(_: WriteTransaction) -> None:
    pass


def _nothing() -> None:
    pass
