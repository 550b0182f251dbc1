"""Admission to a lane on both databases: order, positions, the four policies, children."""

import asyncio

import pytest

from harness.builders import (
    CLAIM,
    RecordingDispatcher,
    a_child,
    a_concept,
    a_question,
    a_run,
    a_topic,
    cut_off_run,
    end_run,
    event_kinds,
    queue_positions,
    queue_run,
    start_run,
    unfinished_runs,
)
from sprout.errors import NotFound
from sprout.events import NodeRow
from sprout.runs.run_store import LaneBusy, OnBusy
from sprout.runs.state import Run, RunAlreadyEnded, RunState
from sprout.runs.streaming.bus import BusMessage, EphemeralEvent, learner_channel
from sprout.store.engine.database import Database
from sprout.store.paths.paths import SqlPaths
from sprout.store.runs.repository import SqlRunStore

MANY = 100


@pytest.fixture
async def node(paths: SqlPaths) -> NodeRow:
    return await a_topic(paths)


async def test_R1_a_hundred_admissions_at_once_are_executed_one_after_another_in_the_order_of_the_queue(
    runs: SqlRunStore, node: NodeRow
) -> None:
    """R1, D-2, trap 67: creation order = queue order = claim order, and never two at a time."""
    admitted = await asyncio.gather(
        *(runs.admit(a_run(node), on_busy=OnBusy.ENQUEUE, lease=CLAIM) for _ in range(MANY))
    )
    assert {one.outcome for one in admitted} == {"new"}
    assert sorted(one.run.position for one in admitted) == [0, *range(1, MANY)]

    in_order = [one.id for one in await unfinished_runs(runs)]
    by_position = sorted(admitted, key=lambda one: one.run.position)
    assert [one.run.id for one in by_position] == in_order
    claimed_runs = [by_position[0].run]
    assert claimed_runs[0].state is RunState.RUNNING
    for _ in range(4):
        assert await runs.claim(claimed_runs[-1].lane, CLAIM) is None, "one is going"
        await end_run(runs, claimed_runs[-1])
        claimed_runs.append(await claim_run(runs, claimed_runs[-1].lane))
    assert [one.id for one in claimed_runs] == in_order[:5]
    left = await unfinished_runs(runs)
    assert [one.position for one in left] == [0, *range(1, MANY - 4)]


async def test_B6_a_position_is_sent_on_admission_and_to_all_behind_when_one_ends(
    runs: SqlRunStore, node: NodeRow
) -> None:
    """B6, trap 70."""
    going = await start_run(runs, a_run(node))
    waiting = [await queue_run(runs, a_run(node)) for _ in range(3)]
    assert [one.position for one in waiting] == [1, 2, 3]

    await end_run(runs, going)
    assert [await queue_positions(runs, one) for one in waiting] == [[1, 0], [2, 1], [3, 2]]
    await claim_run(runs, going.lane)
    assert [await queue_positions(runs, one) for one in waiting] == [[1, 0], [2, 1], [3, 2]], (
        "who begins changes nothing"
    )
    assert [(await runs.run(one.id)).position for one in waiting] == [0, 1, 2]


async def test_B6_only_those_behind_are_told_when_one_in_the_middle_is_cancelled(
    runs: SqlRunStore, node: NodeRow
) -> None:
    """B6, trap 70."""
    await start_run(runs, a_run(node))
    before, middle, after, last = [await queue_run(runs, a_run(node)) for _ in range(4)]
    await runs.cancel(middle.id)
    positions = [await queue_positions(runs, one) for one in (before, middle, after, last)]
    assert positions == [[1], [2], [3, 2], [4, 3]]
    assert [one.position for one in await unfinished_runs(runs)] == [0, 1, 2, 3]


async def test_R3_who_does_not_want_to_wait_is_told_which_run_is_going(runs: SqlRunStore, node: NodeRow) -> None:
    going = (await runs.admit(a_run(node), on_busy=OnBusy.REJECT, lease=CLAIM)).run
    refused = await asyncio.gather(
        *(runs.admit(a_run(node), on_busy=OnBusy.REJECT) for _ in range(9)), return_exceptions=True
    )
    assert [one.run_id for one in refused if isinstance(one, LaneBusy)] == [going.id] * 9
    assert [one.id for one in await unfinished_runs(runs)] == [going.id]
    assert await event_kinds(runs, going) == ["run_started"]

    await end_run(runs, going)
    assert (await runs.admit(a_run(node), on_busy=OnBusy.REJECT)).outcome == "new"


async def test_R3_a_queued_run_makes_its_lane_busy_too(runs: SqlRunStore, node: NodeRow) -> None:
    first = await queue_run(runs, a_run(node))
    with pytest.raises(LaneBusy) as refused:
        await runs.admit(a_run(node), on_busy=OnBusy.REJECT)
    assert refused.value.run_id == first.id
    assert (await runs.admit(a_run(node), lease=CLAIM)).run.id == first.id, "nor does a claim jump the queue"
    second = (await runs.admit(a_run(node), on_busy=OnBusy.ENQUEUE, lease=CLAIM)).run
    assert (second.state, second.position) == (RunState.QUEUED, 1)


async def test_R3_an_interrupted_run_is_asked_to_stop_and_the_new_one_comes_next(
    runs: SqlRunStore, node: NodeRow, dispatcher: RecordingDispatcher
) -> None:
    going = await start_run(runs, a_run(node))
    admission = await runs.admit(a_run(node), on_busy=OnBusy.INTERRUPT, lease=CLAIM)
    assert (admission.outcome, admission.run.state, admission.run.position) == ("new", RunState.QUEUED, 1)
    assert dispatcher.woken_runs == [going.id]
    asked = await runs.run(going.id)
    assert (asked.state, asked.cancel_requested) == (RunState.RUNNING, True)
    assert list(await runs.renew_lease(CLAIM)) == [going.id]

    await end_run(runs, going, RunState.CANCELLED)
    assert (await claim_run(runs, going.lane)).id == admission.run.id


@pytest.mark.parametrize("left", ["waiting", "cut off"])
async def test_R3_an_interrupted_run_without_a_worker_ends_at_once_and_the_new_one_runs(
    runs: SqlRunStore, node: NodeRow, database: Database, left: str
) -> None:
    if left == "waiting":
        going = await runs.pause(await start_run(runs, a_run(node)), a_question(), [])
    else:
        going = await cut_off_run(runs, database, a_run(node))
    admission = await runs.admit(a_run(node), on_busy=OnBusy.INTERRUPT, lease=CLAIM)
    assert (admission.outcome, admission.run.state, admission.run.epoch) == ("new", RunState.RUNNING, 1)
    assert (await runs.run(going.id)).state is RunState.CANCELLED
    assert (await event_kinds(runs, going))[-2:] == ["agent_done", "run_done"]


async def test_R3_an_interruption_of_a_queue_keeps_its_order(runs: SqlRunStore, node: NodeRow) -> None:
    await runs.pause(await start_run(runs, a_run(node)), a_question(), [])
    next_one = await queue_run(runs, a_run(node))
    admission = await runs.admit(a_run(node), on_busy=OnBusy.INTERRUPT, lease=CLAIM)
    assert (admission.run.state, admission.run.position) == (RunState.QUEUED, 1)
    assert (await claim_run(runs, next_one.lane)).id == next_one.id


async def test_R3_who_attaches_gets_the_run_that_holds_the_lane_or_else_the_first_that_waits(
    runs: SqlRunStore, node: NodeRow
) -> None:
    waiting = [await queue_run(runs, a_run(node)) for _ in range(2)]
    assert (await runs.admit(a_run(node))).run.id == waiting[0].id
    await claim_run(runs, waiting[0].lane)
    admission = await runs.admit(a_run(node), on_busy=OnBusy.ATTACH)
    assert (admission.outcome, admission.run.id, admission.run.state) == ("attached", waiting[0].id, RunState.RUNNING)
    assert len(await unfinished_runs(runs)) == 2


async def test_R1_lanes_do_not_wait_for_one_another(runs: SqlRunStore, paths: SqlPaths) -> None:
    nodes = [await a_topic(paths, f"Topic {n}") for n in range(3)]
    going = [await start_run(runs, a_run(node)) for node in nodes]
    assert {one.state for one in going} == {RunState.RUNNING}


async def test_B1_of_many_claims_at_once_all_but_one_get_nothing(runs: SqlRunStore, node: NodeRow) -> None:
    """B4: a surplus claim is harmless, also on a lane in which nothing is."""
    first, _ = await queue_run(runs, a_run(node)), await queue_run(runs, a_run(node))
    results = await asyncio.gather(*(runs.claim(first.lane, CLAIM) for _ in range(20)))
    assert [one.id for one in results if one is not None] == [first.id]
    assert await runs.claim("topic:nothing", CLAIM) is None


async def test_trap_66_a_message_that_comes_while_a_run_ends_is_never_lost(
    runs: SqlRunStore, node: NodeRow, dispatcher: RecordingDispatcher
) -> None:
    """B6: it is attached to the run before its end, or it is the next one, at once or when its lane is claimed."""
    for _ in range(20):
        going = await start_run(runs, a_run(node))
        _, admission = await asyncio.gather(end_run(runs, going), runs.admit(a_run(node), on_busy=OnBusy.ENQUEUE))
        assert dispatcher.woken_lanes[-1] == going.lane
        assert (await claim_run(runs, going.lane)).id == admission.run.id
        await end_run(runs, await runs.run(admission.run.id))


async def test_a_new_root_is_told_to_its_learner_once_and_a_child_or_an_attached_one_is_not(
    database: Database, paths: SqlPaths, node: NodeRow
) -> None:
    published: list[BusMessage] = []
    runs = SqlRunStore(database, published.append, RecordingDispatcher())
    root = await start_run(runs, a_run(node))
    await runs.admit(a_run(node))
    await start_run(runs, a_child(root, await a_concept(paths, node, "Light")))
    assert [one for one in published if isinstance(one, EphemeralEvent)] == [
        EphemeralEvent(learner_channel(node.user_id), "run_admitted", root.id)
    ]


async def test_R4_a_child_has_a_lane_of_its_own_and_is_not_taken_in_twice(
    runs: SqlRunStore, paths: SqlPaths, node: NodeRow
) -> None:
    """R4, trap 62; also when it has ended: its parent, taken up again, gets what it has."""
    root, concept = await start_run(runs, a_run(node)), await a_concept(paths, node, "Light")
    child = await start_run(runs, a_child(root, concept))
    assert (child.state, child.lane) == (RunState.RUNNING, f"concept:{concept.id}")
    assert (await runs.admit(a_child(root, concept), lease=CLAIM)).outcome == "attached"
    await end_run(runs, child)
    again = await runs.admit(a_child(root, concept), lease=CLAIM)
    assert (again.outcome, again.run.id, again.run.state) == ("attached", child.id, RunState.COMPLETED)


async def test_R4_of_many_admissions_of_one_child_at_once_one_is_made(
    runs: SqlRunStore, paths: SqlPaths, node: NodeRow
) -> None:
    root, concept = await start_run(runs, a_run(node)), await a_concept(paths, node, "Light")
    admitted = await asyncio.gather(*(runs.admit(a_child(root, concept), lease=CLAIM) for _ in range(20)))
    assert sorted(one.outcome for one in admitted) == ["attached"] * 19 + ["new"]
    assert len(await runs.unfinished_children(root.id)) == 1


async def test_R4_no_child_is_taken_in_under_a_root_that_has_ended_or_is_gone(
    runs: SqlRunStore, paths: SqlPaths, node: NodeRow
) -> None:
    root, concept = await start_run(runs, a_run(node)), await a_concept(paths, node, "Light")
    await end_run(runs, root)
    with pytest.raises(RunAlreadyEnded):
        await runs.admit(a_child(root, concept), lease=CLAIM)
    with pytest.raises(NotFound):
        await runs.admit(a_child(a_run(node), concept), lease=CLAIM)
    assert await unfinished_runs(runs) == []


async def test_R4_a_child_of_a_root_that_was_asked_to_stop_is_asked_too(
    runs: SqlRunStore, paths: SqlPaths, node: NodeRow
) -> None:
    root, concept = await start_run(runs, a_run(node)), await a_concept(paths, node, "Light")
    await runs.cancel(root.id)
    child = (await runs.admit(a_child(root, concept), lease=CLAIM)).run
    assert (child.state, child.cancel_requested) == (RunState.RUNNING, True)
    waiting = (await runs.admit(a_child(root, await a_concept(paths, node, "Leaves")))).run
    assert await runs.claim(waiting.lane, CLAIM) is None
    assert (await runs.run(waiting.id)).state is RunState.CANCELLED


async def claim_run(runs: SqlRunStore, lane: str) -> Run:
    run = await runs.claim(lane, CLAIM)
    assert run is not None, "there is something to claim"
    return run
