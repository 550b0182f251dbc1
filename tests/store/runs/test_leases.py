"""Leases: which runs a worker may claim, interrupted runs, counted crashes; on both databases."""

import asyncio
import json
from collections import Counter

import pytest

from harness.builders import (
    CLAIM,
    a_child,
    a_concept,
    a_question,
    a_reasoning_event,
    a_run,
    a_topic,
    cut_off_run,
    end_run,
    enroll_worker,
    event_kinds,
    expire_worker,
    queue_run,
    start_run,
)
from sprout.events import NodeRow
from sprout.runs.run_store import CallBegun, CallEnded, Checkpoint, Entry, OnBusy, WorkerLease
from sprout.runs.state import Run, RunState
from sprout.store.engine.database import Database
from sprout.store.paths.paths import SqlPaths
from sprout.store.runs.repository import SqlRunStore

DAYS = pytest.mark.parametrize("days_ago", [1.0, -1.0, 365.0 * 50])


@pytest.fixture
async def node(paths: SqlPaths) -> NodeRow:
    return await a_topic(paths)


async def test_K2_what_a_living_worker_has_is_never_taken(runs: SqlRunStore, database: Database, node: NodeRow) -> None:
    mine, other = await start_run(runs, a_run(node)), await enroll_worker(runs, "other")
    assert await runs.claimable_lanes(other) == []
    assert await runs.claim(mine.lane, other) is None
    current = await runs.run(mine.id)
    assert (current.epoch, current.owner, current.cut_off) == (1, CLAIM.owner, False)

    await expire_worker(database, CLAIM)
    await runs.renew_lease(CLAIM)  # in time, after all
    assert await runs.claim(mine.lane, other) is None


async def test_K2_what_a_dead_worker_had_is_taken_over_under_a_new_epoch(
    runs: SqlRunStore, database: Database, node: NodeRow
) -> None:
    """K2, B1: `run_resumed` says so, its attempts are counted, and the lane is held all the while."""
    left = await cut_off_run(runs, database, a_run(node))
    assert (await runs.run(left.id)).cut_off
    assert await runs.claimable_lanes(CLAIM) == [left.lane]

    taken = await runs.claim(left.lane, CLAIM)
    assert taken is not None
    assert (taken.id, taken.epoch, taken.owner, taken.crashes, taken.cut_off) == (left.id, 2, CLAIM.owner, 1, False)
    assert taken.started_at == left.started_at
    assert await runs.claimable_lanes(CLAIM) == []
    started_event, resumed = await runs.events(left.id)
    assert (started_event.kind, resumed.kind) == ("run_started", "run_resumed")
    assert (json.loads(resumed.data)["attempt"], json.loads(resumed.data)["cause"]) == (1, "cut_off")


async def test_K2_a_worker_that_was_removed_is_dead(runs: SqlRunStore, node: NodeRow) -> None:
    dead = await enroll_worker(runs, "dead")
    left = await start_run(runs, a_run(node), dead)
    alone = WorkerLease("alone", 30.0, exclusive=True)
    await runs.acquire_lease(alone)
    assert await runs.claimable_lanes(alone) == [left.lane]
    assert (await claim_run(runs, left.lane, alone)).owner == "alone"


async def test_D8_an_exclusive_worker_takes_everything_over_at_once(runs: SqlRunStore, paths: SqlPaths) -> None:
    """D8: nobody waits for the leases of the dead to end."""
    nodes = [await a_topic(paths, f"Topic {n}") for n in range(5)]
    for n, node in enumerate(nodes):
        await start_run(runs, a_run(node), await enroll_worker(runs, f"dead {n}", lease_s=3_600.0))
    alone = WorkerLease("alone", 30.0, exclusive=True)
    await runs.acquire_lease(alone)
    lanes = await runs.claimable_lanes(alone)
    assert len(lanes) == 5
    assert {(await claim_run(runs, lane, alone)).epoch for lane in lanes} == {2}


@DAYS
async def test_P7_ones_own_runs_are_never_stale_however_the_clock_jumps(
    runs: SqlRunStore, database: Database, node: NodeRow, days_ago: float
) -> None:
    mine = await start_run(runs, a_run(node))
    await expire_worker(database, CLAIM, days_ago=days_ago)
    assert await runs.claimable_lanes(CLAIM) == []
    assert await runs.claim(mine.lane, CLAIM) is None
    await runs.append(mine, [a_reasoning_event()])
    await runs.renew_lease(CLAIM)
    assert await runs.claim(mine.lane, await enroll_worker(runs, "other")) is None


async def test_P7_a_queue_keeps_its_order_however_the_clock_jumps(runs: SqlRunStore, node: NodeRow) -> None:
    """P7, trap 67: order is by number, not by time."""
    late, early = a_run(node), a_run(node)
    early = a_run(node, created_at=late.created_at.replace(year=1970))
    await queue_run(runs, late)
    await queue_run(runs, early)
    assert (await claim_run(runs, late.lane)).id == late.id


async def test_a_run_that_was_cut_off_goes_on_before_those_that_queue(
    runs: SqlRunStore, database: Database, node: NodeRow
) -> None:
    """Trap 68: the waiting run is neither skipped nor doubled."""
    left = await cut_off_run(runs, database, a_run(node))
    waiting = [await queue_run(runs, a_run(node)) for _ in range(3)]
    order = []
    while (run := await runs.claim(left.lane, CLAIM)) is not None:
        assert await runs.claim(left.lane, CLAIM) is None, "a surplus claim gets nothing"
        order.append(run.id)
        await end_run(runs, run)
    assert order == [left.id, *(one.id for one in waiting)]


async def test_B7_a_run_that_waits_for_its_answer_holds_the_lane_and_goes_on_before_those_that_queue(
    runs: SqlRunStore, node: NodeRow
) -> None:
    """B7, trap 69."""
    waiting = await runs.pause(await start_run(runs, a_run(node)), a_question(), [])
    behind = await queue_run(runs, a_run(node))
    assert await runs.claimable_lanes(CLAIM) == []
    assert await runs.claim(waiting.lane, CLAIM) is None
    await runs.answer(waiting, [], [])
    assert await runs.claimable_lanes(CLAIM) == [waiting.lane]
    answered = await claim_run(runs, waiting.lane)
    assert (answered.id, answered.epoch, answered.crashes) == (waiting.id, 2, 0)
    assert (await runs.run(behind.id)).position == 1


async def test_B1_two_workers_that_claim_fifty_lanes_at_once_share_them(
    runs: SqlRunStore, paths: SqlPaths, database: Database
) -> None:
    dead = await enroll_worker(runs, "dead")
    for n in range(50):
        node = await a_topic(paths, f"Topic {n}")
        run = a_run(node)
        await (start_run(runs, run, dead) if n % 2 else queue_run(runs, run))
    await expire_worker(database, dead)
    two = [await enroll_worker(runs, "one"), await enroll_worker(runs, "other")]
    lanes = list(await runs.claimable_lanes(two[0]))
    assert len(lanes) == 50
    taken = await asyncio.gather(*(runs.claim(lane, claim) for lane in lanes for claim in two))
    by_run = Counter(one.id for one in taken if one is not None)
    assert (len(by_run), set(by_run.values())) == (50, {1})
    for one in taken:
        if one is not None:
            assert (await runs.run(one.id)).owner == one.owner
            assert await event_kinds(runs, one) in (["run_started"], ["run_started", "run_resumed"])


async def test_K4_where_nothing_is_resumed_by_itself_a_run_waits_for_a_person(
    runs: SqlRunStore, database: Database, node: NodeRow
) -> None:
    left = await cut_off_run(runs, database, a_run(node))
    cautious = await enroll_worker(runs, "cautious", auto_resume=False)
    assert await runs.claimable_lanes(cautious) == []
    assert await runs.claim(left.lane, cautious) is None
    behind = await queue_run(runs, a_run(node))

    offered = await runs.request_resume(await runs.run(left.id))
    assert (offered.state, offered.cut_off, offered.cause) == (RunState.RUNNING, True, "asked")
    assert await runs.claimable_lanes(cautious) == [left.lane]
    taken = await claim_run(runs, left.lane, cautious)
    assert (taken.id, taken.epoch) == (left.id, 2)
    (resumed,) = [one for one in await runs.events(left.id) if one.kind == "run_resumed"]
    assert json.loads(resumed.data)["cause"] == "asked"

    await expire_worker(database, cautious)
    other = await enroll_worker(runs, "other", auto_resume=False)
    assert await runs.claim(left.lane, other) is None, "the wish was for once"
    assert (await runs.run(behind.id)).state is RunState.QUEUED


async def test_K4_queued_and_answered_runs_go_on_also_where_nothing_is_resumed(
    runs: SqlRunStore, paths: SqlPaths
) -> None:
    cautious = await enroll_worker(runs, "cautious", auto_resume=False)
    waiting = await runs.pause(await start_run(runs, a_run(await a_topic(paths))), a_question(), [])
    await runs.answer(waiting, [], [])
    other = await queue_run(runs, a_run(await a_topic(paths, "Rivers")))
    assert set(await runs.claimable_lanes(cautious)) == {waiting.lane, other.lane}
    assert (await claim_run(runs, waiting.lane, cautious)).id == waiting.id
    assert (await claim_run(runs, other.lane, cautious)).id == other.id


@pytest.mark.parametrize("waits", [False, True])
async def test_K4_the_parts_of_a_run_go_on_with_it_also_where_nothing_is_resumed_by_itself(
    runs: SqlRunStore, database: Database, paths: SqlPaths, node: NodeRow, *, waits: bool
) -> None:
    """Whether it was resumed or answered: it waits for them."""
    dead = await enroll_worker(runs, "dead")
    root = await start_run(runs, a_run(node), dead)
    cut, ended = [
        await start_run(runs, a_child(root, await a_concept(paths, node, title)), dead) for title in ("Light", "Leaves")
    ]
    part_of_part = await start_run(runs, a_child(cut, await a_concept(paths, node, "Roots")), dead)
    await end_run(runs, ended)
    if waits:
        await runs.pause(root, a_question(), [])
    await expire_worker(database, dead)
    cautious = await enroll_worker(runs, "cautious", auto_resume=False)
    assert await runs.claim(cut.lane, cautious) is None

    if waits:
        await runs.answer(await runs.run(root.id), [], [])
    else:
        await runs.request_resume(await runs.run(root.id))
    assert await runs.claimable_lanes(cautious) == [root.lane]
    for one, behind in ((root, [cut.lane]), (cut, [part_of_part.lane]), (part_of_part, [])):
        assert (await claim_run(runs, one.lane, cautious)).id == one.id
        assert await runs.claimable_lanes(cautious) == behind


async def test_B4_the_third_crash_at_one_place_fails_the_run_and_its_lane_moves_on(
    runs: SqlRunStore, database: Database, node: NodeRow
) -> None:
    """B4, trap 8, B5: with the closing events that its worker would have written."""
    left = await cut_off_run(runs, database, a_run(node), "dead 0")
    behind = await queue_run(runs, a_run(node))
    for n in (1, 2):
        assert (await crash_again(runs, database, left.lane, n)).crashes == n
    assert (await claim_run(runs, left.lane)).id == behind.id

    failed = await runs.run(left.id)
    assert (failed.state, failed.reason) == (RunState.FAILED, "crash_loop")
    assert failed.error is not None
    assert failed.error.code == "crash_loop"
    assert (await event_kinds(runs, left))[-4:] == ["run_resumed", "run_resumed", "agent_error", "run_done"]
    last = json.loads((await runs.events(left.id))[-1].data)
    assert (last["status"], last["reason"]) == ("failed", "crash_loop")


@pytest.mark.parametrize(
    "progress",
    [[Checkpoint("llm_response", 1)], [CallBegun("c", "look", "{}", "read"), CallEnded("c", "found", False, 1)]],
)
async def test_B4_crashes_are_counted_anew_once_a_run_has_come_further(
    runs: SqlRunStore, database: Database, node: NodeRow, progress: list[Entry]
) -> None:
    left = await cut_off_run(runs, database, a_run(node), "dead 0")
    for n in (1, 2):
        run = await crash_again(runs, database, left.lane, n)
    await runs.append(run, progress)  # before its worker's successor comes
    assert (await claim_run(runs, left.lane)).crashes == 1


async def test_B4_a_call_that_only_began_and_words_are_no_progress(
    runs: SqlRunStore, database: Database, node: NodeRow
) -> None:
    left = await cut_off_run(runs, database, a_run(node), "dead 0")
    for n in (1, 2):
        run = await crash_again(runs, database, left.lane, n)
        await runs.append(run, [a_reasoning_event(), CallBegun(f"c{n}", "kill", "{}", "read")])
    assert await runs.claim(left.lane, CLAIM) is None
    assert (await runs.run(left.id)).state is RunState.FAILED


async def test_P10_a_release_in_good_order_is_no_crash_however_often(runs: SqlRunStore, node: NodeRow) -> None:
    run = await start_run(runs, a_run(node))
    for n in range(5):
        await runs.release_lease(CLAIM)
        free = await runs.run(run.id)
        assert (free.owner, free.cut_off) == (None, True)
        await runs.acquire_lease(CLAIM)
        assert await runs.claimable_lanes(CLAIM) == [run.lane]
        run = await claim_run(runs, run.lane)
        assert (run.epoch, run.crashes) == (n + 2, 0)


async def test_a_release_lets_go_of_ones_own_runs_only(runs: SqlRunStore, paths: SqlPaths) -> None:
    other = await enroll_worker(runs, "other")
    mine = await start_run(runs, a_run(await a_topic(paths)))
    theirs = await start_run(runs, a_run(await a_topic(paths, "Rivers")), other)
    await runs.release_lease(CLAIM)
    assert await runs.claimable_lanes(other) == [mine.lane]
    assert (await runs.run(theirs.id)).owner == "other"


async def test_B4_a_run_that_is_abandoned_counts_as_a_crash_and_its_own_worker_may_take_it_up(
    runs: SqlRunStore, node: NodeRow
) -> None:
    run = await start_run(runs, a_run(node))
    for n in (1, 2):
        await runs.release_run(run, crashed=True)
        assert (await runs.run(run.id)).cut_off
        run = await claim_run(runs, run.lane)
        assert run.crashes == n
    await runs.release_run(run, crashed=True)
    assert await runs.claim(run.lane, CLAIM) is None
    assert (await runs.run(run.id)).reason == "crash_loop"


async def test_who_has_lost_a_run_or_ended_it_cannot_abandon_it(
    runs: SqlRunStore, database: Database, node: NodeRow
) -> None:
    left = await cut_off_run(runs, database, a_run(node))
    taken = await claim_run(runs, left.lane)
    await runs.release_run(left, crashed=True)
    assert await runs.run(left.id) == taken
    done = await end_run(runs, taken)
    await runs.release_run(taken, crashed=True)
    assert await runs.run(left.id) == done


async def test_a_child_is_taken_over_like_its_root_and_writes_into_the_same_log(
    runs: SqlRunStore, paths: SqlPaths, database: Database, node: NodeRow
) -> None:
    dead = await enroll_worker(runs, "dead")
    root = await start_run(runs, a_run(node), dead)
    child = await start_run(runs, a_child(root, await a_concept(paths, node, "Light")), dead)
    await expire_worker(database, dead)
    assert set(await runs.claimable_lanes(CLAIM)) == {root.lane, child.lane}
    taken = [await claim_run(runs, lane) for lane in (child.lane, root.lane)]
    assert [one.epoch for one in taken] == [2, 2]
    assert [one.seq for one in await runs.events(root.id)] == [1, 2, 3, 4]


async def test_a_run_that_was_to_stop_and_is_cut_off_is_cancelled_by_the_worker_that_finds_it(
    runs: SqlRunStore, database: Database, node: NodeRow
) -> None:
    """Also where nothing is resumed by itself; and its lane moves on."""
    dead = await enroll_worker(runs, "dead")
    left = await start_run(runs, a_run(node), dead)
    await runs.cancel(left.id)
    behind = await queue_run(runs, a_run(node))
    await expire_worker(database, dead)
    cautious = await enroll_worker(runs, "cautious", auto_resume=False)
    assert await runs.claimable_lanes(cautious) == [left.lane]
    assert (await claim_run(runs, left.lane, cautious)).id == behind.id
    assert (await runs.run(left.id)).state is RunState.CANCELLED
    assert await event_kinds(runs, left) == ["run_started", "agent_done", "run_done"]


async def test_a_lane_of_many_waiting_runs_that_were_to_stop_is_cleared_by_one_claim(
    runs: SqlRunStore, paths: SqlPaths, node: NodeRow
) -> None:
    root = await start_run(runs, a_run(node))
    concept = await a_concept(paths, node, "Light")
    await runs.cancel(root.id)
    await runs.admit(a_child(root, concept))
    behind = (await runs.admit(a_run(concept, lane=f"concept:{concept.id}"), on_busy=OnBusy.ENQUEUE)).run
    assert (await claim_run(runs, behind.lane)).id == behind.id


async def crash_again(runs: SqlRunStore, database: Database, lane: str, n: int) -> Run:
    """The lane's run, taken over by a worker that is at work with it and dies too."""
    dead = await enroll_worker(runs, f"dead {n}")
    run = await claim_run(runs, lane, dead)
    await runs.set_idle(run, idle=False)
    await expire_worker(database, dead)
    return run


async def claim_run(runs: SqlRunStore, lane: str, lease: WorkerLease = CLAIM) -> Run:
    run = await runs.claim(lane, lease)
    assert run is not None, "there is something to claim"
    return run
