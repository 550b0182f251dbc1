"""What streams ask of the store beside the events: which root runs are open, and how far logs go."""

from sprout.learning.paths.library import DEFAULT_USER_ID
from sprout.runs.log import LogEnd
from sprout.store import runs as store_runs
from sprout.store.library import SqlLibrary
from sprout.store.runs import SqlRunStore
from tests.builders import a_child, a_concept, a_thought, a_topic, ended
from tests.runs.streaming import begun

SOMEBODY = "somebody-else"


async def test_open_roots_are_the_learners_unfinished_ones_oldest_first(runs: SqlRunStore, library: SqlLibrary) -> None:
    over, first, second = [await begun(runs, await a_topic(library, f"Topic {number}")) for number in range(3)]
    theirs = await begun(runs, await a_topic(library, user_id=SOMEBODY))
    node = await library.node(first.node_id, user_id=DEFAULT_USER_ID)
    await runs.admit(a_child(first, await a_concept(library, node, "Light")))
    await ended(runs, over)
    assert [run.id for run in await runs.open_roots(DEFAULT_USER_ID)] == [first.id, second.id]
    assert [run.id for run in await runs.open_roots(SOMEBODY)] == [theirs.id]
    assert await runs.open_roots("nobody") == []


async def test_the_ends_of_logs_are_told_for_any_run_that_is_named_and_for_all_open_ones_of_a_learner(
    runs: SqlRunStore, library: SqlLibrary
) -> None:
    over, open_ = [await begun(runs, await a_topic(library, f"Topic {number}")) for number in range(2)]
    theirs = await begun(runs, await a_topic(library, user_id=SOMEBODY))
    await runs.append(open_, [a_thought()] * 3)
    await ended(runs, over)
    end_of_over = LogEnd(over.id, DEFAULT_USER_ID, 2)
    end_of_open = LogEnd(open_.id, DEFAULT_USER_ID, 4, unfinished=True)
    assert await runs.log_ends([over.id, "no such run"], []) == [end_of_over]
    assert await runs.log_ends([], [DEFAULT_USER_ID]) == [end_of_open]
    assert await runs.log_ends([], []) == []
    ends = await runs.log_ends([over.id, theirs.id], {DEFAULT_USER_ID})
    assert {end.root_id for end in ends} == {over.id, theirs.id, open_.id}


async def test_as_many_logs_as_there_are_streams_can_be_asked_for_at_once(
    runs: SqlRunStore, library: SqlLibrary
) -> None:
    run = await begun(runs, await a_topic(library))
    many = [f"run {number}" for number in range(3 * store_runs.MOST_IDS)]
    assert [end.root_id for end in await runs.log_ends([*many, run.id], many)] == [run.id]
