"""One key, one run, however often and however fast the request comes (R5), on both databases."""

import asyncio

import pytest

from harness.builders import CLAIM, a_run, a_topic, end_run, start_run, unfinished_runs
from sprout.events import NodeRow
from sprout.runs.run_store import KeyReused, LaneBusy, OnBusy, RequestKey
from sprout.store.paths.paths import SqlPaths
from sprout.store.runs.repository import SqlRunStore

KEY = RequestKey("k", "digest of the request")


@pytest.fixture
async def node(paths: SqlPaths) -> NodeRow:
    return await a_topic(paths)


@pytest.mark.parametrize("on_busy", [OnBusy.ENQUEUE, OnBusy.INTERRUPT])
async def test_R5_a_hundred_requests_with_one_key_at_once_make_one_run(
    runs: SqlRunStore, node: NodeRow, on_busy: OnBusy
) -> None:
    """R5, D-3, trap 65."""
    admitted = await asyncio.gather(
        *(runs.admit(a_run(node), on_busy=on_busy, key=KEY, lease=CLAIM) for _ in range(100))
    )
    assert sorted(one.outcome for one in admitted) == ["new"] + ["replayed"] * 99
    (made,) = await unfinished_runs(runs)
    assert {one.run.id for one in admitted} == {made.id}
    assert not made.cancel_requested


async def test_R5_a_key_finds_its_run_also_after_the_end(runs: SqlRunStore, node: NodeRow) -> None:
    first = (await runs.admit(a_run(node), key=KEY, lease=CLAIM)).run
    done = await end_run(runs, first)
    again = await runs.admit(a_run(node), key=KEY, lease=CLAIM)
    assert (again.outcome, again.run) == ("replayed", done)
    assert await unfinished_runs(runs) == []


async def test_R5_a_key_that_comes_with_another_request_is_refused(runs: SqlRunStore, node: NodeRow) -> None:
    first = (await runs.admit(a_run(node), key=KEY)).run
    with pytest.raises(KeyReused):
        await runs.admit(a_run(node), on_busy=OnBusy.ENQUEUE, key=RequestKey(KEY.key, "of another request"))
    assert [one.id for one in await unfinished_runs(runs)] == [first.id]


async def test_R5_of_two_requests_that_share_a_key_by_mistake_one_is_refused(runs: SqlRunStore, node: NodeRow) -> None:
    results = await asyncio.gather(
        *(runs.admit(a_run(node), key=RequestKey("k", f"digest {n % 2}"), lease=CLAIM) for n in range(20)),
        return_exceptions=True,
    )
    assert sum(isinstance(one, KeyReused) for one in results) == 10
    assert len(await unfinished_runs(runs)) == 1


async def test_R5_a_key_is_its_learners_own(runs: SqlRunStore, paths: SqlPaths, node: NodeRow) -> None:
    theirs = await a_topic(paths, user_id="someone-else")
    mine = (await runs.admit(a_run(node), key=KEY)).run
    other = await runs.admit(a_run(theirs), key=RequestKey(KEY.key, "of another request"))
    assert (other.outcome, other.run.id == mine.id) == ("new", False)


async def test_R5_two_keys_are_two_requests(runs: SqlRunStore, node: NodeRow) -> None:
    for name in ("a", "b"):
        await runs.admit(a_run(node), on_busy=OnBusy.ENQUEUE, key=RequestKey(name, "digest"))
    assert len(await unfinished_runs(runs)) == 2


async def test_R5_the_key_of_a_request_that_was_attached_finds_the_run_that_served_it(
    runs: SqlRunStore, node: NodeRow
) -> None:
    going = await start_run(runs, a_run(node))
    attached = await runs.admit(a_run(node), key=KEY)
    assert (attached.outcome, attached.run.id) == ("attached", going.id)
    await end_run(runs, going)
    again = await runs.admit(a_run(node), key=KEY)
    assert (again.outcome, again.run.id) == ("replayed", going.id)


async def test_R5_a_key_whose_request_was_refused_can_be_sent_again(runs: SqlRunStore, node: NodeRow) -> None:
    going = await start_run(runs, a_run(node))
    with pytest.raises(LaneBusy):
        await runs.admit(a_run(node), on_busy=OnBusy.REJECT, key=KEY)
    await end_run(runs, going)
    assert (await runs.admit(a_run(node), on_busy=OnBusy.REJECT, key=KEY)).outcome == "new"


async def test_R5_the_first_run_of_keys_that_begin_alike_is_found_by_its_learner_alone(
    runs: SqlRunStore, node: NodeRow
) -> None:
    made = [
        (await runs.admit(a_run(node), on_busy=OnBusy.ENQUEUE, key=RequestKey(key, "digest"))).run.id
        for key in ("chat:2", "chat:1", "chXt:0")
    ]
    first, exact = [await runs.run_of_key(key, user_id=node.user_id) for key in ("chat:", "chat:1")]
    assert first is not None
    assert exact is not None
    assert [first.id, exact.id] == made[:2]
    assert [await runs.run_of_key(key, user_id=node.user_id) for key in ("ch_t:", "chat:3")] == [None, None]
    assert await runs.run_of_key("chat:", user_id="someone-else") is None
