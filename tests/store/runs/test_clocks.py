"""Clocks that differ, and a PostgreSQL server in another time zone: times and leases are right all the same."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import make_url

from harness.builders import (
    RecordingDispatcher,
    a_run,
    a_topic,
    enroll_worker,
    expire_worker,
    queue_run,
    start_run,
)
from sprout.clock import utc_now
from sprout.events import NodeRow
from sprout.store.documents.local_storage import LocalStorage
from sprout.store.engine.clock import database_now
from sprout.store.engine.database import Database, open_database
from sprout.store.engine.migrate import upgrade
from sprout.store.paths.paths import SqlPaths
from sprout.store.runs.repository import SqlRunStore

HOUR = timedelta(hours=1)  # less than any zone is away from UTC that is tried here


@asynccontextmanager
async def stores(url: str, folder: Path) -> AsyncIterator[tuple[Database, SqlRunStore, NodeRow]]:
    """The database, its runs, and a topic that can have one."""
    async with open_database(url) as database:
        paths = SqlPaths(database, lambda _: None, storage=LocalStorage(folder))
        yield database, SqlRunStore(database, lambda _: None, RecordingDispatcher()), await a_topic(paths)


def shift_clock(patch: pytest.MonkeyPatch, seconds: float) -> None:
    """Set the clock of this process, wherever it is read."""
    for name, module in list(sys.modules.items()):
        if name.startswith("sprout.") and hasattr(module, "utc_now"):
            patch.setattr(module, "utc_now", lambda: datetime.now(UTC) + timedelta(seconds=seconds))


async def test_P7_workers_whose_clocks_differ_by_minutes_go_by_that_of_the_database(
    postgres_url: str, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On PostgreSQL; an SQLite file has one process and one clock."""
    async with stores(postgres_url, data_dir) as (database, runs, node):
        shift_clock(monkeypatch, -90)
        slow = await enroll_worker(runs, "slow")
        run = await start_run(runs, a_run(node), slow)
        shift_clock(monkeypatch, +90)
        fast = await enroll_worker(runs, "fast")
        assert (await runs.claim(run.lane, fast), await runs.claimable_lanes(fast)) == (None, [])
        await expire_worker(database, slow)
        assert await runs.claimable_lanes(fast) == [run.lane]
        taken = await runs.claim(run.lane, fast)
        assert taken is not None
        shift_clock(monkeypatch, -90)
        assert (await runs.claim(run.lane, slow), await runs.claimable_lanes(slow)) == (None, [])


async def test_a_database_in_another_time_zone_has_the_same_times_and_leases(
    bare_postgres_url: str, data_dir: Path
) -> None:
    with psycopg.connect(bare_postgres_url, autocommit=True) as connection:
        name = make_url(bare_postgres_url).database
        connection.execute(f"alter database {name} set timezone = 'Asia/Kathmandu'".encode())
    upgrade(bare_postgres_url)
    async with stores(bare_postgres_url, data_dir) as (database, runs, node):
        assert abs(await database.read_tx(database_now) - utc_now()) < HOUR
        worker, other = await enroll_worker(runs, "worker"), await enroll_worker(runs, "other")
        run = await start_run(runs, a_run(node), worker)
        stored = await runs.run(run.id)
        assert (stored.created_at, stored.created_at.utcoffset()) == (run.created_at, timedelta())
        assert await runs.claimable_lanes(other) == []
        await expire_worker(database, worker)
        assert await runs.claimable_lanes(other) == [run.lane]
        await queue_run(runs, a_run(node))
        waiting = await runs.waiting_runs()
        assert (waiting.count, waiting.oldest_s < HOUR.total_seconds()) == (1, True)
        before = utc_now() - HOUR
        assert await runs.prune_events(before) == 0, "nothing is old"
