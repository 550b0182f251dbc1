"""Queries of streams beside the events: open root runs, and the ends of logs."""

from harness.builders import a_child, a_concept, a_reasoning_event, a_topic, end_run
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.runs.run_store import LogEnd
from sprout.store.paths.paths import SqlPaths
from sprout.store.runs import repository as store_runs
from sprout.store.runs.repository import SqlRunStore
from tests.runs.streaming.event_streams import running_run

OTHER_USER = "somebody-else"


async def test_open_roots_are_the_learners_unfinished_ones_oldest_first(runs: SqlRunStore, paths: SqlPaths) -> None:
    over, first, second = [await running_run(runs, await a_topic(paths, f"Topic {number}")) for number in range(3)]
    theirs = await running_run(runs, await a_topic(paths, user_id=OTHER_USER))
    node = await paths.node(first.node_id, user_id=DEFAULT_USER_ID)
    await runs.admit(a_child(first, await a_concept(paths, node, "Light")))
    await end_run(runs, over)
    assert [run.id for run in await runs.unfinished_roots(DEFAULT_USER_ID)] == [first.id, second.id]
    assert [run.id for run in await runs.unfinished_roots(OTHER_USER)] == [theirs.id]
    assert await runs.unfinished_roots("nobody") == []


async def test_the_ends_of_logs_are_told_for_any_run_that_is_named_and_for_all_open_ones_of_a_learner(
    runs: SqlRunStore, paths: SqlPaths
) -> None:
    over, open_ = [await running_run(runs, await a_topic(paths, f"Topic {number}")) for number in range(2)]
    theirs = await running_run(runs, await a_topic(paths, user_id=OTHER_USER))
    await runs.append(open_, [a_reasoning_event()] * 3)
    await end_run(runs, over)
    end_of_over = LogEnd(over.id, DEFAULT_USER_ID, 2)
    end_of_open = LogEnd(open_.id, DEFAULT_USER_ID, 4, unfinished=True)
    assert await runs.log_ends([over.id, "no such run"], []) == [end_of_over]
    assert await runs.log_ends([], [DEFAULT_USER_ID]) == [end_of_open]
    assert await runs.log_ends([], []) == []
    ends = await runs.log_ends([over.id, theirs.id], {DEFAULT_USER_ID})
    assert {end.root_id for end in ends} == {over.id, theirs.id, open_.id}


async def test_as_many_logs_as_there_are_streams_can_be_asked_for_at_once(runs: SqlRunStore, paths: SqlPaths) -> None:
    run = await running_run(runs, await a_topic(paths))
    many = [f"run {number}" for number in range(3 * store_runs.MAX_IDS_PER_STATEMENT)]
    assert [end.root_id for end in await runs.log_ends([*many, run.id], many)] == [run.id]
