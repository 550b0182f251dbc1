"""Completion of runs without a worker, and its consequences; on both databases."""

import asyncio
import json
from dataclasses import dataclass

import pytest

from harness.builders import (
    CLAIM,
    RecordingDispatcher,
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
    queue_positions,
    queue_run,
    start_run,
    unfinished_runs,
)
from sprout.errors import Conflict, NotFound
from sprout.events import NodeRow, Usage, UsageReported
from sprout.runs.run_store import OnBusy, StoredEvent
from sprout.runs.state import Run, RunAlreadyEnded, RunState
from sprout.store.engine.database import Database
from sprout.store.paths.paths import SqlPaths
from sprout.store.runs.completion import ENDED_WITH_ROOT
from sprout.store.runs.repository import SqlRunStore

SPENT = Usage(input_tokens=5, output_tokens=4, cost_usd=0.25)


@pytest.fixture
async def node(paths: SqlPaths) -> NodeRow:
    return await a_topic(paths)


@dataclass(frozen=True, slots=True)
class Tree:
    """A root, its children, and a run under one of them."""

    root: Run
    child: Run
    other: Run
    grandchild: Run


@pytest.fixture
async def tree(runs: SqlRunStore, paths: SqlPaths, node: NodeRow) -> Tree:
    """All of it carried."""
    light, leaves = await a_concept(paths, node, "Light"), await a_concept(paths, node, "Leaves")
    root = await start_run(runs, a_run(node))
    child = await start_run(runs, a_child(root, light))
    other = await start_run(runs, a_child(root, leaves))
    part = await a_concept(paths, light, "Photons")
    return Tree(root, child, other, await start_run(runs, a_child(root, part, parent_id=child.id)))


async def queue_behind(runs: SqlRunStore, node: NodeRow, run: Run) -> Run:
    """A run that waits in the lane of this one."""
    return (await runs.admit(a_run(node, lane=run.lane), on_busy=OnBusy.ENQUEUE)).run


@pytest.mark.parametrize("left", ["queued", "waiting", "cut off"])
async def test_trap_57_a_run_without_a_worker_ends_at_once_when_it_is_cancelled(
    runs: SqlRunStore, database: Database, node: NodeRow, dispatcher: RecordingDispatcher, left: str
) -> None:
    """Trap 57, X1, B5: the events are those that a worker would have written, and the lane moves on."""
    run = await leave_run_as(left, runs, database, node)
    behind = await queue_behind(runs, node, run)
    dispatcher.woken_lanes.clear()
    await runs.cancel(run.id)
    gone = await runs.run(run.id)
    assert (gone.state, gone.reason, gone.ended_at is not None) == (RunState.CANCELLED, "cancelled", True)
    done, last = (await runs.events(run.id))[-2:]
    assert (done.kind, json.loads(done.data)["reason"]) == ("agent_done", "cancelled")
    assert (last.kind, json.loads(last.data)["status"]) == ("run_done", "cancelled")
    assert (dispatcher.woken_lanes, dispatcher.woken_runs) == ([run.lane], [])
    taken = await runs.claim(run.lane, CLAIM)
    assert taken is not None
    assert taken.id == behind.id


@pytest.mark.parametrize("left", ["queued", "waiting", "cut off"])
async def test_trap_58_cancelling_twice_or_after_the_end_changes_nothing(
    runs: SqlRunStore, database: Database, node: NodeRow, published: list[StoredEvent], left: str
) -> None:
    run = await leave_run_as(left, runs, database, node)
    await runs.cancel(run.id)
    gone, published_count = await runs.run(run.id), len(published)
    await asyncio.gather(*(runs.cancel(run.id) for _ in range(5)))
    assert await runs.run(run.id) == gone
    assert published[published_count:] == []

    done = await end_run(runs, await start_run(runs, a_run(node)))
    await runs.cancel(done.id)
    assert await runs.run(done.id) == done
    with pytest.raises(NotFound):
        await runs.cancel("nothing")


async def test_X1_a_running_run_is_asked_to_stop_and_ends_itself(
    runs: SqlRunStore, node: NodeRow, dispatcher: RecordingDispatcher
) -> None:
    run = await start_run(runs, a_run(node))
    for _ in range(2):
        await runs.cancel(run.id)
    asked = await runs.run(run.id)
    assert (asked.state, asked.cancel_requested, asked.last_seq) == (RunState.RUNNING, True, 1)
    assert set(dispatcher.woken_runs) == {run.id}
    assert list(await runs.renew_lease(CLAIM)) == [run.id]
    await runs.append(asked, [a_reasoning_event()])  # what it had completed is still committed
    assert (await end_run(runs, asked, RunState.CANCELLED)).state is RunState.CANCELLED
    assert list(await runs.renew_lease(CLAIM)) == []


async def test_R4_cancelling_a_run_asks_all_under_it_and_nobody_else(
    runs: SqlRunStore, tree: Tree, dispatcher: RecordingDispatcher
) -> None:
    await runs.cancel(tree.child.id)
    assert set(dispatcher.woken_runs) == {tree.child.id, tree.grandchild.id}
    await runs.cancel(tree.root.id)
    assert set(await runs.renew_lease(CLAIM)) == {
        one.id for one in (tree.root, tree.child, tree.other, tree.grandchild)
    }
    assert await runs.events(tree.root.id) == (await runs.events(tree.root.id))[:4], "nothing was said for them"


async def test_R4_a_whole_tree_that_was_cut_off_is_cancelled_from_its_leaves_to_its_root(
    runs: SqlRunStore, tree: Tree, database: Database
) -> None:
    """V4: `agent_done` of each before that of its parent, one `run_done` at the very end."""
    await expire_worker(database, CLAIM)
    await runs.cancel(tree.root.id)
    assert await unfinished_runs(runs) == []
    later_events = [(one.kind, json.loads(one.data)["runId"]) for one in (await runs.events(tree.root.id))[4:]]
    order = [run_id for kind, run_id in later_events if kind == "agent_done"]
    assert sorted(order) == sorted(one.id for one in (tree.root, tree.child, tree.other, tree.grandchild))
    assert order.index(tree.grandchild.id) < order.index(tree.child.id) < order.index(tree.root.id) == 3
    assert [kind for kind, _ in later_events].count("run_done") == 1
    assert later_events[-1] == ("run_done", tree.root.id)


async def test_R4_of_a_tree_that_is_executed_in_part_the_rest_ends_at_once(
    runs: SqlRunStore, paths: SqlPaths, database: Database, node: NodeRow, dispatcher: RecordingDispatcher
) -> None:
    dead = await enroll_worker(runs, "dead")
    root = await start_run(runs, a_run(node))
    left = await start_run(runs, a_child(root, await a_concept(paths, node, "Light")), dead)
    waiting = await queue_run(runs, a_child(root, await a_concept(paths, node, "Leaves")))
    await expire_worker(database, dead)
    for one in (left, waiting):
        await queue_behind(runs, node, one)
    await runs.cancel(root.id)
    assert {(await runs.run(one.id)).state for one in (left, waiting)} == {RunState.CANCELLED}
    assert (await runs.run(root.id)).state is RunState.RUNNING
    assert dispatcher.woken_runs.count(root.id) == 3, "asked itself, and told of two children that ended"
    assert dispatcher.woken_lanes[-2:] in ([left.lane, waiting.lane], [waiting.lane, left.lane])


async def test_a_root_that_waits_and_is_cancelled_takes_its_running_children_along(
    runs: SqlRunStore, tree: Tree, dispatcher: RecordingDispatcher
) -> None:
    waiting = await runs.pause(tree.root, a_question(), [])
    await runs.cancel(waiting.id)
    assert await unfinished_runs(runs) == []
    assert {(await runs.run(one.id)).reason for one in (tree.child, tree.other, tree.grandchild)} == {ENDED_WITH_ROOT}
    assert {tree.child.id, tree.other.id, tree.grandchild.id} <= set(dispatcher.woken_runs)
    assert (await runs.events(tree.root.id))[-1].kind == "run_done"
    with pytest.raises(RunAlreadyEnded):
        await runs.append(tree.child, [a_reasoning_event()])


async def test_X2_a_run_that_pauses_after_it_was_asked_to_stop_is_cancelled(
    runs: SqlRunStore, node: NodeRow, dispatcher: RecordingDispatcher
) -> None:
    run = await start_run(runs, a_run(node))
    await queue_behind(runs, node, run)
    await runs.cancel(run.id)
    dispatcher.woken_lanes.clear()
    paused = await runs.pause(run, a_question(), [])
    assert paused.state is RunState.CANCELLED
    assert await event_kinds(runs, run) == ["run_started", "waiting_on_human", "agent_done", "run_done"]
    assert dispatcher.woken_lanes == [run.lane]


async def test_X2_of_a_pause_and_a_cancel_at_once_the_run_is_cancelled_in_every_order(
    runs: SqlRunStore, paths: SqlPaths
) -> None:
    for n in range(20):
        run = await start_run(runs, a_run(await a_topic(paths, f"Topic {n}")))
        both = [runs.pause(run, a_question(), []), runs.cancel(run.id)]
        await asyncio.gather(*(both if n % 2 else both[::-1]))
        assert (await runs.run(run.id)).state is RunState.CANCELLED
        assert (await event_kinds(runs, run)).count("run_done") == 1


async def test_B5_of_a_cancel_and_an_end_at_once_one_end_is_written(runs: SqlRunStore, paths: SqlPaths) -> None:
    for n in range(20):
        run = await start_run(runs, a_run(await a_topic(paths, f"Topic {n}")))
        both = [end_run(runs, run), runs.cancel(run.id)]
        await asyncio.gather(*(both if n % 2 else both[::-1]))
        assert (await runs.run(run.id)).state is RunState.COMPLETED
        assert await event_kinds(runs, run) == ["run_started", "run_done"]


async def test_what_ended_without_a_worker_has_spent_what_its_events_tell_and_its_children(
    runs: SqlRunStore, paths: SqlPaths, database: Database, node: NodeRow
) -> None:
    root = await cut_off_run(runs, database, a_run(node))
    child = await start_run(runs, a_child(root, await a_concept(paths, node, "Light")))
    await end_run(runs, child)
    await runs.append(root, [UsageReported(usage=SPENT), UsageReported(usage=SPENT)])
    await runs.cancel(root.id)
    total = (await runs.run(root.id)).usage
    assert (total.input_tokens, total.output_tokens, total.cost_usd) == (17, 8, 0.5)
    for one in (await runs.events(root.id))[-2:]:
        assert Usage.model_validate(json.loads(one.data)["usage"]) == total


async def test_what_ends_silently_with_its_root_has_spent_what_its_events_tell_and_the_root_too(
    runs: SqlRunStore, tree: Tree
) -> None:
    for one in (tree.grandchild, tree.child, tree.other):
        await runs.append(one, [UsageReported(usage=SPENT)])
    waiting = await runs.pause(tree.root, a_question(), [])
    await runs.cancel(waiting.id)
    spent = [
        (await runs.run(one.id)).usage.input_tokens for one in (tree.grandchild, tree.child, tree.other, tree.root)
    ]
    assert spent == [SPENT.input_tokens, 2 * SPENT.input_tokens, SPENT.input_tokens, 3 * SPENT.input_tokens]


async def test_R2_an_end_wakes_its_lane_if_runs_queue_there_and_its_waiters(
    runs: SqlRunStore, node: NodeRow, tree: Tree, dispatcher: RecordingDispatcher
) -> None:
    for run in (tree.root, tree.other, tree.grandchild):
        await queue_behind(runs, node, run)
    dispatcher.woken_lanes.clear()
    await end_run(runs, tree.grandchild)
    assert (dispatcher.woken_lanes, dispatcher.woken_runs) == ([tree.grandchild.lane], [tree.child.id])
    await end_run(runs, tree.child)
    assert dispatcher.woken_lanes == [tree.grandchild.lane], "nobody waits in the lane of the other"
    assert dispatcher.woken_runs == [tree.child.id, tree.root.id]
    dispatcher.woken_lanes.clear()
    await end_run(runs, tree.root)
    assert set(dispatcher.woken_lanes) == {tree.root.lane, tree.other.lane}
    assert dispatcher.woken_runs[2:] == [tree.other.id]


async def test_an_end_that_is_refused_wakes_nobody(
    runs: SqlRunStore, node: NodeRow, dispatcher: RecordingDispatcher
) -> None:
    run = await start_run(runs, a_run(node))
    await queue_behind(runs, node, run)
    await end_run(runs, run)
    dispatcher.woken_lanes.clear()
    with pytest.raises(RunAlreadyEnded):
        await end_run(runs, run, RunState.FAILED)
    assert dispatcher.woken_lanes == []


async def test_B6_those_who_queue_behind_a_child_that_ends_with_its_root_are_told(
    runs: SqlRunStore, paths: SqlPaths, node: NodeRow, dispatcher: RecordingDispatcher
) -> None:
    """B6, R2: the root's end frees the lanes of its children too."""
    concept = await a_concept(paths, node, "Light")
    root = await start_run(runs, a_run(node))
    child = await start_run(runs, a_child(root, concept))
    behind = (await runs.admit(a_run(concept, lane=child.lane), on_busy=OnBusy.ENQUEUE)).run
    dispatcher.woken_lanes.clear()
    await end_run(runs, root)
    assert await queue_positions(runs, behind) == [1, 0]
    assert child.lane in dispatcher.woken_lanes
    taken = await runs.claim(child.lane, CLAIM)
    assert taken is not None
    assert taken.id == behind.id


async def test_B5_an_end_is_not_kept_up_by_the_end_of_another_who_queued_behind_it(
    runs: SqlRunStore, paths: SqlPaths
) -> None:
    """A root that ends takes along a child that queues in the lane of another run, which ends at the same time."""
    for n in range(20):
        node = await a_topic(paths, f"Topic {n}")
        concept = await a_concept(paths, node, "Light")
        root = await start_run(runs, a_run(node))
        going = await start_run(runs, a_run(concept, lane=f"concept:{concept.id}"))
        await queue_run(runs, a_child(root, concept))
        both = [end_run(runs, root), end_run(runs, going)]
        settled = await asyncio.gather(*(both if n % 2 else both[::-1]))
        assert {one.state for one in settled} == {RunState.COMPLETED}
    assert await unfinished_runs(runs) == []


async def test_F1_a_run_that_has_ended_can_be_discarded_and_another_cannot(runs: SqlRunStore, node: NodeRow) -> None:
    run = await start_run(runs, a_run(node))
    with pytest.raises(Conflict):
        await runs.discard(run)
    assert not (await runs.run(run.id)).discarded
    failed = await end_run(runs, run, RunState.FAILED)
    discarded = await runs.discard(failed)
    assert (discarded.state, discarded.discarded) == (RunState.FAILED, True)
    assert await runs.discard(discarded) == discarded, "twice does no harm"
    assert await event_kinds(runs, run) == ["run_started", "run_done"]


async def test_F1_only_what_was_cut_off_can_be_asked_to_go_on(
    runs: SqlRunStore, paths: SqlPaths, node: NodeRow, dispatcher: RecordingDispatcher
) -> None:
    going = await start_run(runs, a_run(node))
    waiting = await runs.pause(await start_run(runs, a_run(await a_topic(paths, "Rivers"))), a_question(), [])
    queueing = await queue_run(runs, a_run(node))
    done = await end_run(runs, await start_run(runs, a_run(await a_topic(paths, "Seas"))))
    dispatcher.woken_lanes.clear()
    for run in (going, waiting, queueing, done):
        with pytest.raises(Conflict):
            await runs.request_resume(run)
        assert (await runs.run(run.id)).cause == "cut_off"
    assert dispatcher.woken_lanes == []


async def leave_run_as(left: str, runs: SqlRunStore, database: Database, node: NodeRow) -> Run:
    """A run that nobody carries."""
    match left:
        case "queued":
            return await queue_run(runs, a_run(node))
        case "waiting":
            return await runs.pause(await start_run(runs, a_run(node)), a_question(), [])
        case _:
            return await cut_off_run(runs, database, a_run(node))
