"""Round trips to PostgreSQL: each is a wait and work for both sides, and a learner waits for about twenty of them."""

from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial

import pytest
from sqlalchemy import func, text
from sqlmodel import select

from harness.builders import CLAIM, RecordingDispatcher, a_reasoning_event, a_run, a_topic, start_run
from sprout.runs.run_store import CallBegun, CallEnded, Checkpoint, Entry
from sprout.runs.state import Run
from sprout.store.documents.local_storage import LocalStorage
from sprout.store.engine.database import Database, open_database
from sprout.store.paths.paths import SqlPaths
from sprout.store.runs.model_probes import SqlModelProbes
from sprout.store.runs.repository import SqlRunStore
from sprout.store.schema.columns import table_of
from sprout.store.schema.run_tables import RunEvent
from tests.round_trips import trace_protocol

AROUND = 2  # the begin and the commit of a transaction
ADMIT = AROUND + 4  # the node's owner, the lane's lock and its head, the row; a job and a quota are not counted here
CLAIM_RUN = AROUND + 6  # the locks of lanes and roots, the lane's head, its state, the numbers and the row of the event
MANY = 10

_events = table_of(RunEvent)


@pytest.fixture
async def database(postgres_url: str) -> AsyncIterator[Database]:
    async with open_database(postgres_url) as database:
        yield database


@pytest.fixture
async def runs(database: Database) -> SqlRunStore:
    store = SqlRunStore(database, lambda _: None, RecordingDispatcher())
    await store.acquire_lease(CLAIM)
    return store


@pytest.fixture
def paths(database: Database, tmp_path_factory: pytest.TempPathFactory) -> SqlPaths:
    storage = LocalStorage(tmp_path_factory.mktemp("documents"))
    return SqlPaths(database, lambda _: None, storage=storage)


@pytest.fixture
async def run(runs: SqlRunStore, paths: SqlPaths) -> Run:
    return await start_run(runs, a_run(await a_topic(paths)))


async def test_a_read_of_one_statement_is_one_round_trip_and_one_of_several_a_transaction(database: Database) -> None:
    with trace_protocol(database) as single:
        await database.fetch(text("select 1"))
    with trace_protocol(database) as several:
        await database.read_tx(lambda connection: [connection.execute(text(f"select {n}")).all() for n in range(3)])
    assert (single.round_trips, several.round_trips) == (1, AROUND + 3)


async def test_what_is_read_again_and_again_is_parsed_no_more(database: Database) -> None:
    wanted = select(func.count()).select_from(_events)

    async def read() -> None:
        await database.fetch(wanted)
        await database.read_tx(lambda connection: connection.execute(wanted).all())
        async with database.open_read_session() as session:
            (await session.exec(wanted)).all()

    for _ in range(MANY):
        await read()
    with trace_protocol(database) as again:
        await read()
    assert again.round_trips == 1 + 2 * (AROUND + 1)
    assert again.parses == 0


async def test_reads_write_nothing_with_a_transaction_or_without(database: Database) -> None:
    write = text("delete from runs")
    for attempt in (database.fetch(write), database.read_tx(lambda connection: connection.execute(write))):
        with pytest.raises(Exception, match="read-only transaction"):
            await attempt


async def test_a_snapshot_does_not_see_what_is_written_meanwhile(
    database: Database, runs: SqlRunStore, run: Run
) -> None:
    wanted = select(func.count()).select_from(_events)
    async with database.open_read_connection() as connection:
        before = (await connection.execute(wanted)).scalar_one()
        await runs.append(run, [a_reasoning_event()])
        assert (await connection.execute(wanted)).scalar_one() == before
    assert (await database.fetch(wanted))[0][0] == before + 1


async def test_between_a_request_and_its_first_event_there_are_so_many_round_trips(
    database: Database, runs: SqlRunStore, paths: SqlPaths
) -> None:
    topic = await a_topic(paths)
    run = a_run(topic)
    steps: dict[str, tuple[Callable[[], Awaitable[object]], int]] = {
        "node": (partial(paths.node, topic.id, user_id=run.user_id), 1),
        "probe": (partial(SqlModelProbes(database, ["here"]).of, "model"), 1),
        "admission": (partial(runs.admit, run), ADMIT),
        "claim": (partial(runs.claim, run.lane, CLAIM), CLAIM_RUN),
        "log": (partial(runs.events, run.id), 1),
        "run": (partial(runs.run, run.id), 1),
    }
    counted = {}
    for what, (step, _) in steps.items():
        with trace_protocol(database) as trace:
            await step()
        counted[what] = trace.round_trips
    assert counted == {what: most for what, (_, most) in steps.items()}


async def test_a_stored_step_is_a_transaction_with_a_statement_for_each_sort_of_entry(
    database: Database, runs: SqlRunStore, run: Run
) -> None:
    event, call = a_reasoning_event(), CallBegun("c", "look", "{}", "read")
    ended, checkpoint = CallEnded("c", "found", is_error=False, attempts=1), Checkpoint("tool_result", 1, "[]")
    steps: list[tuple[list[Entry], int]] = [([event], 2), ([event, call], 3), ([event, ended, checkpoint], 4)]
    for entries, statements in steps:
        with trace_protocol(database) as trace:
            await runs.append(run, entries)
        assert trace.round_trips == AROUND + statements
