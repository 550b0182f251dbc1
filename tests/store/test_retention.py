"""What is kept of runs that ended long ago (V7)."""

from datetime import timedelta

import pytest

from sprout.clock import utc_now
from sprout.runs.log import CallBegun, CallEnded, Checkpoint
from sprout.store.library import SqlLibrary
from sprout.store.runs import SqlRunStore
from tests.builders import a_child, a_concept, a_run, a_thought, a_topic, ended, started

LATER = timedelta(seconds=1)


@pytest.mark.parametrize("many", [1, 25])
async def test_V7_of_an_old_run_its_row_and_its_last_word_are_kept(
    runs: SqlRunStore, library: SqlLibrary, many: int
) -> None:
    root = await a_topic(library)
    old = []
    for _ in range(many):
        run = await started(runs, a_run(root))
        await runs.append(run, [a_thought(), CallBegun("c", "look", "{}", "read"), Checkpoint("input")])
        await runs.append(run, [CallEnded("c", "found", is_error=False, attempts=1)])
        old.append(await ended(runs, run))
    going = await started(runs, a_run(root))
    child = await started(runs, a_child(going, await a_concept(library, root, "Light")))
    await ended(runs, child)

    assert await runs.trim(old[0].ended_at or utc_now()) == 0
    trimmed = 0
    while count := await runs.trim(utc_now() + LATER):
        trimmed += count
    assert trimmed == many
    for run in old:
        assert [(one.seq, one.kind) for one in await runs.events(run.id)] == [(3, "run_done")]
        assert (await runs.run(run.id)).usage == run.usage
        assert (await runs.record(run.id)).checkpoints == ()
        assert (await runs.record(run.id)).calls == ()
    assert len(await runs.events(going.id)) == 2
