"""Loop, agents, runs and store on a clock and a database that are played: killed, frozen and refused by a seed."""

import asyncio
import hashlib
import logging
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import aclosing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import Connection, Engine, select

from faults.core.loop_faults import ProofFigure
from harness.builders import a_topic
from harness.clients.run_follower import ReceivedEvent
from harness.invariants.database_check import InvariantReport, check_connection
from harness.invariants.lessons import lesson_faults
from harness.simulation.database import ProcessFate, empty_database, simulated_database
from harness.simulation.event_loop import SimulatedLoop, run_each_twice, run_simulated
from harness.simulation.learner import SimulatedLearner
from harness.simulation.process import SimulatedProcess, run_process
from sprout.engines.asyncio_dispatcher import AsyncioDispatcher
from sprout.errors import NotFound, SproutError
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.runs.execution.outcome import INTERNAL_ERROR
from sprout.runs.live_runs import LiveRuns
from sprout.runs.run_store import StoredEvent
from sprout.runs.state import TERMINAL_STATES, Run, RunState
from sprout.store.documents.local_storage import LocalStorage
from sprout.store.engine.database import Database
from sprout.store.paths.paths import SqlPaths
from sprout.store.runs.repository import SqlRunStore
from sprout.store.schema.columns import TableModel, table_of
from sprout.store.schema.run_tables import Run as RunRow

SEEDS = 200
TOPICS = 2
DEEDS = 24
LIVES = 3  # of a process, before it is left in peace
LONGEST_S = 12 * 3_600.0  # on the played clock
LOOK_AGAIN_S = 5.0
_runs = table_of(RunRow)


@dataclass(slots=True)
class CoreRun:
    """Result of one seed.

    Args:
        digest: hash of every row of every table at the end, and of all received events.
        refusals: refused requests, by error.
        deaths: ended processes, by cause.
        played_s: duration on the simulated clock.
    """

    digest: str = ""
    verdict: InvariantReport = field(default_factory=InvariantReport)
    refusals: Counter[str] = field(default_factory=Counter)
    deaths: Counter[str] = field(default_factory=Counter)
    played_s: float = 0.0


async def core(seed: int = 1, seeds: int = SEEDS) -> list[ProofFigure]:
    """The core on a played clock and a played database, each seed twice; all rows must be the same."""
    began_s = time.monotonic()
    differ, wrong, total = 0, [], CoreRun()
    async for number, one, again in run_each_twice(play, range(seed, seed + seeds)):
        differ += one.digest != again.digest
        wrong += [f"seed {number}: {violation}" for violation in one.verdict.faults]
        total.verdict.merge(one.verdict)
        total.refusals += one.refusals
        total.deaths += one.deaths
        total.played_s += one.played_s
    took_s = time.monotonic() - began_s
    totals = total.verdict
    return [
        ProofFigure("core", "seeds, each twice; seeds a minute", f"{seeds:,}, {2 * seeds / took_s * 60:,.0f}"),
        ProofFigure(
            "core", "runs, events, hours played", f"{totals.runs:,}, {totals.events:,}, {total.played_s / 3600:,.0f}"
        ),
        *(ProofFigure("core", f"processes that {how}", f"{times:,}") for how, times in total.deaths.most_common()),
        *(ProofFigure("core", f"asked in vain: {why}", f"{times:,}") for why, times in total.refusals.most_common()),
        *(ProofFigure("core", f"ended: {reason}", f"{times:,}") for reason, times in totals.reasons.most_common()),
        ProofFigure("core", "seeds whose rows were others the second time", f"{differ}", differ == 0),
        ProofFigure("core", "violations", f"{len(wrong)}", not wrong),
        *(ProofFigure("core", "violation", violation, False) for violation in wrong[:20]),
    ]


def play(seed: int) -> CoreRun:
    """Play one seed in a loop and a database of its own, until all is at rest."""
    with _silence_logs(), empty_database() as engine:
        return run_simulated(seed, lambda loop: SimulatedDeployment(seed, engine, loop).run(), longest_s=LONGEST_S)


@contextmanager
def _silence_logs() -> Iterator[None]:
    """Most of what processes log here is that they die."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


@dataclass(slots=True)
class SimulatedFollower:
    """Follows a root run to its end, through whichever processes there are.

    Args:
        chance: its own generator, since the order in which several runs are woken is unspecified.
    """

    root_id: str
    chance: random.Random
    received: list[ReceivedEvent] = field(default_factory=list)
    run_deleted: bool = False

    @property
    def is_finished(self) -> bool:
        return bool(self.received) and self.received[-1].kind == "run_done"

    @property
    def is_over(self) -> bool:
        return self.is_finished or self.run_deleted


class SimulatedDeployment:
    """Processes that share a database, and a learner who asks for things while they come and go."""

    def __init__(self, seed: int, engine: Engine, loop: SimulatedLoop) -> None:
        self._engine = engine
        self._loop = loop
        self._chance = random.Random(f"world {seed}")
        self._alone = self._chance.random() < 0.5
        self._up: list[SimulatedProcess] = []
        self._somebody_came = asyncio.Event()
        self._fates: list[ProcessFate] = []
        self._calm = False
        self._over = asyncio.Event()
        self._followers: dict[str, SimulatedFollower] = {}
        self._found = CoreRun()

    async def run(self) -> CoreRun:
        """All of it, from an empty database to the last run's end."""
        desk = simulated_database(self._engine, ProcessFate(self._new_random()))
        paths = SqlPaths(desk, lambda message: None, storage=LocalStorage(Path("none")))
        await paths.ensure_user(DEFAULT_USER_ID)
        topics = [await a_topic(paths, f"Topic {number}") for number in range(TOPICS)]
        async with asyncio.TaskGroup() as tasks:
            for _ in range(1 if self._alone else 2):
                tasks.create_task(self._keep_running())
            await self._run_learner(SimulatedLearner(desk, topics, self._new_random()), tasks)
            self._disable_faults()
            await self._settle(desk, tasks)
        with self._engine.connect() as connection:
            there = set(connection.execute(select(_runs.c.id)).scalars())  # a run goes with its node
            followers = [one for one in self._followers.values() if one.root_id in there]
            self._found.verdict = check_connection(connection, followers, whole=False)
            self._found.digest = _digest(connection, followers)
        self._found.verdict.broken += await desk.write_tx(lesson_faults)
        if self._found.verdict.reasons[INTERNAL_ERROR.code]:
            self._found.verdict.broken.append("a run has met a bug")
        self._found.played_s = self._loop.time()
        return self._found

    def _new_random(self) -> random.Random:
        return random.Random(self._chance.random())

    def _disable_faults(self) -> None:
        self._calm = True
        for fate in self._fates:
            fate.disable()

    async def _keep_running(self) -> None:
        """Start one process after another, as a supervisor restarts a server."""
        lives = 0
        while not self._over.is_set():
            lives += 1
            fate = ProcessFate(self._new_random())
            if lives <= LIVES and not self._calm:
                fate.dies_at = self._chance.randint(3, 120)
                fate.commits_on_death = self._chance.random() < 0.5
                fate.freezes_at = self._chance.choice([None, self._chance.randint(3, 120)])
                fate.failures_per_thousand = self._chance.choice([0, 0, 5, 30])
            self._fates.append(fate)
            with suppress(SproutError):  # it is gone, or could not even start
                await self._run_process(fate)
            self._fates.remove(fate)
            self._found.deaths["were killed" if fate.dead.is_set() else "went in order"] += 1
            await asyncio.sleep(self._chance.uniform(0.5, 60.0))

    async def _run_process(self, fate: ProcessFate) -> None:
        """A process, until it is killed, goes in good order, or everything is over."""
        leaves_after_s = None if self._calm else self._chance.expovariate(1 / 300)
        async with run_process(self._engine, fate, self._new_random(), alone=self._alone) as up:
            self._up.append(up)
            self._somebody_came.set()
            try:
                await self._run_until_exit(fate, leaves_after_s)
            finally:
                self._up.remove(up)
                self._somebody_came.clear()

    async def _run_until_exit(self, fate: ProcessFate, leaves_after_s: float | None) -> None:
        waits = [asyncio.create_task(event.wait()) for event in (fate.dead, self._over)]
        await asyncio.wait(waits, timeout=leaves_after_s, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()

    async def _any_process(self, chance: random.Random) -> SimulatedProcess:
        """Return a process that is up, waiting for one if necessary."""
        while not self._up:
            await self._somebody_came.wait()
        return chance.choice(self._up)

    async def _run_learner(self, learner: SimulatedLearner, tasks: asyncio.TaskGroup) -> None:
        """So many deeds; what is refused is counted, and left."""
        for _ in range(DEEDS):
            await asyncio.sleep(self._chance.expovariate(1 / 6))
            try:
                run = await learner.act(await self._any_process(self._chance))
            except SproutError as error:
                self._found.refusals[type(error).__name__] += 1
                continue
            if run is not None:
                self._follow(run.id, tasks)

    def _follow(self, root_id: str, tasks: asyncio.TaskGroup) -> None:
        if root_id not in self._followers:
            self._followers[root_id] = SimulatedFollower(root_id, self._new_random())
            tasks.create_task(self._follow_to_end(self._followers[root_id]))

    async def _follow_to_end(self, follower: SimulatedFollower) -> None:
        while not follower.is_over:
            runs = (await self._any_process(follower.chance)).runs
            after = follower.received[-1].seq if follower.received else 0
            with suppress(SproutError):  # a process that is gone answers nothing
                async with aclosing(runs.follow(follower.root_id, after=after)) as batches:
                    async for batch in batches:
                        follower.received += [
                            ReceivedEvent(one.seq, one.kind, one.data.encode())
                            for one in batch
                            if isinstance(one, StoredEvent)
                        ]
                follower.run_deleted = not await self._run_exists(runs, follower.root_id)
            await asyncio.sleep(follower.chance.uniform(0.0, 2.0))

    async def _run_exists(self, runs: LiveRuns, root_id: str) -> bool:
        """Return True while the run exists: it is deleted with its node."""
        try:
            await runs.run(root_id, user_id=DEFAULT_USER_ID)
        except NotFound:
            return False
        return True

    async def _settle(self, desk: Database, tasks: asyncio.TaskGroup) -> None:
        """Answer questions until every run has ended and all followers have received the end."""
        store = SqlRunStore(desk, lambda message: None, AsyncioDispatcher())
        while (left := await desk.read_tx(_unfinished_runs)) or not all(
            one.is_over for one in self._followers.values()
        ):
            for run in [await store.run(run_id) for run_id in left]:
                self._follow(run.root_id, tasks)
                if run.state is RunState.WAITING_ON_HUMAN and not run.answered:
                    with suppress(SproutError):  # it has gone on meanwhile, or who is asked is gone
                        await self._answer_question(run)
            await asyncio.sleep(LOOK_AGAIN_S)
        self._over.set()

    async def _answer_question(self, run: Run) -> None:
        assert run.question is not None
        runs = (await self._any_process(self._chance)).runs
        await runs.answer(run.id, self._chance.choice(run.question.choices or ("Go on.",)), user_id=DEFAULT_USER_ID)


def _unfinished_runs(connection: Connection) -> list[str]:
    """The runs that have not ended."""
    wanted = select(_runs.c.id).where(_runs.c.state.not_in(TERMINAL_STATES)).order_by(_runs.c.creation)
    return list(connection.execute(wanted).scalars())


def _digest(connection: Connection, followers: Iterable[SimulatedFollower]) -> str:
    digest = hashlib.sha256()
    for table in TableModel.metadata.sorted_tables:
        for row in connection.execute(select(table).order_by(*table.primary_key)):
            digest.update(repr(tuple(row)).encode())
    for follower in followers:
        digest.update(repr(follower.received).encode())
    return digest.hexdigest()


PROOFS: dict[str, Callable[..., Awaitable[list[ProofFigure]]]] = {"core": core}
