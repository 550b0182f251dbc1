"""Partitions of the event log on PostgreSQL: made ahead, watched, and dropped when all their runs are old."""

import logging
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from sqlalchemy import text

from harness.builders import CLAIM, RecordingDispatcher, a_reasoning_event, a_run, a_topic, end_run, start_run
from sprout.clock import utc_now
from sprout.errors import DatabaseBusy
from sprout.ids import new_id
from sprout.runs.run_store import CallBegun, Checkpoint, StoredEvent
from sprout.runs.state import Run
from sprout.store.documents.local_storage import LocalStorage
from sprout.store.engine.database import Database, open_database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.paths.paths import SqlPaths
from sprout.store.runs.repository import SqlRunStore
from sprout.store.schema.partitions import (
    DEFAULT,
    WEEK,
    WEEKS_AHEAD,
    existing_weeks,
    first_id,
    make_partitions,
    partition_name,
    week_of,
)
from tests.store.conftest import collect


@pytest.fixture
async def database(own_postgres_url: str) -> AsyncIterator[Database]:
    async with open_database(own_postgres_url) as database:
        yield database


@pytest.fixture
def paths(database: Database, published: list[StoredEvent], tmp_path: Any) -> SqlPaths:
    return SqlPaths(database, partial(collect, published), storage=LocalStorage(tmp_path))


@pytest.fixture
async def runs(database: Database, published: list[StoredEvent]) -> SqlRunStore:
    store = SqlRunStore(database, partial(collect, published), RecordingDispatcher())
    await store.acquire_lease(CLAIM)
    return store


def test_ids_sort_into_their_week() -> None:
    moment = datetime(2026, 11, 25, 23, 59, tzinfo=UTC)
    assert week_of(moment) == date(2026, 11, 23) == week_of(datetime(2026, 11, 23, tzinfo=UTC))
    this_week = week_of(utc_now())
    assert first_id(this_week) < new_id() < first_id(this_week + WEEK)
    assert partition_name(date(2026, 11, 23)) == "run_events_20261123"


async def test_X10_this_week_and_the_next_ones_have_partitions_and_are_made_once(
    database: Database, runs: SqlRunStore
) -> None:
    this_week = week_of(utc_now())
    wanted = [this_week + n * WEEK for n in range(WEEKS_AHEAD + 1)]
    assert await weeks(database) == wanted
    await execute(database, f"drop table {partition_name(wanted[2])}")
    await runs.prune_events(utc_now() - timedelta(days=30))
    assert await weeks(database) == wanted


async def test_X10_a_runs_events_are_in_its_weeks_partition_under_one_unique_number(
    database: Database, runs: SqlRunStore, paths: SqlPaths
) -> None:
    run = await a_finished_run(runs, paths)
    assert await count(database, partition_name(week_of(utc_now()))) == len(await runs.events(run.id)) == 3
    assert await count(database, DEFAULT) == 0
    plan = await execute(
        database, f"explain select * from run_events where root_id = '{run.id}' and seq > 1 order by seq"
    )
    assert sum("Scan" in str(line) for line in plan) == 1  # the others are pruned


async def test_X10_a_past_week_all_of_whose_runs_are_old_is_dropped_and_their_ends_are_kept(
    database: Database, runs: SqlRunStore, paths: SqlPaths
) -> None:
    last_week = week_of(utc_now()) - WEEK
    await execute_body(database, lambda tx: make_partitions(tx.connection, at_midnight(last_week)))
    old = [await a_finished_run(runs, paths, first_id(last_week + timedelta(days=day))) for day in (0, 6)]
    new = await a_finished_run(runs, paths)
    assert await count(database, partition_name(last_week)) == 6
    assert await runs.prune_events(at_midnight(last_week + WEEK)) == 0, "they ended later"
    assert await runs.prune_events(utc_now()) == 2
    assert last_week not in await weeks(database)
    for run in old:
        assert [(event.seq, event.kind) for event in await runs.events(run.id)] == [(3, "run_done")]
        record = await runs.record(run.id)
        assert (record.calls, record.checkpoints) == ((), ())
    assert len(await runs.events(new.id)) == 3
    assert await count(database, DEFAULT) == 2
    assert await runs.prune_events(utc_now()) == 0


async def test_X10_a_past_week_with_a_run_that_goes_on_stays_and_its_old_runs_are_pruned(
    database: Database, runs: SqlRunStore, paths: SqlPaths
) -> None:
    last_week = week_of(utc_now()) - WEEK
    await execute_body(database, lambda tx: make_partitions(tx.connection, at_midnight(last_week)))
    run = await a_finished_run(runs, paths, first_id(last_week))
    id_ = first_id(last_week + timedelta(days=1))
    active = await start_run(runs, a_run(await a_topic(paths), id=id_, root_id=id_))
    assert await runs.prune_events(utc_now()) == 1
    assert await runs.prune_events(utc_now()) == 0
    assert last_week in await weeks(database)
    assert [event.seq for event in await runs.events(run.id)] == [3]
    await runs.append(active, [a_reasoning_event()])
    assert [event.seq for event in await runs.events(active.id)] == [1, 2]
    await end_run(runs, active)
    assert await runs.prune_events(utc_now()) == 2
    assert last_week not in await weeks(database)


async def test_X10_partitions_wait_for_no_writer_that_holds_them_up(
    database: Database, runs: SqlRunStore, paths: SqlPaths
) -> None:
    """A transaction that holds the log makes the drop fail for now: writers must not queue behind it."""
    last_week = week_of(utc_now()) - WEEK
    await execute_body(database, lambda tx: make_partitions(tx.connection, at_midnight(last_week)))
    run = await a_finished_run(runs, paths)
    async with database.open_read_connection() as reader:
        await reader.execute(text("select count(*) from run_events"))
        with pytest.raises(DatabaseBusy):
            await runs.prune_events(utc_now())
    assert last_week in await weeks(database)
    await runs.prune_events(utc_now())
    assert last_week not in await weeks(database)
    assert len(await runs.events(run.id)) == 3


async def test_X10_events_that_came_without_a_partition_move_into_it(
    database: Database, runs: SqlRunStore, paths: SqlPaths, caplog: pytest.LogCaptureFixture
) -> None:
    this_week = week_of(utc_now())
    for week in await weeks(database):
        await execute(database, f"drop table {partition_name(week)}")
    run = await a_finished_run(runs, paths)
    before = await runs.events(run.id)
    assert await count(database, DEFAULT) == 3
    with caplog.at_level(logging.WARNING):
        await runs.prune_events(utc_now() - timedelta(days=30))
    assert await count(database, DEFAULT) == 0
    assert await count(database, partition_name(this_week)) == 3
    assert await runs.events(run.id) == before
    assert "run_events.default_partition" not in caplog.text


async def test_X10_events_of_a_week_without_a_partition_are_reported(
    database: Database, runs: SqlRunStore, paths: SqlPaths, caplog: pytest.LogCaptureFixture
) -> None:
    id_ = first_id(week_of(utc_now()) + 20 * WEEK)
    await start_run(runs, a_run(await a_topic(paths), id=id_, root_id=id_))
    with caplog.at_level(logging.WARNING):
        await runs.prune_events(utc_now() - timedelta(days=30))
    assert "run_events.default_partition" in caplog.text


async def test_deleting_a_run_deletes_its_events_in_every_partition(
    database: Database, runs: SqlRunStore, paths: SqlPaths
) -> None:
    await a_finished_run(runs, paths)
    await execute(database, "delete from users returning id")
    assert await count(database, "run_events") == 0


def at_midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


async def a_finished_run(runs: SqlRunStore, paths: SqlPaths, run_id: str | None = None) -> Run:
    id_ = run_id or new_id()
    run = await start_run(runs, a_run(await a_topic(paths), id=id_, root_id=id_))
    await runs.append(run, [a_reasoning_event(), CallBegun("c", "look", "{}", "read"), Checkpoint("input")])
    return await end_run(runs, run)


async def weeks(database: Database) -> Sequence[date]:
    return await database.read_tx(existing_weeks)


async def count(database: Database, table: str) -> int:
    ((found,),) = await execute(database, f"select count(*) from {table}")
    return int(found)


async def execute(database: Database, statement: str) -> Sequence[Any]:
    def body(tx: WriteTransaction) -> Sequence[Any]:
        result = tx.connection.execute(text(statement))
        return result.all() if result.returns_rows else ()

    return await database.write_tx(body)


async def execute_body(database: Database, body: Callable[[WriteTransaction], object]) -> None:
    await database.write_tx(body)
