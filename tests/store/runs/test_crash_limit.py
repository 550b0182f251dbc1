"""Crash limit: repeated crashes at one place count (runs.md B4), waiting does not (W1)."""

from pathlib import Path

import pytest

from harness.builders import RecordingDispatcher, a_child, a_concept, a_question, a_run, a_topic, start_run
from sprout.ids import new_id
from sprout.runs.run_store import Checkpoint, WorkerLease
from sprout.runs.state import Fenced, Run, RunState
from sprout.store.documents.local_storage import LocalStorage
from sprout.store.engine.database import Database
from sprout.store.paths.paths import SqlPaths
from sprout.store.runs.repository import SqlRunStore


@pytest.fixture
def paths(database: Database, data_dir: Path) -> SqlPaths:
    return SqlPaths(database, lambda _: None, storage=LocalStorage(data_dir))


@pytest.fixture
def runs(database: Database) -> SqlRunStore:
    return SqlRunStore(database, lambda _: None, RecordingDispatcher())


async def crashed(runs: SqlRunStore, *lanes: str) -> list[Run | None]:
    """Claim lanes as a new worker after the previous one died, and start the runs."""
    claim = alone(new_id())
    await runs.acquire_lease(claim)
    taken = [await runs.claim(lane, claim) for lane in lanes]
    for run in taken:
        if run is not None and run.suspect:
            await runs.set_idle(run, idle=False)
    return taken


def alone(name: str) -> WorkerLease:
    return WorkerLease(name, 30.0, exclusive=True)


async def test_B4_a_root_that_waits_is_not_at_fault_while_its_children_come_on(
    runs: SqlRunStore, paths: SqlPaths
) -> None:
    topic = await a_topic(paths)
    root = await start_run(runs, a_run(topic), alone("first"))
    child = await start_run(runs, a_child(root, await a_concept(paths, topic, "Light")), alone("first"))
    for _ in range(4):
        taken = await crashed(runs, root.lane, child.lane)
        assert [one.id for one in taken if one] == [root.id, child.id]
        assert taken[1] is not None
        await runs.append(taken[1], [Checkpoint("llm_response")])
    assert (await runs.run(root.id)).state is RunState.RUNNING


async def test_B4_a_run_that_comes_no_further_is_given_up_at_its_third_crash(
    runs: SqlRunStore, paths: SqlPaths
) -> None:
    run = await start_run(runs, a_run(await a_topic(paths)), alone("first"))
    assert [one is not None for _ in range(3) for one in await crashed(runs, run.lane)] == [True, True, False]
    assert (await runs.run(run.id)).reason == "crash_loop"


async def test_W1_a_run_that_waits_for_a_person_is_nothing_to_take_up(runs: SqlRunStore, paths: SqlPaths) -> None:
    run = await start_run(runs, a_run(await a_topic(paths)), alone("first"))
    waiting = await runs.pause(run, a_question(), [])
    assert (waiting.state, waiting.cut_off) == (RunState.WAITING_ON_HUMAN, False)
    assert await runs.claimable_lanes(alone("second")) == []
    assert await crashed(runs, run.lane) == [None]


async def test_P10_a_run_that_only_waits_is_never_given_up_however_often_its_workers_die(
    runs: SqlRunStore, paths: SqlPaths
) -> None:
    run: Run | None = await start_run(runs, a_run(await a_topic(paths)), alone("first"))
    for _ in range(20):
        assert run is not None
        await runs.set_idle(run, idle=True)
        (run,) = await crashed(runs, run.lane)
    assert run is not None
    assert (run.crashes, run.epoch) == (0, 21)


async def test_P10_waiting_forgets_no_crash_and_a_claimed_run_is_at_work_again(
    runs: SqlRunStore, paths: SqlPaths
) -> None:
    run = await start_run(runs, a_run(await a_topic(paths)), alone("first"))
    for resting, crashes in ((False, 1), (True, 1), (False, 2), (True, 2)):
        if resting:
            await runs.set_idle(run, idle=True)
        (taken,) = await crashed(runs, run.lane)
        assert taken is not None
        assert taken.crashes == crashes
        run = taken
    assert await crashed(runs, run.lane) == [None]
    assert (await runs.run(run.id)).reason == "crash_loop"


async def test_B1_who_has_lost_a_run_cannot_say_that_it_waits(runs: SqlRunStore, paths: SqlPaths) -> None:
    lost = await start_run(runs, a_run(await a_topic(paths)), alone("first"))
    (taken,) = await crashed(runs, lost.lane)
    assert taken is not None
    for resting in (True, False):
        with pytest.raises(Fenced):
            await runs.set_idle(lost, idle=resting)


async def test_P10_on_its_last_chance_a_run_is_charged_once_its_turn_has_come(
    runs: SqlRunStore, paths: SqlPaths
) -> None:
    run = await start_run(runs, a_run(await a_topic(paths)), alone("first"))
    await crashed(runs, run.lane)
    for name in ("third", "fourth", "fifth"):
        await runs.acquire_lease(alone(name))
        taken = await runs.claim(run.lane, alone(name))
        assert taken is not None
        run = taken
    await runs.set_idle(run, idle=False)
    assert await crashed(runs, run.lane) == [None]
