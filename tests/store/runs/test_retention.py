"""Retention of runs that ended long ago (V7)."""

from datetime import timedelta

import pytest

from harness.builders import a_child, a_concept, a_reasoning_event, a_run, a_topic, end_run, start_run
from sprout.clock import utc_now
from sprout.runs.run_store import CallBegun, CallEnded, Checkpoint
from sprout.store.paths.paths import SqlPaths
from sprout.store.runs.repository import SqlRunStore

LATER = timedelta(days=8)  # on PostgreSQL the runs of a week go together


@pytest.mark.parametrize("many", [1, 25])
async def test_V7_of_an_old_run_its_row_and_its_last_word_are_kept(
    runs: SqlRunStore, paths: SqlPaths, many: int
) -> None:
    root = await a_topic(paths)
    old = []
    for _ in range(many):
        run = await start_run(runs, a_run(root))
        await runs.append(run, [a_reasoning_event(), CallBegun("c", "look", "{}", "read"), Checkpoint("input")])
        await runs.append(run, [CallEnded("c", "found", is_error=False, attempts=1)])
        old.append(await end_run(runs, run))
    going = await start_run(runs, a_run(root))
    child = await start_run(runs, a_child(going, await a_concept(paths, root, "Light")))
    await end_run(runs, child)

    assert await runs.prune_events(old[0].ended_at or utc_now()) == 0
    trimmed = 0
    while count := await runs.prune_events(utc_now() + LATER):
        trimmed += count
    assert trimmed == many
    for run in old:
        assert [(one.seq, one.kind) for one in await runs.events(run.id)] == [(3, "run_done")]
        assert (await runs.run(run.id)).usage == run.usage
        assert (await runs.record(run.id)).checkpoints == ()
        assert (await runs.record(run.id)).calls == ()
    assert len(await runs.events(going.id)) == 2
