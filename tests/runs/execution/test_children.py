"""Runs that start runs (R4, B7; trap 62)."""

import asyncio
from pathlib import Path

from sprout.agents.agent import AgentSpec
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.loop.human import ask_human
from sprout.loop.tools import tool
from sprout.offline.faults.scenarios import Fault
from sprout.offline.reply import Reply, TextOut, ToolOut
from sprout.runs.model_gate import ModelGate
from sprout.runs.state import Run, RunState
from sprout.store.engine.database import Database
from tests.runs.live_app import LiveApp, live_app
from tests.runs.scripted_agents import Blocker, TurnScript, an_agent, assert_whole, data, kinds, of_kind

GROW = Reply([ToolOut("save", {"title": "Light"}), ToolOut("save", {"title": "Water"})])
LAST = Reply([TextOut("All grown.")])
LOOK = Reply([ToolOut("look", {"at": "leaves"})])


def a_looking_child(hang: Blocker) -> AgentSpec:
    @tool()
    async def look(at: str) -> str:
        """Look at something."""
        await hang()
        return "green"

    return an_agent(look, name="subconcept", system="You are a child.")


async def children_of(life: LiveApp, run_id: str) -> list[Run]:
    found = await life.store.runs(user_id=DEFAULT_USER_ID, roots_only=False)
    return [run for run in found if run.parent_id == run_id]


async def test_B7_a_parent_that_is_resumed_waits_for_its_children_and_starts_none_twice(
    database: Database, data_dir: Path
) -> None:
    """The parent's own work is over: its model is not asked again, nor is the children's for what they had done."""
    hang = Blocker()
    model = TurnScript(GROW, LAST, child=[LOOK, LAST])
    async with live_app(database, model, data_dir, child=a_looking_child(hang)) as life:
        run_id = await life.start()
        await life.wait_for_event(run_id, "usage", times=4)
        await hang.reached.wait()
        await until_kept(life, run_id, "final")
    asked = model.asked
    async with live_app(database, model, data_dir, child=a_looking_child(Blocker(at=99)), root=life.root) as life:
        await life.streamed(run_id)
        run, children = await life.store.run(run_id), await children_of(life, run_id)
        log = await life.stored_events(run_id)
    assert asked == 4
    assert model.asked == asked + 2  # each child's last word
    assert [child.state for child in children] == [RunState.COMPLETED] * 2
    assert kinds(log).count("run_started") == 3
    assert kinds(log).count("run_resumed") == 3
    assert run.state is RunState.COMPLETED
    assert_whole(log, run)
    for child in children:
        own = [one for one in of_kind(log, "usage") if one["runId"] == child.id]
        assert child.usage.output_tokens == sum(one["usage"]["outputTokens"] for one in own)


async def test_R4_cancelling_a_parent_cancels_its_children(database: Database, data_dir: Path) -> None:
    """X1, trap 57: also while it does nothing but wait for them."""
    model = TurnScript(GROW, LAST, child=[Fault("overloaded", retry_after_s=120)])
    async with live_app(database, model, data_dir) as life:
        run_id = await life.start()
        await life.wait_for_event(run_id, "model_retry", times=2)
        await until_kept(life, run_id, "final")
        run = await asyncio.wait_for(cancelled(life, run_id), 5)
        children = await children_of(life, run_id)
        log = await life.stored_events(run_id)
    assert run.state is RunState.CANCELLED
    assert [child.state for child in children] == [RunState.CANCELLED] * 2
    assert "agent_error" not in kinds(log)
    assert_whole(log, run)


async def cancelled(life: LiveApp, run_id: str) -> Run:
    await life.runs.cancel(run_id, user_id=DEFAULT_USER_ID)
    return await life.wait_until_released(run_id)


async def test_a_child_that_is_cancelled_alone_leaves_its_parent_and_its_sibling(
    database: Database, data_dir: Path
) -> None:
    hang = Blocker()
    model = TurnScript(GROW, LAST, child=[LOOK, LAST])
    async with live_app(database, model, data_dir, child=a_looking_child(hang)) as life:
        run_id = await life.start()
        await life.wait_for_event(run_id, "usage", times=4)
        first, second = await children_of(life, run_id)
        await life.runs.cancel(first.id, user_id=DEFAULT_USER_ID)
        hang.may_go.set()
        await life.streamed(run_id)
        run, children = await life.store.run(run_id), await children_of(life, run_id)
        assert_whole(await life.stored_events(run_id), run)
    assert run.state is RunState.COMPLETED
    assert {child.id: child.state for child in children} == {
        first.id: RunState.CANCELLED,
        second.id: RunState.COMPLETED,
    }


async def test_a_child_that_fails_leaves_its_parent_and_what_it_has_spent(database: Database, data_dir: Path) -> None:
    model = TurnScript(GROW, LAST, child=[LOOK, Fault("no_credit")])
    async with live_app(database, model, data_dir, child=a_looking_child(Blocker(at=99))) as life:
        run_id = await life.start()
        await life.streamed(run_id)
        run, children = await life.store.run(run_id), await children_of(life, run_id)
        log = await life.stored_events(run_id)
    assert run.state is RunState.COMPLETED
    assert [child.state for child in children] == [RunState.FAILED] * 2
    assert all(child.usage.output_tokens > 0 for child in children)
    assert kinds(log).count("agent_error") == 2
    assert data(log[-1])["status"] == "completed"
    assert_whole(log, run)


async def test_trap_62_one_model_call_at_a_time_is_enough_for_a_parent_and_its_children(
    database: Database, data_dir: Path
) -> None:
    gate = ModelGate(per_root=1, limit=1)
    model = TurnScript(GROW, LAST, child=[LOOK, LAST])
    async with live_app(database, model, data_dir, child=a_looking_child(Blocker(at=99)), gate=gate) as life:
        run_id = await life.start()
        await asyncio.wait_for(life.streamed(run_id), 20)
        assert (await life.store.run(run_id)).state is RunState.COMPLETED
    assert (gate.active, gate.waiting) == (0, 0)


async def test_a_parent_that_failed_ends_after_its_children(database: Database, data_dir: Path) -> None:
    """B5, V4: nothing follows the root's end, so it waits for who is under it."""
    hang = Blocker()
    model = TurnScript(GROW, Fault("bad_key"), child=[LOOK, LAST])
    async with live_app(database, model, data_dir, child=a_looking_child(hang)) as life:
        run_id = await life.start()
        await life.wait_for_event(run_id, "usage", times=3)
        await hang.reached.wait()
        hang.may_go.set()
        await life.streamed(run_id)
        run, children = await life.store.run(run_id), await children_of(life, run_id)
        log = await life.stored_events(run_id)
    assert run.state is RunState.FAILED
    assert [child.state for child in children] == [RunState.COMPLETED] * 2
    assert kinds(log)[-2:] == ["agent_error", "run_done"]
    assert_whole(log, run)


async def test_a_child_that_asks_a_person_holds_up_its_parent_and_goes_on_with_the_answer(
    database: Database, data_dir: Path
) -> None:
    """W1, B7: the parent waits, and both survive a restart."""
    ask = Reply([ToolOut("ask_human", {"question": "How deep?"})])
    model = TurnScript(Reply([ToolOut("save", {"title": "Light"})]), LAST, child=[ask, LAST])
    child = an_agent(ask_human, name="subconcept", system="You are a child.")
    async with live_app(database, model, data_dir, child=child) as life:
        run_id = await life.start()
        await life.wait_for_event(run_id, "waiting_on_human")
        await until_kept(life, run_id, "final")
    async with live_app(database, model, data_dir, child=child, root=life.root) as life:
        (asking,) = await children_of(life, run_id)
        assert asking.state is RunState.WAITING_ON_HUMAN
        await life.runs.answer(asking.id, "Not too deep.", user_id=DEFAULT_USER_ID)
        await life.streamed(run_id)
        run, (answered,) = await life.store.run(run_id), await children_of(life, run_id)
        assert_whole(await life.stored_events(run_id), run)
    assert (run.state, answered.state) == (RunState.COMPLETED, RunState.COMPLETED)


async def until_kept(life: LiveApp, run_id: str, kind: str) -> None:
    """Come back when the run has kept a checkpoint of the kind."""
    async with asyncio.timeout(10):
        while all(one.kind != kind for one in (await life.store.record(run_id)).checkpoints):
            await asyncio.sleep(0)
