"""Lists of runs, by owner and order; on both databases."""

import pytest

from harness.builders import (
    CLAIM,
    a_child,
    a_concept,
    a_question,
    a_run,
    a_topic,
    cut_off_run,
    end_run,
    expire_worker,
    queue_run,
    start_run,
)
from sprout.events import NodeRow
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.runs.state import Run, RunState
from sprout.store.engine.database import Database
from sprout.store.paths.paths import SqlPaths
from sprout.store.runs.repository import SqlRunStore

THEM = "someone-else"


@pytest.fixture
async def nodes(paths: SqlPaths) -> list[NodeRow]:
    return [await a_topic(paths, f"Topic {n}") for n in range(3)]


@pytest.fixture
async def listed(runs: SqlRunStore, paths: SqlPaths, nodes: list[NodeRow]) -> list[Run]:
    """One that has ended, one that waits, one that goes, one that queues behind it, and a child; oldest first."""
    done = await end_run(runs, await start_run(runs, a_run(nodes[0])))
    waiting = await runs.pause(await start_run(runs, a_run(nodes[1])), a_question(), [])
    going = await start_run(runs, a_run(nodes[2]))
    behind = await queue_run(runs, a_run(nodes[2]))
    child = await start_run(runs, a_child(going, await a_concept(paths, nodes[2], "Light")))
    return [await runs.run(one.id) for one in (done, waiting, going, behind, child)]


async def test_runs_are_listed_by_agent_branch_and_state(
    runs: SqlRunStore, nodes: list[NodeRow], listed: list[Run]
) -> None:
    done, waiting, going, behind, child = listed
    for wanted, found in (
        ({}, [behind, going, waiting, done]),
        ({"roots_only": False}, [child, behind, going, waiting, done]),
        ({"agent": "subconcept", "roots_only": False}, [child]),
        ({"agent": "tutor"}, []),
        ({"branch_id": nodes[2].branch_id}, [behind, going]),
        ({"states": [RunState.QUEUED, RunState.COMPLETED]}, [behind, done]),
        ({"states": [RunState.WAITING_ON_HUMAN]}, [waiting]),
        ({"states": [RunState.RUNNING], "roots_only": False, "branch_id": nodes[2].branch_id}, [child, going]),
    ):
        assert await runs.runs(user_id=DEFAULT_USER_ID, **wanted) == found


async def test_pages_follow_one_another_without_a_gap_or_a_double(runs: SqlRunStore, nodes: list[NodeRow]) -> None:
    """Also while newer runs come in between."""
    made = [await queue_run(runs, a_run(nodes[0])) for _ in range(7)]
    seen: list[str] = []
    while page := await runs.runs(user_id=DEFAULT_USER_ID, before=seen[-1] if seen else None, limit=3):
        assert len(page) <= 3
        seen += [one.id for one in page]
        await queue_run(runs, a_run(nodes[1]))
    assert seen == [one.id for one in reversed(made)]


async def test_D13_a_page_before_another_learners_run_or_none_at_all_is_empty(
    runs: SqlRunStore, paths: SqlPaths, listed: list[Run]
) -> None:
    theirs = await start_run(runs, a_run(await a_topic(paths, user_id=THEM)))
    assert await runs.runs(user_id=DEFAULT_USER_ID, before=theirs.id) == []
    assert await runs.runs(user_id=DEFAULT_USER_ID, before="nothing\x00") == []
    assert [one.id for one in await runs.runs(user_id=THEM)] == [theirs.id]
    assert await runs.runs(user_id=THEM, before=listed[0].id, roots_only=False) == []
    assert await runs.runs(user_id=THEM, branch_id=listed[0].branch_id, roots_only=False) == []


async def test_the_open_roots_are_a_learners_own_that_have_not_ended_oldest_first(
    runs: SqlRunStore, paths: SqlPaths, listed: list[Run]
) -> None:
    theirs = await start_run(runs, a_run(await a_topic(paths, user_id=THEM)))
    _, waiting, going, behind, _ = listed
    assert await runs.unfinished_roots(DEFAULT_USER_ID) == [waiting, going, behind]
    assert await runs.unfinished_roots(THEM) == [theirs]
    assert await runs.unfinished_roots("nobody") == []


async def test_a_run_is_cut_off_once_no_living_worker_has_it(
    runs: SqlRunStore, database: Database, nodes: list[NodeRow]
) -> None:
    left, going = await cut_off_run(runs, database, a_run(nodes[0])), await start_run(runs, a_run(nodes[1]))
    waiting = await runs.pause(await start_run(runs, a_run(nodes[2])), a_question(), [])
    listed = {one.id: one.cut_off for one in await runs.runs(user_id=DEFAULT_USER_ID)}
    assert listed == {left.id: True, going.id: False, waiting.id: False}
    await expire_worker(database, CLAIM)
    assert {one.id for one in await runs.unfinished_roots(DEFAULT_USER_ID) if one.cut_off} == {left.id, going.id}
    await runs.renew_lease(CLAIM)
    assert not (await runs.run(going.id)).cut_off
    assert not (await end_run(runs, left)).cut_off
