"""Lanes: one run at a time, in order, and what becomes of a run that comes too early (R1-R3, B6, X1)."""

import asyncio
from pathlib import Path

import pytest

from harness.builders import a_topic
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.loop.tools import Effect, tool
from sprout.offline.faults.scenarios import Fault
from sprout.offline.pace import Pace
from sprout.offline.reply import Reply, TextOut, ToolOut
from sprout.runs.run_store import LaneBusy, OnBusy
from sprout.runs.state import RunState
from sprout.store.engine.database import Database
from tests.runs.live_app import live_app
from tests.runs.scripted_agents import Blocker, TurnScript, a_quick_agent, an_agent, assert_whole, kinds, of_kind

MANY = 20
EMPTY_SCRIPT = TurnScript()


class Doors:
    """Notes the order in which runs come; each stays until it is let go, or all are."""

    def __init__(self) -> None:
        self.came: list[str] = []
        self.at_once = 0
        self.most_at_once = 0
        self._open = asyncio.Event()
        self._somebody = asyncio.Event()

    async def __call__(self, run_id: str) -> None:
        self.came.append(run_id)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        self._somebody.set()
        try:
            await self._open.wait()
        finally:
            self.at_once -= 1

    async def until_somebody_comes(self) -> None:
        await self._somebody.wait()

    def open(self) -> None:
        self._open.set()


async def test_R1_B6_runs_of_one_lane_go_one_after_another_and_are_told_their_place(
    database: Database, data_dir: Path
) -> None:
    """Traps 67 and 70."""
    doors = Doors()
    async with live_app(database, EMPTY_SCRIPT, data_dir, agents=[a_quick_agent(doors)]) as life:
        ids = [await life.start(on_busy=OnBusy.ENQUEUE) for _ in range(MANY)]
        await doors.until_somebody_comes()
        assert [(await life.store.run(run_id)).position for run_id in ids] == list(range(MANY))
        doors.open()
        for place, run_id in enumerate(ids):
            await life.streamed(run_id)
            log = await life.stored_events(run_id)
            positions = [one["position"] for one in of_kind(log, "run_queued")]
            assert positions == (list(range(place, -1, -1)) if place else [])
            assert_whole(log, await life.store.run(run_id))
        runs = [await life.store.run(run_id) for run_id in ids]
    assert doors.came == ids
    assert doors.most_at_once == 1
    started = [run.started_at for run in runs if run.started_at]
    assert started == sorted(started)
    assert len(started) == MANY


async def test_R1_lanes_do_not_wait_for_each_other(database: Database, data_dir: Path) -> None:
    doors = Doors()
    async with live_app(database, EMPTY_SCRIPT, data_dir, agents=[a_quick_agent(doors)]) as life:
        topics = [life.root, *[await a_topic(life.paths, f"Topic {n}") for n in range(4)]]
        ids = [await life.start(node=topic) for topic in topics]
        async with asyncio.timeout(10):
            while doors.at_once < len(topics):
                await asyncio.sleep(0)
        doors.open()
        for run_id in ids:
            await life.streamed(run_id)


async def test_B4_a_lane_that_was_left_with_its_queue_drains_in_order_in_the_next_life(
    database: Database, data_dir: Path
) -> None:
    """Trap 68."""
    doors = Doors()
    async with live_app(database, EMPTY_SCRIPT, data_dir, agents=[a_quick_agent(doors)]) as life:
        ids = [await life.start(on_busy=OnBusy.ENQUEUE) for _ in range(4)]
        await doors.until_somebody_comes()
    again = Doors()
    again.open()
    async with live_app(database, EMPTY_SCRIPT, data_dir, agents=[a_quick_agent(again)], root=life.root) as life:
        for run_id in ids:
            await life.streamed(run_id)
            assert_whole(await life.stored_events(run_id), await life.store.run(run_id))
    assert again.came == ids


async def test_R3_reject_names_the_run_that_is_going(database: Database, data_dir: Path) -> None:
    doors = Doors()
    async with live_app(database, EMPTY_SCRIPT, data_dir, agents=[a_quick_agent(doors)]) as life:
        run_id = await life.start(on_busy=OnBusy.REJECT)
        with pytest.raises(LaneBusy) as refused:
            await life.start(on_busy=OnBusy.REJECT)
        assert refused.value.run_id == run_id
        doors.open()
        await life.streamed(run_id)
        await life.wait_until_released(run_id)
        assert await life.start(on_busy=OnBusy.REJECT) != run_id


async def test_R3_interrupt_stops_the_run_that_is_going_and_takes_its_place(database: Database, data_dir: Path) -> None:
    words = Reply([TextOut("word " * 5_000)])
    slow = TurnScript(words)
    async with live_app(database, slow, data_dir, agents=[an_agent()], pace=Pace(tokens_per_s=300)) as life:
        first = await life.start()
        await life.wait_for_event(first, "agent_reasoning_delta")
        second = await life.start(on_busy=OnBusy.INTERRUPT)
        await life.streamed(first)
        interrupted = await life.store.run(first)
        await life.wait_for_event(second, "agent_reasoning_delta")
        third = await life.start(on_busy=OnBusy.INTERRUPT)
        await life.streamed(second)
        await life.runs.cancel(third, user_id=DEFAULT_USER_ID)
        await life.streamed(third)
        states = [(await life.store.run(one)).state for one in (second, third)]
    assert interrupted.state is RunState.CANCELLED
    assert states == [RunState.CANCELLED, RunState.CANCELLED]


async def test_trap_57_70_a_queued_run_is_cancelled_at_once_and_those_behind_it_move_up(
    database: Database, data_dir: Path
) -> None:
    doors = Doors()
    async with live_app(database, EMPTY_SCRIPT, data_dir, agents=[a_quick_agent(doors)]) as life:
        ids = [await life.start(on_busy=OnBusy.ENQUEUE) for _ in range(4)]
        cancelled = await life.runs.cancel(ids[2], user_id=DEFAULT_USER_ID)
        assert cancelled.state is RunState.CANCELLED
        assert (await life.runs.cancel(ids[2], user_id=DEFAULT_USER_ID)).state is RunState.CANCELLED
        assert [one["position"] for one in of_kind(await life.stored_events(ids[3]), "run_queued")] == [3, 2]
        assert_whole(await life.stored_events(ids[2]), cancelled)
        doors.open()
        for run_id in ids:
            await life.streamed(run_id)
    assert doors.came == [ids[0], ids[1], ids[3]]


async def test_trap_57_a_run_that_waits_for_an_overloaded_model_is_cancelled_without_waiting_for_it(
    database: Database, data_dir: Path
) -> None:
    model = TurnScript(Fault("overloaded", retry_after_s=120))
    async with live_app(database, model, data_dir, agents=[an_agent()]) as life:
        run_id = await life.start()
        await life.wait_for_event(run_id, "model_retry")
        async with asyncio.timeout(60):  # half of what the model asked for
            await life.runs.cancel(run_id, user_id=DEFAULT_USER_ID)
            run = await life.wait_until_released(run_id)
        log = await life.stored_events(run_id)
    assert run.state is RunState.CANCELLED
    assert model.asked == 1
    assert "agent_error" not in kinds(log)
    assert_whole(log, run)


async def test_trap_55_a_cancel_between_two_writes_lets_the_first_end_and_does_not_run_the_second(
    database: Database, data_dir: Path
) -> None:
    hang, sent = Blocker(), list[str]()

    @tool(effect=Effect.WRITE)
    async def post(letter: str) -> str:
        """Send a letter."""
        await hang()
        sent.append(letter)
        return "sent"

    model = TurnScript(Reply([ToolOut("post", {"letter": "a"}), ToolOut("post", {"letter": "b"})]))
    async with live_app(database, model, data_dir, agents=[an_agent(post)]) as life:
        run_id = await life.start()
        await life.wait_for_event(run_id, "usage")
        await hang.reached.wait()
        await life.runs.cancel(run_id, user_id=DEFAULT_USER_ID)
        hang.may_go.set()
        run = await life.wait_until_released(run_id)
        log = await life.stored_events(run_id)
    assert run.state is RunState.CANCELLED
    assert sent == ["a"]
    assert [one["ok"] for one in of_kind(log, "tool_result")] == [True, False]
    assert model.asked == 1
    assert_whole(log, run)


async def test_trap_58_a_cancel_of_a_run_that_was_cut_off_ends_it_where_the_wish_is_stored(
    database: Database, data_dir: Path
) -> None:
    doors = Doors()
    async with live_app(database, EMPTY_SCRIPT, data_dir, agents=[a_quick_agent(doors)]) as life:
        run_id = await life.start()
        await doors.until_somebody_comes()
    agents = [a_quick_agent(doors)]
    async with live_app(database, EMPTY_SCRIPT, data_dir, agents=agents, root=life.root, auto_resume=False) as life:
        run = await life.runs.cancel(run_id, user_id=DEFAULT_USER_ID)
        assert_whole(await life.stored_events(run_id), run)
    assert run.state is RunState.CANCELLED
