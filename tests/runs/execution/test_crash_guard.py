"""Crash count of a run: only crashes that it can have caused itself (runs.md B4, faults.md P10)."""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

from sqlalchemy import bindparam, select, update

from harness.builders import a_topic
from sprout.clock import utc_now
from sprout.events import Caps
from sprout.loop.stop import Stop
from sprout.loop.tools import Tool, tool
from sprout.offline.reply import Reply, TextOut, ToolOut
from sprout.runs.dispatcher import Dispatcher
from sprout.runs.execution.crash_guard import CrashGuard, CrashQuarantine
from sprout.runs.model_gate import ModelGate
from sprout.runs.state import MAX_CRASHES, Run, RunState
from sprout.store.engine.database import Database
from sprout.store.runs.checkpoints import progress_marker
from sprout.store.runs.event_log import Publish
from sprout.store.runs.repository import SqlRunStore
from sprout.store.schema.columns import table_of
from sprout.store.schema.run_tables import Run as RunRow
from tests.runs.execution.test_children import a_looking_child
from tests.runs.live_app import LONGEST_S, LiveApp, live_app
from tests.runs.scripted_agents import Blocker, TurnScript, an_agent, assert_whole, drain_event_loop

GROW = Reply([ToolOut("save", {"title": "Light"})])
LOOK = Reply([ToolOut("look", {"at": "leaves"})])
LAST = Reply([TextOut("That is all.")])
RUNS = table_of(RunRow)
SUSPECT = Run(
    *("run", "run", None, "somebody", "topic", "topic", "topic:node", "node", None, False, "sprout-offline", True),
    caps=Caps(iterations=15),
    created_at=utc_now(),
    crashes=1,
)
CHARGE = update(RUNS).where(RUNS.c.id == bindparam("run"))


class RecordingStore(SqlRunStore):
    """A store that tells who begins to wait, and who is at work again."""

    def __init__(self, database: Database, publish: Publish, dispatcher: Dispatcher) -> None:
        super().__init__(database, publish, dispatcher)
        self.noted = asyncio.Queue[tuple[str, bool]]()

    async def set_idle(self, run: Run, *, idle: bool) -> None:
        await super().set_idle(run, idle=idle)
        self.noted.put_nowait((run.id, idle))


async def next_note(life: LiveApp) -> tuple[str, bool]:
    assert isinstance(life.store, RecordingStore)
    async with asyncio.timeout(LONGEST_S):
        return await life.store.noted.get()


async def on_last_chance(database: Database, *run_ids: str) -> None:
    """Have the runs been cut off at their place so often that the next claim is their last chance."""
    for run_id in run_ids:
        place = await database.write_tx(lambda write, run_id=run_id: progress_marker(write.connection, run_id))  # type: ignore[misc]
        charge = {"run": run_id, "crashes": MAX_CRASHES - 2, "crash_marker": place}
        await database.write_tx(lambda write, charge=charge: write.connection.execute(CHARGE, charge))  # type: ignore[misc]


async def test_P10_a_run_that_queues_at_the_gate_through_any_number_of_crashes_is_not_given_up(
    database: Database, data_dir: Path
) -> None:
    model = TurnScript(LAST)
    async with AsyncExitStack() as lives:
        root, run_id, before = None, "", None
        for _ in range(MAX_CRASHES + 2):
            if before is not None:
                before.stand_still()
            gate = ModelGate(per_root=1, limit=1)
            leaving = await lives.enter_async_context(AsyncExitStack())
            await leaving.enter_async_context(gate.slot("somebody else", "another root"))
            life = await lives.enter_async_context(
                live_app(
                    database, model, data_dir, agents=[an_agent()], root=root, gate=gate, store_like=RecordingStore
                )
            )
            root, run_id = life.root, run_id or await life.start()
            assert await next_note(life) == (run_id, True)
            before = life
        assert (await life.store.run(run_id)).crashes == 0
        await leaving.aclose()
        assert await next_note(life) == (run_id, False)
        await life.streamed(run_id)
        run, log = await life.store.run(run_id), await life.stored_events(run_id)
    assert run.state is RunState.COMPLETED
    assert_whole(log, run)


async def test_P10_a_call_that_has_its_place_at_once_costs_no_write(database: Database, data_dir: Path) -> None:
    async with live_app(database, TurnScript(LAST), data_dir, agents=[an_agent()], store_like=RecordingStore) as life:
        await life.streamed(await life.start())
        assert isinstance(life.store, RecordingStore)
        assert life.store.noted.empty()


async def test_P10_of_the_runs_on_their_last_chance_one_is_at_work_at_a_time(
    database: Database, data_dir: Path
) -> None:
    """A process that dies then was killed by that run alone; the others are charged with nothing."""
    hang, model = Blocker(), TurnScript(LOOK, LAST)
    agent = an_agent(a_look(hang))
    async with AsyncExitStack() as lives:
        life = await lives.enter_async_context(live_app(database, model, data_dir, agents=[agent]))
        first = await life.start()
        second = await life.start(node=await a_topic(life.paths, "Rivers"))
        for run_id in (first, second):
            await life.wait_for_event(run_id, "tool_call")
        life.stand_still()
        await on_last_chance(database, first, second)
        life = await lives.enter_async_context(
            live_app(database, model, data_dir, agents=[agent], root=life.root, store_like=RecordingStore)
        )
        chosen, resting = await next_note(life)
        left = ({first, second} - {chosen}).pop()
        assert not resting
        async with asyncio.timeout(LONGEST_S):
            while not await idle_of(database, left):
                await asyncio.sleep(0)
        assert not await idle_of(database, chosen)
        hang.may_go.set()
        await life.streamed(chosen)
        assert await next_note(life) == (left, False)
        await life.streamed(left)
        assert [(await life.store.run(run_id)).state for run_id in (first, second)] == [RunState.COMPLETED] * 2


async def test_P10_a_parent_on_its_last_chance_does_not_keep_its_children_from_theirs(
    database: Database, data_dir: Path
) -> None:
    hang, model = Blocker(), TurnScript(GROW, LAST, child=[LOOK, LAST])
    async with AsyncExitStack() as lives:
        life = await lives.enter_async_context(live_app(database, model, data_dir, child=a_looking_child(hang)))
        run_id = await life.start()
        await hang.reached.wait()
        await life.wait_for_event(run_id, "usage", times=3)
        (child,) = await life.store.unfinished_children(run_id)
        life.stand_still()
        await on_last_chance(database, run_id, child)
        life = await lives.enter_async_context(
            live_app(database, model, data_dir, child=a_looking_child(Blocker(at=99)), root=life.root)
        )
        await life.streamed(run_id)
        run, log = await life.store.run(run_id), await life.stored_events(run_id)
    assert run.state is RunState.COMPLETED
    assert_whole(log, run)


async def test_P10_one_on_its_last_chance_is_at_work_beside_no_other_suspect() -> None:
    suspects, at_work = CrashQuarantine(), list[str]()

    async def go(name: str, crashes: int) -> CrashGuard:
        one = CrashGuard(IdleRecorder(), replace(SUSPECT, crashes=crashes), suspects)
        await one.wait_turn(Stop())
        at_work.append(name)
        return one

    going = {name: asyncio.create_task(go(name, count)) for name, count in (("a", 1), ("b", 1), ("c", 2), ("d", 2))}
    await drain_event_loop()
    assert at_work == ["a", "b"], "many may go that have a chance left"
    for name, then in (("a", ["a", "b"]), ("b", ["a", "b", "c"]), ("c", ["a", "b", "c", "d"])):
        (await going[name]).release()
        await drain_event_loop()
        assert at_work == then
    late = asyncio.create_task(go("late", 1))
    await drain_event_loop()
    assert at_work[-1] == "d"
    (await going["d"]).release()
    await late
    assert at_work[-1] == "late"


async def test_X1_a_run_that_waits_for_its_turn_can_be_stopped() -> None:
    suspects, stop, store = CrashQuarantine(), Stop(), IdleRecorder()
    await suspects.enter(alone=True)
    waiting = asyncio.create_task(CrashGuard(store, SUSPECT, suspects).wait_turn(stop))
    await drain_event_loop()
    assert store.calls == []
    stop.request()
    await waiting
    assert store.calls == [False]


class IdleRecorder:
    """Keeps what is said of one run."""

    def __init__(self) -> None:
        self.calls: list[bool] = []

    async def set_idle(self, run: Run, *, idle: bool) -> None:
        self.calls.append(idle)


async def idle_of(database: Database, run_id: str) -> bool:
    wanted = select(RUNS.c.idle).where(RUNS.c.id == run_id)
    return await database.write_tx(lambda write: bool(write.connection.execute(wanted).scalar_one()))


def a_look(hang: Blocker) -> Tool:
    @tool()
    async def look(at: str) -> str:
        """Look at something."""
        await hang()
        return "green"

    return look
