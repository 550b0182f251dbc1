"""Stories of runs on the dispatcher of many processes: what holds in one process holds there too (scale.md X2)."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from sprout.engines.procrastinate_dispatcher import ProcrastinateDispatcher
from sprout.runs.state import RunState
from sprout.store.engine.database import Database, open_database
from sprout.store.engine.urls import libpq_url
from tests.runs import test_lanes, test_live_runs
from tests.runs.execution import test_answers, test_children, test_delegation
from tests.runs.live_app import live_app, make_dispatcher
from tests.runs.scripted_agents import TurnScript, a_quick_agent

Story = Callable[[Database, Path], Awaitable[None]]
STORIES: list[Story] = [
    test_lanes.test_R1_lanes_do_not_wait_for_each_other,
    test_lanes.test_B4_a_lane_that_was_left_with_its_queue_drains_in_order_in_the_next_life,
    test_lanes.test_R3_interrupt_stops_the_run_that_is_going_and_takes_its_place,
    test_lanes.test_trap_57_70_a_queued_run_is_cancelled_at_once_and_those_behind_it_move_up,
    test_live_runs.test_V1_every_event_of_a_run_and_its_children_has_the_next_number,
    test_live_runs.test_K4_what_a_stop_of_the_server_cuts_off_goes_on_with_the_next,
    test_live_runs.test_X1_cancel_closes_the_models_stream_at_once,
    test_answers.test_W1_a_run_that_asks_holds_nothing_and_goes_on_with_the_answer,
    test_children.test_B7_a_parent_that_is_resumed_waits_for_its_children_and_starts_none_twice,
    test_children.test_R4_cancelling_a_parent_cancels_its_children,
    test_children.test_a_child_that_asks_a_person_holds_up_its_parent_and_goes_on_with_the_answer,
    test_delegation.test_R4a_a_parent_that_is_cut_off_finds_the_children_that_it_had,
]
PLACES = 40


@pytest.fixture
async def shared_database(queue_url: str) -> AsyncIterator[Database]:
    async with open_database(queue_url) as database:
        yield database


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.__name__.removeprefix("test_"))
async def test_it_holds_with_procrastinate_too(
    story: Story, queue_url: str, shared_database: Database, data_dir: Path
) -> None:
    make_dispatcher.set(lambda: ProcrastinateDispatcher(libpq_url(queue_url), places=PLACES))
    await story(shared_database, data_dir)


async def test_B7_with_one_place_for_growth_a_parent_does_not_wait_for_the_place_that_it_holds(
    queue_url: str, shared_database: Database, data_dir: Path
) -> None:
    make_dispatcher.set(lambda: ProcrastinateDispatcher(libpq_url(queue_url), places=2))
    await test_live_runs.test_V1_every_event_of_a_run_and_its_children_has_the_next_number(shared_database, data_dir)


async def test_X5_a_process_that_is_shutting_down_still_admits_runs_which_another_one_carries(
    queue_url: str, shared_database: Database, data_dir: Path
) -> None:
    make_dispatcher.set(lambda: ProcrastinateDispatcher(libpq_url(queue_url), places=0))
    async with live_app(shared_database, TurnScript(), data_dir, agents=[a_quick_agent()]) as leaving:
        leaving.runs.begin_shutdown()
        run_id = await leaving.start()
        assert (await leaving.store.run(run_id)).state is RunState.QUEUED
    make_dispatcher.set(lambda: ProcrastinateDispatcher(libpq_url(queue_url), places=PLACES))
    async with live_app(
        shared_database, TurnScript(), data_dir, agents=[a_quick_agent()], root=leaving.root, exclusive=False
    ) as other:
        await other.streamed(run_id)
        assert (await other.store.run(run_id)).ended
