"""What a run is charged with when the process dies: only what it can have done itself (runs.md B4, faults.md P10)."""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

from sqlalchemy import bindparam, select, update

from sprout.clock import utc_now
from sprout.events import Caps
from sprout.loop.stop import Stop
from sprout.loop.tools import Tool, tool
from sprout.offline.reply import Reply, TextOut, ToolOut
from sprout.runs.at_work import AtWork, Suspects
from sprout.runs.dispatcher import Dispatcher
from sprout.runs.gate import ModelGate
from sprout.runs.state import MOST_CRASHES, Run, RunState
from sprout.store.boundaries import place_of
from sprout.store.columns import table_of
from sprout.store.database import Database
from sprout.store.log import Publish
from sprout.store.run_tables import Run as RunRow
from sprout.store.runs import SqlRunStore
from tests.builders import a_topic
from tests.runs.acting import ByTurn, Hang, an_agent, assert_whole, settled
from tests.runs.living import LONGEST_S, Living, living
from tests.runs.test_children import a_looking_child

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


class Noting(SqlRunStore):
    """A store that tells who begins to wait, and who is at work again."""

    def __init__(self, database: Database, publish: Publish, dispatcher: Dispatcher) -> None:
        super().__init__(database, publish, dispatcher)
        self.noted = asyncio.Queue[tuple[str, bool]]()

    async def rest(self, run: Run, *, resting: bool) -> None:
        await super().rest(run, resting=resting)
        self.noted.put_nowait((run.id, resting))


async def next_note(life: Living) -> tuple[str, bool]:
    assert isinstance(life.store, Noting)
    async with asyncio.timeout(LONGEST_S):
        return await life.store.noted.get()


async def on_last_chance(database: Database, *run_ids: str) -> None:
    """Have the runs been cut off at their place so often that the next claim is their last chance."""
    for run_id in run_ids:
        place = await database.write(lambda write, run_id=run_id: place_of(write.connection, run_id))  # type: ignore[misc]
        charge = {"run": run_id, "crashes": MOST_CRASHES - 2, "crashed_at": place}
        await database.write(lambda write, charge=charge: write.connection.execute(CHARGE, charge))  # type: ignore[misc]


async def test_P10_a_run_that_queues_at_the_gate_through_any_number_of_crashes_is_not_given_up(
    database: Database, data_dir: Path
) -> None:
    model = ByTurn(LAST)
    async with AsyncExitStack() as lives:
        root, run_id = None, ""
        for _ in range(MOST_CRASHES + 2):
            gate = ModelGate(per_root=1, most=1)
            leaving = await lives.enter_async_context(AsyncExitStack())
            await leaving.enter_async_context(gate.place("somebody else", "another root"))
            life = await lives.enter_async_context(
                living(database, model, data_dir, agents=[an_agent()], root=root, gate=gate, store_like=Noting)
            )
            root, run_id = life.root, run_id or await life.started()
            assert await next_note(life) == (run_id, True)
        assert (await life.store.run(run_id)).crashes == 0
        await leaving.aclose()
        assert await next_note(life) == (run_id, False)
        await life.told(run_id)
        run, log = await life.store.run(run_id), await life.logged(run_id)
    assert run.state is RunState.COMPLETED
    assert_whole(log, run)


async def test_P10_a_call_that_has_its_place_at_once_costs_no_write(database: Database, data_dir: Path) -> None:
    async with living(database, ByTurn(LAST), data_dir, agents=[an_agent()], store_like=Noting) as life:
        await life.told(await life.started())
        assert isinstance(life.store, Noting)
        assert life.store.noted.empty()


async def test_P10_of_the_runs_on_their_last_chance_one_is_at_work_at_a_time(
    database: Database, data_dir: Path
) -> None:
    """Whoever kills the process then has done it alone; the others are charged with nothing."""
    hang, model = Hang(), ByTurn(LOOK, LAST)
    agent = an_agent(a_look(hang))
    async with AsyncExitStack() as lives:
        life = await lives.enter_async_context(living(database, model, data_dir, agents=[agent]))
        first = await life.started()
        second = await life.started(node=await a_topic(life.library, "Rivers"))
        for run_id in (first, second):
            await life.until(run_id, "tool_call")
        await on_last_chance(database, first, second)
        life = await lives.enter_async_context(
            living(database, model, data_dir, agents=[agent], root=life.root, store_like=Noting)
        )
        chosen, resting = await next_note(life)
        left = ({first, second} - {chosen}).pop()
        assert not resting
        assert await resting_of(database, left)
        assert not await resting_of(database, chosen)
        hang.may_go.set()
        await life.told(chosen)
        assert await next_note(life) == (left, False)
        await life.told(left)
        assert [(await life.store.run(run_id)).state for run_id in (first, second)] == [RunState.COMPLETED] * 2


async def test_P10_a_parent_on_its_last_chance_does_not_keep_its_children_from_theirs(
    database: Database, data_dir: Path
) -> None:
    hang, model = Hang(), ByTurn(GROW, LAST, child=[LOOK, LAST])
    async with AsyncExitStack() as lives:
        life = await lives.enter_async_context(living(database, model, data_dir, child=a_looking_child(hang)))
        run_id = await life.started()
        await hang.reached.wait()
        await life.until(run_id, "usage", times=3)
        (child,) = await life.store.open_children(run_id)
        await on_last_chance(database, run_id, child)
        life = await lives.enter_async_context(
            living(database, model, data_dir, child=a_looking_child(Hang(at=99)), root=life.root)
        )
        await life.told(run_id)
        run, log = await life.store.run(run_id), await life.logged(run_id)
    assert run.state is RunState.COMPLETED
    assert_whole(log, run)


async def test_P10_one_on_its_last_chance_is_at_work_beside_no_other_suspect() -> None:
    suspects, at_work = Suspects(), list[str]()

    async def go(name: str, crashes: int) -> AtWork:
        one = AtWork(Kept(), replace(SUSPECT, crashes=crashes), suspects)
        await one.begin(Stop())
        at_work.append(name)
        return one

    going = {name: asyncio.create_task(go(name, count)) for name, count in (("a", 1), ("b", 1), ("c", 2), ("d", 2))}
    await settled()
    assert at_work == ["a", "b"], "many may go that have a chance left"
    for name, then in (("a", ["a", "b"]), ("b", ["a", "b", "c"]), ("c", ["a", "b", "c", "d"])):
        (await going[name]).end_turn()
        await settled()
        assert at_work == then
    late = asyncio.create_task(go("late", 1))
    await settled()
    assert at_work[-1] == "d"
    (await going["d"]).end_turn()
    await late
    assert at_work[-1] == "late"


async def test_X1_a_run_that_waits_for_its_turn_can_be_stopped() -> None:
    suspects, stop, store = Suspects(), Stop(), Kept()
    await suspects.turn(alone=True)
    waiting = asyncio.create_task(AtWork(store, SUSPECT, suspects).begin(stop))
    await settled()
    assert store.said == []
    stop.request()
    await waiting
    assert store.said == [False]


class Kept:
    """Keeps what is said of one run."""

    def __init__(self) -> None:
        self.said: list[bool] = []

    async def rest(self, run: Run, *, resting: bool) -> None:
        self.said.append(resting)


async def resting_of(database: Database, run_id: str) -> bool:
    wanted = select(RUNS.c.resting).where(RUNS.c.id == run_id)
    return await database.write(lambda write: bool(write.connection.execute(wanted).scalar_one()))


def a_look(hang: Hang) -> Tool:
    @tool()
    async def look(at: str) -> str:
        """Look at something."""
        await hang()
        return "green"

    return look
