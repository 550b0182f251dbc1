"""Who is admitted to a lane and who is next there, on both databases: order, positions, the four policies, children."""

import asyncio

import pytest

from sprout.errors import NotFound
from sprout.events import NodeRow
from sprout.runs.bus import News, Passing, learner_channel
from sprout.runs.log import LaneBusy, OnBusy
from sprout.runs.state import Run, RunAlreadyEnded, RunState
from sprout.store.database import Database
from sprout.store.library import SqlLibrary
from sprout.store.runs import SqlRunStore
from tests.builders import (
    CLAIM,
    NotedWakeUps,
    a_child,
    a_concept,
    a_question,
    a_run,
    a_topic,
    cut_off,
    ended,
    kinds,
    positions,
    queued,
    started,
)

MANY = 100


@pytest.fixture
async def node(library: SqlLibrary) -> NodeRow:
    return await a_topic(library)


async def test_R1_a_hundred_admissions_at_once_are_carried_one_after_another_in_the_order_of_the_queue(
    runs: SqlRunStore, node: NodeRow
) -> None:
    """R1, D-2, trap 67: creation order = queue order = claim order, and never two at a time."""
    admitted = await asyncio.gather(
        *(runs.admit(a_run(node), on_busy=OnBusy.ENQUEUE, claim=CLAIM) for _ in range(MANY))
    )
    assert {one.verdict for one in admitted} == {"new"}
    assert sorted(one.run.position for one in admitted) == [0, *range(1, MANY)]

    in_order = [one.id for one in await runs.unfinished()]
    by_position = sorted(admitted, key=lambda one: one.run.position)
    assert [one.run.id for one in by_position] == in_order
    carried = [by_position[0].run]
    assert carried[0].state is RunState.RUNNING
    for _ in range(4):
        assert await runs.claim(carried[-1].lane, CLAIM) is None, "one is going"
        await ended(runs, carried[-1])
        carried.append(await claimed(runs, carried[-1].lane))
    assert [one.id for one in carried] == in_order[:5]
    left = await runs.unfinished()
    assert [one.position for one in left] == [0, *range(1, MANY - 4)]


async def test_B6_a_position_is_told_on_admission_and_to_all_behind_when_one_ends(
    runs: SqlRunStore, node: NodeRow
) -> None:
    """B6, trap 70."""
    going = await started(runs, a_run(node))
    waiting = [await queued(runs, a_run(node)) for _ in range(3)]
    assert [one.position for one in waiting] == [1, 2, 3]

    await ended(runs, going)
    assert [await positions(runs, one) for one in waiting] == [[1, 0], [2, 1], [3, 2]]
    await claimed(runs, going.lane)
    assert [await positions(runs, one) for one in waiting] == [[1, 0], [2, 1], [3, 2]], "who begins changes nothing"
    assert [(await runs.run(one.id)).position for one in waiting] == [0, 1, 2]


async def test_B6_only_those_behind_are_told_when_one_in_the_middle_is_cancelled(
    runs: SqlRunStore, node: NodeRow
) -> None:
    """B6, trap 70."""
    await started(runs, a_run(node))
    before, middle, after, last = [await queued(runs, a_run(node)) for _ in range(4)]
    await runs.cancel(middle.id)
    told = [await positions(runs, one) for one in (before, middle, after, last)]
    assert told == [[1], [2], [3, 2], [4, 3]]
    assert [one.position for one in await runs.unfinished()] == [0, 1, 2, 3]


async def test_R3_who_does_not_want_to_wait_is_told_which_run_is_going(runs: SqlRunStore, node: NodeRow) -> None:
    going = (await runs.admit(a_run(node), on_busy=OnBusy.REJECT, claim=CLAIM)).run
    refused = await asyncio.gather(
        *(runs.admit(a_run(node), on_busy=OnBusy.REJECT) for _ in range(9)), return_exceptions=True
    )
    assert [one.run_id for one in refused if isinstance(one, LaneBusy)] == [going.id] * 9
    assert [one.id for one in await runs.unfinished()] == [going.id]
    assert await kinds(runs, going) == ["run_started"]

    await ended(runs, going)
    assert (await runs.admit(a_run(node), on_busy=OnBusy.REJECT)).verdict == "new"


async def test_R3_a_queued_run_makes_its_lane_busy_too(runs: SqlRunStore, node: NodeRow) -> None:
    first = await queued(runs, a_run(node))
    with pytest.raises(LaneBusy) as refused:
        await runs.admit(a_run(node), on_busy=OnBusy.REJECT)
    assert refused.value.run_id == first.id
    assert (await runs.admit(a_run(node), claim=CLAIM)).run.id == first.id, "nor does a claim jump the queue"
    second = (await runs.admit(a_run(node), on_busy=OnBusy.ENQUEUE, claim=CLAIM)).run
    assert (second.state, second.position) == (RunState.QUEUED, 1)


async def test_R3_an_interrupted_run_is_asked_to_stop_and_the_new_one_comes_next(
    runs: SqlRunStore, node: NodeRow, dispatcher: NotedWakeUps
) -> None:
    going = await started(runs, a_run(node))
    admission = await runs.admit(a_run(node), on_busy=OnBusy.INTERRUPT, claim=CLAIM)
    assert (admission.verdict, admission.run.state, admission.run.position) == ("new", RunState.QUEUED, 1)
    assert dispatcher.nudged == [going.id]
    asked = await runs.run(going.id)
    assert (asked.state, asked.cancel_requested) == (RunState.RUNNING, True)
    assert list(await runs.renew(CLAIM)) == [going.id]

    await ended(runs, going, RunState.CANCELLED)
    assert (await claimed(runs, going.lane)).id == admission.run.id


@pytest.mark.parametrize("left", ["waiting", "cut off"])
async def test_R3_an_interrupted_run_that_nobody_carries_ends_at_once_and_the_new_one_runs(
    runs: SqlRunStore, node: NodeRow, database: Database, left: str
) -> None:
    if left == "waiting":
        going = await runs.pause(await started(runs, a_run(node)), a_question(), [])
    else:
        going = await cut_off(runs, database, a_run(node))
    admission = await runs.admit(a_run(node), on_busy=OnBusy.INTERRUPT, claim=CLAIM)
    assert (admission.verdict, admission.run.state, admission.run.epoch) == ("new", RunState.RUNNING, 1)
    assert (await runs.run(going.id)).state is RunState.CANCELLED
    assert (await kinds(runs, going))[-2:] == ["agent_done", "run_done"]


async def test_R3_an_interruption_of_a_queue_keeps_its_order(runs: SqlRunStore, node: NodeRow) -> None:
    await runs.pause(await started(runs, a_run(node)), a_question(), [])
    next_one = await queued(runs, a_run(node))
    admission = await runs.admit(a_run(node), on_busy=OnBusy.INTERRUPT, claim=CLAIM)
    assert (admission.run.state, admission.run.position) == (RunState.QUEUED, 1)
    assert (await claimed(runs, next_one.lane)).id == next_one.id


async def test_R3_who_attaches_gets_the_run_that_holds_the_lane_or_else_the_first_that_waits(
    runs: SqlRunStore, node: NodeRow
) -> None:
    waiting = [await queued(runs, a_run(node)) for _ in range(2)]
    assert (await runs.admit(a_run(node))).run.id == waiting[0].id
    await claimed(runs, waiting[0].lane)
    admission = await runs.admit(a_run(node), on_busy=OnBusy.ATTACH)
    assert (admission.verdict, admission.run.id, admission.run.state) == ("attached", waiting[0].id, RunState.RUNNING)
    assert len(await runs.unfinished()) == 2


async def test_R1_lanes_do_not_wait_for_one_another(runs: SqlRunStore, library: SqlLibrary) -> None:
    nodes = [await a_topic(library, f"Topic {n}") for n in range(3)]
    going = [await started(runs, a_run(node)) for node in nodes]
    assert {one.state for one in going} == {RunState.RUNNING}


async def test_B1_of_many_claims_at_once_all_but_one_get_nothing(runs: SqlRunStore, node: NodeRow) -> None:
    """B4: a surplus claim is harmless, also on a lane in which nothing is."""
    first, _ = await queued(runs, a_run(node)), await queued(runs, a_run(node))
    results = await asyncio.gather(*(runs.claim(first.lane, CLAIM) for _ in range(20)))
    assert [one.id for one in results if one is not None] == [first.id]
    assert await runs.claim("topic:nothing", CLAIM) is None


async def test_trap_66_a_message_that_comes_while_a_run_ends_is_never_lost(
    runs: SqlRunStore, node: NodeRow, dispatcher: NotedWakeUps
) -> None:
    """B6: it is attached to the run before its end, or it is the next one, at once or when its lane is claimed."""
    for _ in range(20):
        going = await started(runs, a_run(node))
        _, admission = await asyncio.gather(ended(runs, going), runs.admit(a_run(node), on_busy=OnBusy.ENQUEUE))
        assert dispatcher.lanes[-1] == going.lane
        assert (await claimed(runs, going.lane)).id == admission.run.id
        await ended(runs, await runs.run(admission.run.id))


async def test_a_new_root_is_told_to_its_learner_once_and_a_child_or_an_attached_one_is_not(
    database: Database, library: SqlLibrary, node: NodeRow
) -> None:
    told: list[News] = []
    runs = SqlRunStore(database, told.append, NotedWakeUps())
    root = await started(runs, a_run(node))
    await runs.admit(a_run(node))
    await started(runs, a_child(root, await a_concept(library, node, "Light")))
    assert [one for one in told if isinstance(one, Passing)] == [
        Passing(learner_channel(node.user_id), "run_admitted", root.id)
    ]


async def test_R4_a_child_has_a_lane_of_its_own_and_is_not_taken_in_twice(
    runs: SqlRunStore, library: SqlLibrary, node: NodeRow
) -> None:
    """R4, trap 62; also when it has ended: its parent, taken up again, gets what it has."""
    root, concept = await started(runs, a_run(node)), await a_concept(library, node, "Light")
    child = await started(runs, a_child(root, concept))
    assert (child.state, child.lane) == (RunState.RUNNING, f"concept:{concept.id}")
    assert (await runs.admit(a_child(root, concept), claim=CLAIM)).verdict == "attached"
    await ended(runs, child)
    again = await runs.admit(a_child(root, concept), claim=CLAIM)
    assert (again.verdict, again.run.id, again.run.state) == ("attached", child.id, RunState.COMPLETED)


async def test_R4_of_many_admissions_of_one_child_at_once_one_is_made(
    runs: SqlRunStore, library: SqlLibrary, node: NodeRow
) -> None:
    root, concept = await started(runs, a_run(node)), await a_concept(library, node, "Light")
    admitted = await asyncio.gather(*(runs.admit(a_child(root, concept), claim=CLAIM) for _ in range(20)))
    assert sorted(one.verdict for one in admitted) == ["attached"] * 19 + ["new"]
    assert len(await runs.open_children(root.id)) == 1


async def test_R4_no_child_is_taken_in_under_a_root_that_has_ended_or_is_gone(
    runs: SqlRunStore, library: SqlLibrary, node: NodeRow
) -> None:
    root, concept = await started(runs, a_run(node)), await a_concept(library, node, "Light")
    await ended(runs, root)
    with pytest.raises(RunAlreadyEnded):
        await runs.admit(a_child(root, concept), claim=CLAIM)
    with pytest.raises(NotFound):
        await runs.admit(a_child(a_run(node), concept), claim=CLAIM)
    assert await runs.unfinished() == []


async def test_R4_a_child_of_a_root_that_was_asked_to_stop_is_asked_too(
    runs: SqlRunStore, library: SqlLibrary, node: NodeRow
) -> None:
    root, concept = await started(runs, a_run(node)), await a_concept(library, node, "Light")
    await runs.cancel(root.id)
    child = (await runs.admit(a_child(root, concept), claim=CLAIM)).run
    assert (child.state, child.cancel_requested) == (RunState.RUNNING, True)
    waiting = (await runs.admit(a_child(root, await a_concept(library, node, "Leaves")))).run
    assert await runs.claim(waiting.lane, CLAIM) is None
    assert (await runs.run(waiting.id)).state is RunState.CANCELLED


async def claimed(runs: SqlRunStore, lane: str) -> Run:
    run = await runs.claim(lane, CLAIM)
    assert run is not None, "there is something to claim"
    return run
