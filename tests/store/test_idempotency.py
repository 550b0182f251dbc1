"""One key, one run, however often and however fast the request comes (R5), on both databases."""

import asyncio

import pytest

from sprout.events import NodeRow
from sprout.runs.log import Key, KeyReused, LaneBusy, OnBusy
from sprout.store.library import SqlLibrary
from sprout.store.runs import SqlRunStore
from tests.builders import CLAIM, a_run, a_topic, ended, started

KEY = Key("k", "digest of the request")


@pytest.fixture
async def node(library: SqlLibrary) -> NodeRow:
    return await a_topic(library)


@pytest.mark.parametrize("on_busy", [OnBusy.ENQUEUE, OnBusy.INTERRUPT])
async def test_R5_a_hundred_requests_with_one_key_at_once_make_one_run(
    runs: SqlRunStore, node: NodeRow, on_busy: OnBusy
) -> None:
    """R5, D-3, trap 65."""
    admitted = await asyncio.gather(
        *(runs.admit(a_run(node), on_busy=on_busy, key=KEY, claim=CLAIM) for _ in range(100))
    )
    assert sorted(one.verdict for one in admitted) == ["new"] + ["replayed"] * 99
    (made,) = await runs.unfinished()
    assert {one.run.id for one in admitted} == {made.id}
    assert not made.cancel_requested


async def test_R5_a_key_finds_its_run_also_after_the_end(runs: SqlRunStore, node: NodeRow) -> None:
    first = (await runs.admit(a_run(node), key=KEY, claim=CLAIM)).run
    done = await ended(runs, first)
    again = await runs.admit(a_run(node), key=KEY, claim=CLAIM)
    assert (again.verdict, again.run) == ("replayed", done)
    assert await runs.unfinished() == []


async def test_R5_a_key_that_comes_with_another_request_is_refused(runs: SqlRunStore, node: NodeRow) -> None:
    first = (await runs.admit(a_run(node), key=KEY)).run
    with pytest.raises(KeyReused):
        await runs.admit(a_run(node), on_busy=OnBusy.ENQUEUE, key=Key(KEY.key, "of another request"))
    assert [one.id for one in await runs.unfinished()] == [first.id]


async def test_R5_of_two_requests_that_share_a_key_by_mistake_one_is_refused(runs: SqlRunStore, node: NodeRow) -> None:
    results = await asyncio.gather(
        *(runs.admit(a_run(node), key=Key("k", f"digest {n % 2}"), claim=CLAIM) for n in range(20)),
        return_exceptions=True,
    )
    assert sum(isinstance(one, KeyReused) for one in results) == 10
    assert len(await runs.unfinished()) == 1


async def test_R5_a_key_is_its_learners_own(runs: SqlRunStore, library: SqlLibrary, node: NodeRow) -> None:
    theirs = await a_topic(library, user_id="someone-else")
    mine = (await runs.admit(a_run(node), key=KEY)).run
    other = await runs.admit(a_run(theirs), key=Key(KEY.key, "of another request"))
    assert (other.verdict, other.run.id == mine.id) == ("new", False)


async def test_R5_two_keys_are_two_requests(runs: SqlRunStore, node: NodeRow) -> None:
    for name in ("a", "b"):
        await runs.admit(a_run(node), on_busy=OnBusy.ENQUEUE, key=Key(name, "digest"))
    assert len(await runs.unfinished()) == 2


async def test_R5_the_key_of_a_request_that_was_attached_finds_the_run_that_served_it(
    runs: SqlRunStore, node: NodeRow
) -> None:
    going = await started(runs, a_run(node))
    attached = await runs.admit(a_run(node), key=KEY)
    assert (attached.verdict, attached.run.id) == ("attached", going.id)
    await ended(runs, going)
    again = await runs.admit(a_run(node), key=KEY)
    assert (again.verdict, again.run.id) == ("replayed", going.id)


async def test_R5_a_key_whose_request_was_refused_can_be_sent_again(runs: SqlRunStore, node: NodeRow) -> None:
    going = await started(runs, a_run(node))
    with pytest.raises(LaneBusy):
        await runs.admit(a_run(node), on_busy=OnBusy.REJECT, key=KEY)
    await ended(runs, going)
    assert (await runs.admit(a_run(node), on_busy=OnBusy.REJECT, key=KEY)).verdict == "new"
