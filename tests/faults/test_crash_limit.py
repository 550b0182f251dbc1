"""What counts as being cut off again and again at one place (runs.md B4), and that who waits is not cut off (W1)."""

from pathlib import Path

import pytest

from sprout.ids import new_id
from sprout.runs.log import Checkpoint, Claim
from sprout.runs.state import Fenced, Run, RunState
from sprout.store.database import Database
from sprout.store.files import Files
from sprout.store.library import SqlLibrary
from sprout.store.runs import SqlRunStore
from tests.builders import NotedWakeUps, a_child, a_concept, a_question, a_run, a_topic, started


@pytest.fixture
def library(database: Database, data_dir: Path) -> SqlLibrary:
    return SqlLibrary(database, lambda _: None, files=Files(data_dir))


@pytest.fixture
def runs(database: Database) -> SqlRunStore:
    return SqlRunStore(database, lambda _: None, NotedWakeUps())


async def crashed(runs: SqlRunStore, *lanes: str) -> list[Run | None]:
    """What a new carrier takes up in the lanes, and is at work with, the one before having died."""
    claim = alone(new_id())
    await runs.enrol(claim)
    taken = [await runs.claim(lane, claim) for lane in lanes]
    for run in taken:
        if run is not None and run.suspect:
            await runs.rest(run, resting=False)
    return taken


def alone(name: str) -> Claim:
    return Claim(name, 30.0, alone=True)


async def test_B4_a_root_that_waits_is_not_at_fault_while_its_children_come_on(
    runs: SqlRunStore, library: SqlLibrary
) -> None:
    topic = await a_topic(library)
    root = await started(runs, a_run(topic), alone("first"))
    child = await started(runs, a_child(root, await a_concept(library, topic, "Light")), alone("first"))
    for _ in range(4):
        taken = await crashed(runs, root.lane, child.lane)
        assert [one.id for one in taken if one] == [root.id, child.id]
        assert taken[1] is not None
        await runs.append(taken[1], [Checkpoint("llm_response")])
    assert (await runs.run(root.id)).state is RunState.RUNNING


async def test_B4_a_run_that_comes_no_further_is_given_up_at_its_third_crash(
    runs: SqlRunStore, library: SqlLibrary
) -> None:
    run = await started(runs, a_run(await a_topic(library)), alone("first"))
    assert [one is not None for _ in range(3) for one in await crashed(runs, run.lane)] == [True, True, False]
    assert (await runs.run(run.id)).reason == "crash_loop"


async def test_W1_a_run_that_waits_for_a_person_is_nothing_to_take_up(runs: SqlRunStore, library: SqlLibrary) -> None:
    run = await started(runs, a_run(await a_topic(library)), alone("first"))
    waiting = await runs.pause(run, a_question(), [])
    assert (waiting.state, waiting.cut_off) == (RunState.WAITING_ON_HUMAN, False)
    assert await runs.stale_lanes(alone("second")) == []
    assert await crashed(runs, run.lane) == [None]


async def test_P10_a_run_that_only_waits_is_never_given_up_however_often_its_carriers_die(
    runs: SqlRunStore, library: SqlLibrary
) -> None:
    run: Run | None = await started(runs, a_run(await a_topic(library)), alone("first"))
    for _ in range(20):
        assert run is not None
        await runs.rest(run, resting=True)
        (run,) = await crashed(runs, run.lane)
    assert run is not None
    assert (run.crashes, run.epoch) == (0, 21)


async def test_P10_waiting_forgets_no_crash_and_whoever_is_claimed_is_at_work_again(
    runs: SqlRunStore, library: SqlLibrary
) -> None:
    run = await started(runs, a_run(await a_topic(library)), alone("first"))
    for resting, crashes in ((False, 1), (True, 1), (False, 2), (True, 2)):
        if resting:
            await runs.rest(run, resting=True)
        (taken,) = await crashed(runs, run.lane)
        assert taken is not None
        assert taken.crashes == crashes
        run = taken
    assert await crashed(runs, run.lane) == [None]
    assert (await runs.run(run.id)).reason == "crash_loop"


async def test_B1_who_has_lost_a_run_cannot_say_that_it_waits(runs: SqlRunStore, library: SqlLibrary) -> None:
    lost = await started(runs, a_run(await a_topic(library)), alone("first"))
    (taken,) = await crashed(runs, lost.lane)
    assert taken is not None
    for resting in (True, False):
        with pytest.raises(Fenced):
            await runs.rest(lost, resting=resting)


async def test_P10_on_its_last_chance_a_run_is_charged_once_its_turn_has_come(
    runs: SqlRunStore, library: SqlLibrary
) -> None:
    run = await started(runs, a_run(await a_topic(library)), alone("first"))
    await crashed(runs, run.lane)
    for name in ("third", "fourth", "fifth"):
        await runs.enrol(alone(name))
        taken = await runs.claim(run.lane, alone(name))
        assert taken is not None
        run = taken
    await runs.rest(run, resting=False)
    assert await crashed(runs, run.lane) == [None]
