"""Worker: keeps its lease, loses it, leaves nothing behind (B1, K2; traps 10, 12, 56, 73)."""

import asyncio
import gc
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from harness.builders import a_topic, unfinished_runs
from harness.loop.scripted_turn import QUICK
from sprout.agents.agent import AgentSpec, Brief, Job, Team
from sprout.errors import DatabaseBusy, DatabaseUnavailable, SetupError, SproutError
from sprout.events import ReachedLimit, Usage
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.loop.human import ask_human
from sprout.loop.model import Message, Text, ToolUse
from sprout.loop.tools import Effect, tool
from sprout.offline.faults.scenarios import Fault, Scenario
from sprout.offline.pace import Pace
from sprout.offline.reply import Reply, TextOut, ToolOut
from sprout.runs.dispatcher import Dispatcher
from sprout.runs.questions import RunQuestion
from sprout.runs.run_store import Admission, Entry, OnBusy, WorkerLease
from sprout.runs.state import Run, RunError, RunState
from sprout.store.engine.database import Database, open_database
from sprout.store.runs.event_log import Publish
from sprout.store.runs.repository import SqlRunStore
from tests import topologies
from tests.runs.live_app import LONGEST_S, live_app
from tests.runs.scripted_agents import (
    Blocker,
    TurnScript,
    a_quick_agent,
    an_agent,
    assert_whole,
    drain_event_loop,
    kinds,
)
from tests.runs.streaming.event_streams import until

EMPTY_SCRIPT = TurnScript()
ASK = Reply([ToolOut("ask_human", {"question": "Which notation?"})])
LAST = Reply([TextOut("That is all.")])
LONG = Reply([TextOut("word " * 50_000)])
SLOW = Pace(tokens_per_s=300)
SOON_S = 0.02
NO_BEAT_S = 600.0


class StuckStore(SqlRunStore):
    """A store that does not renew leases as long as it is stuck."""

    def __init__(self, database: Database, publish: Publish, dispatcher: Dispatcher) -> None:
        super().__init__(database, publish, dispatcher)
        self.unstuck = asyncio.Event()
        self.unstuck.set()
        self.written = 0

    async def renew_lease(self, lease: WorkerLease) -> Sequence[str]:
        await self.unstuck.wait()
        return await super().renew_lease(lease)

    async def append(self, run: Run, entries: Sequence[Entry]) -> None:
        self.written += 1
        await super().append(run, entries)


class UnreachableForSecondClaim(SqlRunStore):
    """A store that is away once somebody has claimed a run, and wants another."""

    claims = 0

    async def claim(self, lane: str, lease: WorkerLease) -> Run | None:
        self.claims += 1
        if self.claims == 2:
            raise SetupError("The database is away.")
        return await super().claim(lane, lease)


class UnreachableStore(SqlRunStore):
    """A store that is away for the last word of a run, and for the word that it is left."""

    def __init__(
        self,
        database: Database,
        publish: Publish,
        dispatcher: Dispatcher,
        *,
        away_for: int,
        error: type[SproutError] = SetupError,
    ) -> None:
        super().__init__(database, publish, dispatcher)
        self.refused: list[str] = []
        self.crashed: list[bool] = []
        self._away_for = away_for
        self._error = error

    async def settle(
        self,
        run: Run,
        state: RunState,
        *,
        reason: str,
        usage: Usage,
        error: RunError | None,
        entries: Sequence[Entry],
        reached_limit: ReachedLimit | None = None,
    ) -> Run:
        self._refuse("settle")
        return await super().settle(
            run, state, reason=reason, usage=usage, error=error, entries=entries, reached_limit=reached_limit
        )

    async def pause(self, run: Run, question: RunQuestion, entries: Sequence[Entry]) -> Run:
        self._refuse("pause")
        return await super().pause(run, question, entries)

    async def release_run(self, run: Run, *, crashed: bool) -> None:
        self._refuse("abandon")
        self.crashed.append(crashed)
        await super().release_run(run, crashed=crashed)

    async def claim(self, lane: str, lease: WorkerLease) -> Run | None:
        if "abandon" in self.refused:
            self._refuse("claim")
        return await super().claim(lane, lease)

    def _refuse(self, operation: str) -> None:
        if len(self.refused) < self._away_for:
            self.refused.append(operation)
            raise self._error("The database is away.")


class StuckInLeaving(StuckStore):
    """A store that refuses two runs' last words and the word that the first is left, and is stuck in its third word."""

    def __init__(self, database: Database, publish: Publish, dispatcher: Dispatcher) -> None:
        super().__init__(database, publish, dispatcher)
        self.refused: Counter[str] = Counter()
        self.left: list[str] = []
        self.stuck = asyncio.Event()

    async def settle(
        self,
        run: Run,
        state: RunState,
        *,
        reason: str,
        usage: Usage,
        error: RunError | None,
        entries: Sequence[Entry],
        reached_limit: ReachedLimit | None = None,
    ) -> Run:
        self._refuse("settle", 2)
        return await super().settle(
            run, state, reason=reason, usage=usage, error=error, entries=entries, reached_limit=reached_limit
        )

    async def release_run(self, run: Run, *, crashed: bool) -> None:
        self._refuse("abandon", 1)
        self.left.append(run.id)
        if len(self.left) == 2:
            self.stuck.set()
            await asyncio.Event().wait()
        await super().release_run(run, crashed=crashed)

    def _refuse(self, operation: str, times: int) -> None:
        if self.refused[operation] < times:
            self.refused[operation] += 1
            raise DatabaseBusy("The database is away.")


class BlindStore(SqlRunStore):
    """A store that cannot read the one run, the second time after it was told to go blind: that is a worker's look."""

    def __init__(self, database: Database, publish: Publish, dispatcher: Dispatcher) -> None:
        super().__init__(database, publish, dispatcher)
        self.reads: int | None = None
        self.told_to_stop = asyncio.Event()

    async def renew_lease(self, lease: WorkerLease) -> Sequence[str]:
        to_stop = await super().renew_lease(lease)
        if to_stop:
            self.told_to_stop.set()
        return to_stop

    async def run(self, run_id: str, *, user_id: str | None = None) -> Run:
        if self.reads is not None:
            self.reads += 1
            if self.reads == 2:
                raise SetupError("The database is away.")
        return await super().run(run_id, user_id=user_id)


async def test_P13_a_look_that_fails_is_told_and_the_next_beat_makes_up_for_it(
    database: Database, data_dir: Path, caplog: pytest.LogCaptureFixture
) -> None:
    hang = Blocker()
    agents = [a_quick_agent(lambda _: hang())]
    async with live_app(
        database, EMPTY_SCRIPT, data_dir, agents=agents, store_like=BlindStore, heartbeat_s=SOON_S
    ) as life:
        run_id = await life.start()
        await hang.reached.wait()
        assert isinstance(life.store, BlindStore)
        life.store.reads = 0
        await life.runs.cancel(run_id, user_id=DEFAULT_USER_ID)
        await asyncio.wait_for(life.store.told_to_stop.wait(), 20)
        hang.may_go.set()
        await asyncio.wait_for(life.streamed(run_id), 20)
        assert (await life.store.run(run_id)).state is RunState.CANCELLED
    assert "agent_run.refresh_failed" in [record.getMessage() for record in caplog.records]


async def test_B1_a_worker_that_cannot_renew_its_lease_stops_without_a_word_and_another_takes_over(
    database: Database, data_dir: Path
) -> None:
    """Trap 10: the first does not know what the others know, and goes by its own clock."""
    hang = Blocker()
    first_agents, second_agents = [a_quick_agent(lambda _: hang())], [a_quick_agent()]
    async with live_app(
        database,
        EMPTY_SCRIPT,
        data_dir,
        agents=first_agents,
        store_like=StuckStore,
        exclusive=False,
        lease_s=0.3,
        heartbeat_s=SOON_S,
    ) as first:
        assert isinstance(first.store, StuckStore)
        run_id = await first.start()
        await hang.reached.wait()
        first.store.unstuck.clear()
        lost = await asyncio.wait_for(first.wait_until_released(run_id), 10)
        assert (lost.state, lost.epoch) == (RunState.RUNNING, 1)
        assert kinds(await first.stored_events(run_id)) == ["run_started"]
        async with live_app(
            database, EMPTY_SCRIPT, data_dir, agents=second_agents, root=first.root, exclusive=False, sweep_s=SOON_S
        ) as second:
            await asyncio.wait_for(second.streamed(run_id), 10)
            run = await second.store.run(run_id)
            assert_whole(await second.stored_events(run_id), run)
            whole = await second.stored_events(run_id)
            first.store.unstuck.set()
            hang.may_go.set()
            await drain_event_loop()
            assert await second.stored_events(run_id) == whole
        assert first.store.written == 0
    assert (run.state, run.epoch) == (RunState.COMPLETED, 2)


async def test_K2_a_worker_that_lost_its_lease_and_can_write_again_releases_its_runs(
    database: Database, data_dir: Path
) -> None:
    """Without another worker, the same process claims its run again."""
    hang = Blocker()
    agents = [a_quick_agent(lambda _: hang())]
    async with live_app(
        database,
        EMPTY_SCRIPT,
        data_dir,
        agents=agents,
        store_like=StuckStore,
        lease_s=0.3,
        heartbeat_s=SOON_S,
        sweep_s=SOON_S,
    ) as life:
        assert isinstance(life.store, StuckStore)
        run_id = await life.start()
        await hang.reached.wait()
        life.store.unstuck.clear()
        await asyncio.wait_for(life.wait_until_released(run_id), 10)
        hang.may_go.set()
        life.store.unstuck.set()
        await asyncio.wait_for(life.streamed(run_id), 10)
        run = await life.store.run(run_id)
        assert_whole(await life.stored_events(run_id), run)
    assert (run.state, run.crashes) == (RunState.COMPLETED, 0)


@pytest.mark.parametrize("away_for", [1, 2, 3])
async def test_K2_a_run_that_cannot_be_settled_is_left_and_found_by_the_sweep(
    database: Database, data_dir: Path, away_for: int
) -> None:
    """Also where not even that could be stored: whoever carried it says so as soon as that can be stored."""
    store_like = partial(UnreachableStore, away_for=away_for)
    agents = [a_quick_agent()]
    async with live_app(
        database, EMPTY_SCRIPT, data_dir, agents=agents, store_like=store_like, heartbeat_s=SOON_S, sweep_s=SOON_S
    ) as life:
        run_id = await life.start()
        next_id = await life.start(on_busy=OnBusy.ENQUEUE)
        await asyncio.wait_for(life.streamed(next_id), 20)
        run = await life.store.run(run_id)
        assert_whole(await life.stored_events(run_id), run)
    assert (run.state, run.epoch) == (RunState.COMPLETED, 2)


@topologies.command
@pytest.mark.parametrize("away_for", [2, 3, 4])
async def test_K2_who_takes_up_nothing_of_others_goes_on_with_what_it_had_to_leave_itself(
    database: Database, data_dir: Path, away_for: int
) -> None:
    """Also where the database is away for the word that it is left, and once more for its claim."""
    hang, agents = Blocker(), [a_quick_agent()]
    async with live_app(database, EMPTY_SCRIPT, data_dir, agents=[a_quick_agent(lambda _: hang())]) as before:
        others_id = await before.start()
        await hang.reached.wait()
    root = await a_topic(before.paths, "Another")
    async with live_app(
        database,
        EMPTY_SCRIPT,
        data_dir,
        agents=agents,
        root=root,
        store_like=partial(UnreachableStore, away_for=away_for),
        heartbeat_s=SOON_S,
        sweep_s=SOON_S,
        resume_orphans=False,
    ) as life:
        run_id = await life.start()
        await asyncio.wait_for(life.streamed(run_id), 20)
        run, others = await life.store.run(run_id), await life.store.run(others_id)
        assert_whole(await life.stored_events(run_id), run)
    assert (run.state, run.epoch) == (RunState.COMPLETED, 2)
    assert (others.state, others.epoch) == (RunState.RUNNING, 1)


@pytest.mark.parametrize("away_for", [1, 2])
async def test_K2_a_model_that_fails_while_the_database_is_away_is_told_of_as_that_once_it_is_back(
    database: Database, data_dir: Path, away_for: int
) -> None:
    async with live_app(
        database,
        TurnScript(Fault(Scenario.BAD_KEY)),
        data_dir,
        agents=[an_agent()],
        store_like=partial(UnreachableStore, away_for=away_for),
        heartbeat_s=SOON_S,
        sweep_s=SOON_S,
    ) as life:
        run_id = await life.start()
        await asyncio.wait_for(life.streamed(run_id), 20)
        run = await life.store.run(run_id)
        assert_whole(await life.stored_events(run_id), run)
    assert (run.state, run.reason, run.epoch) == (RunState.FAILED, "bad_key", 2)


@topologies.one_process
async def test_K2_a_start_that_fails_when_it_has_claimed_something_carries_nothing_on(
    database: Database, data_dir: Path
) -> None:
    hang = Blocker()
    agents = [a_quick_agent(lambda _: hang())]
    async with live_app(database, EMPTY_SCRIPT, data_dir, agents=agents) as before:
        ids = [await before.start(), await before.start(node=await a_topic(before.paths, "Another"))]
        await hang.reached.wait()
    with pytest.raises(SetupError):
        async with live_app(
            database, EMPTY_SCRIPT, data_dir, agents=agents, root=before.root, store_like=UnreachableForSecondClaim
        ) as life:
            await life.wait_until_released(ids[0])
    assert not {task.get_name() for task in asyncio.all_tasks()} & {f"run {run_id}" for run_id in ids}
    hang.may_go.set()
    async with live_app(database, EMPTY_SCRIPT, data_dir, agents=agents, root=before.root) as after:
        for run_id in ids:
            await asyncio.wait_for(after.streamed(run_id), 20)
        runs = [await after.store.run(run_id) for run_id in ids]
    assert [(run.state, run.crashes) for run in runs] == [(RunState.COMPLETED, 0)] * 2


@topologies.command
async def test_K2_who_lets_go_of_anothers_run_as_its_lease_runs_out_leaves_that_to_the_next_beat(
    database: Database, data_dir: Path
) -> None:
    async with live_app(
        database,
        EMPTY_SCRIPT,
        data_dir,
        agents=[a_quick_agent()],
        store_like=StuckInLeaving,
        lease_s=5.0,  # longer than all that comes before it is stuck
        heartbeat_s=SOON_S,
        resume_orphans=False,
    ) as life:
        assert isinstance(life.store, StuckInLeaving)
        life.store.unstuck.clear()
        first = await life.start()
        await life.wait_until_released(first)
        second = await life.start(node=await a_topic(life.paths, "Another"))
        await asyncio.wait_for(life.store.stuck.wait(), 20)
        assert life.store.left == [second, first]
        await asyncio.wait_for(life.wait_until_released(second), 20)
        life.store.unstuck.set()
        for run_id in (first, second):
            await asyncio.wait_for(life.streamed(run_id), 20)
            assert (await life.store.run(run_id)).state is RunState.COMPLETED


@pytest.mark.parametrize(
    ("error", "crashed"), [(DatabaseBusy, False), (DatabaseUnavailable, False), (SetupError, True)]
)
async def test_a_run_whose_question_cannot_be_stored_is_left_and_asks_again(
    database: Database, data_dir: Path, error: type[SproutError], crashed: bool
) -> None:
    """A database that is unavailable for a while is no crash of the run."""
    store_like = partial(UnreachableStore, away_for=2, error=error)
    async with live_app(
        database,
        TurnScript(ASK, LAST),
        data_dir,
        agents=[an_agent(ask_human)],
        store_like=store_like,
        heartbeat_s=SOON_S,
        sweep_s=SOON_S,
    ) as life:
        run_id = await life.start()
        waiting = await asyncio.wait_for(life.wait_for_question(run_id), 20)
        assert isinstance(life.store, UnreachableStore)
        assert life.store.refused == ["pause", "abandon"]
        assert life.store.crashed == [crashed]
        await life.runs.answer(run_id, "either", user_id=DEFAULT_USER_ID)
        await life.streamed(run_id)
        run = await life.store.run(run_id)
        assert_whole(await life.stored_events(run_id), run)
    assert (waiting.epoch, run.state) == (2, RunState.COMPLETED)


async def test_a_run_of_an_agent_that_is_gone_ends_and_does_not_hold_its_lane(
    database: Database, data_dir: Path
) -> None:
    hang = Blocker()
    async with live_app(database, EMPTY_SCRIPT, data_dir, agents=[a_quick_agent(lambda _: hang())]) as life:
        run_id = await life.start()
        await hang.reached.wait()
    async with live_app(
        database,
        EMPTY_SCRIPT,
        data_dir,
        agents=[a_quick_agent(name="other")],
        root=life.root,
        heartbeat_s=SOON_S,
        sweep_s=SOON_S,
    ) as life:
        await asyncio.wait_for(life.streamed(run_id), 20)
        run = await life.store.run(run_id)
    assert run.state is RunState.FAILED


async def test_trap_56_a_child_that_is_started_while_the_server_stops_does_not_outlive_it(
    database: Database, data_dir: Path
) -> None:
    hang, before = Blocker(), asyncio.all_tasks()
    model = TurnScript(Reply([ToolOut("hand_on")]), LAST)
    async with live_app(database, model, data_dir, agents=[handing_on(hang), a_quick_agent(name="subconcept")]) as life:
        run_id = await life.start()
        await hang.reached.wait()
        closing = asyncio.create_task(life.runs.close())
        await drain_event_loop()
        hang.may_go.set()
        await closing
        left = [task.get_name() for task in asyncio.all_tasks() - before if task.get_name().startswith("run ")]
        assert left == []
    agents = [handing_on(hang), a_quick_agent(name="subconcept")]
    async with live_app(database, model, data_dir, agents=agents, root=life.root) as life:
        await asyncio.wait_for(life.streamed(run_id), 20)
        run = await life.store.run(run_id)
        log = await life.stored_events(run_id)
    assert kinds(log).count("run_started") == 2
    assert run.state is RunState.COMPLETED
    assert_whole(log, run)


def handing_on(hang: Blocker) -> AgentSpec:
    """An agent whose one tool starts a child, and must not be called off."""

    async def brief(job: Job, team: Team) -> Brief:
        @tool(effect=Effect.WRITE)
        async def hand_on(call: ToolUse) -> str:
            """Start a child."""
            await hang()
            await team.start("subconcept", node_id=job.node_id, label="child")
            return "started"

        begin = (Message("user", (Text("Begin."),)),)
        return Brief(system="You work.", messages=begin, tools=(hand_on,))

    return AgentSpec("topic", "topic", QUICK, brief)


class SlowClaims(SqlRunStore):
    """A store whose answer to a claim, or to an admission, is a while on its way."""

    def __init__(self, database: Database, publish: Publish, dispatcher: Dispatcher) -> None:
        super().__init__(database, publish, dispatcher)
        self.claims = Blocker(at=10_000)
        self.admissions = Blocker(at=10_000)

    async def claim(self, lane: str, lease: WorkerLease) -> Run | None:
        claimed = await super().claim(lane, lease)
        if claimed is not None:
            await self.claims()
        return claimed

    async def admit(self, run: Run, **how: Any) -> Admission:
        admission = await super().admit(run, **how)
        await self.admissions()
        return admission


async def test_trap_57_a_run_that_is_stopped_while_it_is_being_claimed_stops_before_the_next_beat(
    database: Database, data_dir: Path
) -> None:
    async with live_app(
        database,
        TurnScript(LONG),
        data_dir,
        agents=[an_agent()],
        store_like=SlowClaims,
        pace=SLOW,
        heartbeat_s=NO_BEAT_S,
    ) as life:
        assert isinstance(life.store, SlowClaims)
        first = await life.start()
        second = await life.start(on_busy=OnBusy.ENQUEUE)
        life.store.claims = Blocker()
        await life.runs.cancel(first, user_id=DEFAULT_USER_ID)
        await asyncio.wait_for(life.store.claims.reached.wait(), 20)
        await life.runs.cancel(second, user_id=DEFAULT_USER_ID)
        life.store.claims.may_go.set()
        await asyncio.wait_for(life.streamed(second), 20)
        assert (await life.store.run(second)).state is RunState.CANCELLED


@pytest.mark.parametrize("at", [1, 2])
async def test_trap_57_a_run_that_is_stopped_while_it_is_being_admitted_stops_before_the_next_beat(
    database: Database, data_dir: Path, at: int
) -> None:
    """The root itself, or the first run under it."""
    model = TurnScript(Reply([ToolOut("save", {"title": "Light"})]), LONG, child=[LONG])
    async with live_app(database, model, data_dir, store_like=SlowClaims, pace=SLOW, heartbeat_s=NO_BEAT_S) as life:
        assert isinstance(life.store, SlowClaims)
        life.store.admissions = Blocker(at=at)
        starting = asyncio.create_task(life.start())
        await life.store.admissions.reached.wait()
        tree = await unfinished_runs(life.store)
        assert len(tree) == at
        await life.runs.cancel(tree[0].root_id, user_id=DEFAULT_USER_ID)
        life.store.admissions.may_go.set()
        await asyncio.wait_for(life.streamed(await starting), 20)
        assert {(await life.store.run(one.id)).state for one in tree} == {RunState.CANCELLED}


async def test_trap_12_a_run_that_is_claimed_while_the_server_stops_is_released(
    database: Database, data_dir: Path
) -> None:
    hang, before = Blocker(), asyncio.all_tasks()
    async with live_app(
        database, EMPTY_SCRIPT, data_dir, agents=[a_quick_agent(lambda _: hang())], store_like=SlowClaims
    ) as life:
        assert isinstance(life.store, SlowClaims)
        first = await life.start()
        second = await life.start(on_busy=OnBusy.ENQUEUE)
        await hang.reached.wait()
        life.store.claims = Blocker()
        hang.may_go.set()
        await life.store.claims.reached.wait()
        closing = asyncio.create_task(life.runs.close())
        await drain_event_loop()
        assert not closing.done()
        life.store.claims.may_go.set()
        await closing
        left = [task.get_name() for task in asyncio.all_tasks() - before if task.get_name().startswith("run ")]
        run = await life.store.run(second)
        assert left == []
        assert (run.state, run.owner) == (RunState.RUNNING, None)
        assert (await life.store.run(first)).state is RunState.COMPLETED
    async with live_app(database, EMPTY_SCRIPT, data_dir, agents=[a_quick_agent()], root=life.root) as life:
        await life.streamed(second)
        assert (await life.store.run(second)).crashes == 0


async def test_trap_73_hundreds_of_runs_leave_nothing_behind(topology_url: str, data_dir: Path) -> None:
    """No task, no tail, no lane, no text in flight: as many things of ours as after the first few."""
    async with (
        open_database(topology_url) as database,
        live_app(database, EMPTY_SCRIPT, data_dir, agents=[a_quick_agent()]) as life,
    ):
        topics = [life.root, *[await a_topic(life.paths, f"Topic {n}") for n in range(49)]]

        async def run_task(n: int) -> None:
            run_id = await life.start(node=topics[n])
            await (life.streamed(run_id) if n % 10 == 0 else life.wait_until_released(run_id))

        counts = []
        for _ in range(6):
            await asyncio.gather(*(run_task(n) for n in range(50)))
            await drain_event_loop()
            counts.append(ours())
        await until(lambda: ours() == counts[0])  # the last of them may still wait for a thread to let go
        done = await life.runs.runs(user_id=DEFAULT_USER_ID, states=[RunState.COMPLETED], limit=2_000)
    assert len(done) == 300


def ours() -> Counter[str]:
    """Number of live objects of the worker's parts, and of its tasks."""
    gc.collect()
    parts = ("sprout.runs", "sprout.engines", "sprout.agents")
    alive = Counter(type(one).__name__ for one in gc.get_objects() if str(type(one).__module__).startswith(parts))
    tasks = [task for task in asyncio.all_tasks() if task.get_name().startswith("run ")]
    return alive + Counter(tasks=len(tasks))


async def test_P2_a_run_whose_lease_is_lost_before_its_task_has_begun_goes_on(
    database: Database, data_dir: Path
) -> None:
    async with live_app(database, EMPTY_SCRIPT, data_dir, agents=[a_quick_agent()], heartbeat_s=SOON_S) as life:
        run_id = await life.start()
        life.runs._worker._cancel_all()  # the loop has had no turn since the claim
        async with asyncio.timeout(LONGEST_S):
            await life.streamed(run_id)
        run = await life.store.run(run_id)
    assert (run.state, run.epoch) == (RunState.COMPLETED, 2)
