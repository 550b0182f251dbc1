"""Backlog: which runs wait for a worker, and since when; on both databases."""

from datetime import timedelta

from sqlalchemy import update

from harness.builders import CLAIM, a_run, a_topic, cut_off_run, end_run, queue_run, start_run
from sprout.clock import utc_now
from sprout.runs.run_store import WaitingRuns
from sprout.runs.state import Run
from sprout.store.engine.database import Database
from sprout.store.paths.paths import SqlPaths
from sprout.store.runs.mapping import runs as run_table
from sprout.store.runs.repository import SqlRunStore


async def put_back(database: Database, run: Run, seconds: float) -> None:
    """Make a run that many seconds older."""
    older = update(run_table).where(run_table.c.id == run.id).values(created_at=utc_now() - timedelta(seconds=seconds))
    await database.write_tx(lambda tx: tx.connection.execute(older))


async def test_X7_runs_in_the_queue_wait_and_the_oldest_says_for_how_long(
    runs: SqlRunStore, database: Database, paths: SqlPaths
) -> None:
    assert await runs.waiting_runs() == WaitingRuns(0, 0.0)
    for seconds in (10.0, 500.0, 70.0):
        await put_back(database, await queue_run(runs, a_run(await a_topic(paths))), seconds)
    waiting = await runs.waiting_runs()
    assert waiting.count == 3
    assert 500 <= waiting.oldest_s < 560


async def test_X7_a_run_that_waits_for_another_in_its_lane_does_not_wait_for_a_worker(
    runs: SqlRunStore, paths: SqlPaths
) -> None:
    node = await a_topic(paths)
    first = await start_run(runs, a_run(node))
    await queue_run(runs, a_run(node))
    assert (await runs.waiting_runs()).count == 0
    await end_run(runs, first)
    assert (await runs.waiting_runs()).count == 1


async def test_X7_a_run_whose_worker_died_or_left_waits(runs: SqlRunStore, database: Database, paths: SqlPaths) -> None:
    await cut_off_run(runs, database, a_run(await a_topic(paths)))
    await start_run(runs, a_run(await a_topic(paths)))
    assert await runs.waiting_runs() == WaitingRuns(1, 0.0)  # one that had begun is in no queue
    await runs.release_lease(CLAIM)
    assert (await runs.waiting_runs()).count == 2
