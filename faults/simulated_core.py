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

from faults.figures import Figure
from faults.harness.checker import Verdict, verdict_on
from faults.harness.lessons import lesson_faults
from faults.harness.played_database import Fate, database_of, empty_database
from faults.harness.played_learner import PlayedLearner
from faults.harness.played_process import PlayedProcess, process
from faults.harness.playing import PlayedLoop, each_twice, played
from faults.harness.readers import Seen
from sprout.engines.asyncio_dispatcher import AsyncioDispatcher
from sprout.errors import NotFound, SproutError
from sprout.learning.paths.library import DEFAULT_USER_ID
from sprout.runs.live import LiveRuns
from sprout.runs.log import Logged
from sprout.runs.outcome import BROKE
from sprout.runs.state import ENDED, Run, RunState
from sprout.store.columns import Row, table_of
from sprout.store.database import Database
from sprout.store.files import Files
from sprout.store.library import SqlLibrary
from sprout.store.run_tables import Run as RunRow
from sprout.store.runs import SqlRunStore
from tests.builders import a_topic

SEEDS = 200
TOPICS = 2
DEEDS = 24
LIVES = 3  # of a process, before it is left in peace
LONGEST_S = 12 * 3_600.0  # on the played clock
LOOK_AGAIN_S = 5.0
_runs = table_of(RunRow)


@dataclass(slots=True)
class Played:
    """One seed.

    Args:
        digest: of every row of every table at the end, and of all that was heard.
        refused: what was asked in vain, by error.
        deaths: of processes, by how.
        played_s: how long it was on the played clock.
    """

    digest: str = ""
    verdict: Verdict = field(default_factory=Verdict)
    refused: Counter[str] = field(default_factory=Counter)
    deaths: Counter[str] = field(default_factory=Counter)
    played_s: float = 0.0


async def core(seed: int = 1, seeds: int = SEEDS) -> list[Figure]:
    """P14: the core on a played clock and a played database, each seed twice; all rows must be the same."""
    began_s = time.monotonic()
    differ, wrong, total = 0, [], Played()
    async for number, one, again in each_twice(play, range(seed, seed + seeds)):
        differ += one.digest != again.digest
        wrong += [f"seed {number}: {what}" for what in one.verdict.faults]
        total.verdict.add(one.verdict)
        total.refused += one.refused
        total.deaths += one.deaths
        total.played_s += one.played_s
    took_s = time.monotonic() - began_s
    told = total.verdict
    return [
        Figure("core", "seeds, each twice; seeds a minute", f"{seeds:,}, {2 * seeds / took_s * 60:,.0f}"),
        Figure("core", "runs, events, hours played", f"{told.runs:,}, {told.events:,}, {total.played_s / 3600:,.0f}"),
        *(Figure("core", f"processes that {how}", f"{times:,}") for how, times in total.deaths.most_common()),
        *(Figure("core", f"asked in vain: {why}", f"{times:,}") for why, times in total.refused.most_common()),
        *(Figure("core", f"ended: {reason}", f"{times:,}") for reason, times in told.reasons.most_common()),
        Figure("core", "seeds whose rows were others the second time", f"{differ}", differ == 0),
        Figure("core", "violations", f"{len(wrong)}", not wrong),
        *(Figure("core", "violation", what, False) for what in wrong[:20]),
    ]


def play(seed: int) -> Played:
    """Play one seed in a loop and a database of its own, until all is at rest."""
    with _unheard(), empty_database() as engine:
        return played(seed, lambda loop: World(seed, engine, loop).played(), longest_s=LONGEST_S)


@contextmanager
def _unheard() -> Iterator[None]:
    """Most of what processes log here is that they die."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


@dataclass(slots=True)
class Follower:
    """Follows a root run to its end, through whichever processes there are.

    Args:
        chance: its own, since in which order several are woken is nobody's business.
    """

    root_id: str
    chance: random.Random
    seen: list[Seen] = field(default_factory=list)
    gone: bool = False

    @property
    def at_end(self) -> bool:
        return bool(self.seen) and self.seen[-1].kind == "run_done"

    @property
    def over(self) -> bool:
        return self.at_end or self.gone


class World:
    """Processes that share a database, and a learner who asks for things while they come and go."""

    def __init__(self, seed: int, engine: Engine, loop: PlayedLoop) -> None:
        self._engine = engine
        self._loop = loop
        self._chance = random.Random(f"world {seed}")
        self._alone = self._chance.random() < 0.5
        self._up: list[PlayedProcess] = []
        self._somebody_came = asyncio.Event()
        self._fates: list[Fate] = []
        self._calm = False
        self._over = asyncio.Event()
        self._followers: dict[str, Follower] = {}
        self._found = Played()

    async def played(self) -> Played:
        """All of it, from an empty database to the last run's end."""
        desk = database_of(self._engine, Fate(self._a_chance()))
        library = SqlLibrary(desk, lambda news: None, files=Files(Path("none")))
        await library.ensure_user(DEFAULT_USER_ID)
        topics = [await a_topic(library, f"Topic {number}") for number in range(TOPICS)]
        async with asyncio.TaskGroup() as tasks:
            for _ in range(1 if self._alone else 2):
                tasks.create_task(self._kept_up())
            await self._learn(PlayedLearner(desk, topics, self._a_chance()), tasks)
            self._become_calm()
            await self._come_to_rest(desk, tasks)
        with self._engine.connect() as connection:
            there = set(connection.execute(select(_runs.c.id)).scalars())  # a run goes with its node
            followers = [one for one in self._followers.values() if one.root_id in there]
            self._found.verdict = verdict_on(connection, followers, whole=False)
            self._found.digest = _digest(connection, followers)
        self._found.verdict.broken += await desk.write(lesson_faults)
        if self._found.verdict.reasons[BROKE.code]:
            self._found.verdict.broken.append("a run has met a bug")
        self._found.played_s = self._loop.time()
        return self._found

    def _a_chance(self) -> random.Random:
        return random.Random(self._chance.random())

    def _become_calm(self) -> None:
        self._calm = True
        for fate in self._fates:
            fate.calm()

    async def _kept_up(self) -> None:
        """One process after another, as whoever keeps a server up starts it again."""
        lives = 0
        while not self._over.is_set():
            lives += 1
            fate = Fate(self._a_chance())
            if lives <= LIVES and not self._calm:
                fate.dies_at = self._chance.randint(3, 120)
                fate.stored = self._chance.random() < 0.5
                fate.freezes_at = self._chance.choice([None, self._chance.randint(3, 120)])
                fate.ill = self._chance.choice([0, 0, 5, 30])
            self._fates.append(fate)
            with suppress(SproutError):  # it is gone, or could not even start
                await self._life(fate)
            self._fates.remove(fate)
            self._found.deaths["were killed" if fate.dead.is_set() else "went in order"] += 1
            await asyncio.sleep(self._chance.uniform(0.5, 60.0))

    async def _life(self, fate: Fate) -> None:
        """A process, until it is killed, goes in good order, or everything is over."""
        leaves_after_s = None if self._calm else self._chance.expovariate(1 / 300)
        async with process(self._engine, fate, self._a_chance(), alone=self._alone) as up:
            self._up.append(up)
            self._somebody_came.set()
            try:
                await self._until_gone(fate, leaves_after_s)
            finally:
                self._up.remove(up)
                self._somebody_came.clear()

    async def _until_gone(self, fate: Fate, leaves_after_s: float | None) -> None:
        waits = [asyncio.create_task(event.wait()) for event in (fate.dead, self._over)]
        await asyncio.wait(waits, timeout=leaves_after_s, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()

    async def _somebody(self, chance: random.Random) -> PlayedProcess:
        """A process that is up; waited for where there is none."""
        while not self._up:
            await self._somebody_came.wait()
        return chance.choice(self._up)

    async def _learn(self, learner: PlayedLearner, tasks: asyncio.TaskGroup) -> None:
        """So many deeds; what is refused is counted, and left."""
        for _ in range(DEEDS):
            await asyncio.sleep(self._chance.expovariate(1 / 6))
            try:
                run = await learner.does_something(await self._somebody(self._chance))
            except SproutError as error:
                self._found.refused[type(error).__name__] += 1
                continue
            if run is not None:
                self._follow(run.id, tasks)

    def _follow(self, root_id: str, tasks: asyncio.TaskGroup) -> None:
        if root_id not in self._followers:
            self._followers[root_id] = Follower(root_id, self._a_chance())
            tasks.create_task(self._followed(self._followers[root_id]))

    async def _followed(self, follower: Follower) -> None:
        while not follower.over:
            runs = (await self._somebody(follower.chance)).runs
            after = follower.seen[-1].seq if follower.seen else 0
            with suppress(SproutError):  # a process that is gone answers nothing
                async with aclosing(runs.follow(follower.root_id, after=after)) as batches:
                    async for batch in batches:
                        follower.seen += [
                            Seen(one.seq, one.kind, one.data.encode()) for one in batch if isinstance(one, Logged)
                        ]
                follower.gone = not await self._is_there(runs, follower.root_id)
            await asyncio.sleep(follower.chance.uniform(0.0, 2.0))

    async def _is_there(self, runs: LiveRuns, root_id: str) -> bool:
        """Whether the run is still there: it goes with its node."""
        try:
            await runs.run(root_id, user_id=DEFAULT_USER_ID)
        except NotFound:
            return False
        return True

    async def _come_to_rest(self, desk: Database, tasks: asyncio.TaskGroup) -> None:
        """Answer what is asked, until every run has ended and whoever follows one has heard of it."""
        store = SqlRunStore(desk, lambda news: None, AsyncioDispatcher())
        while (left := await desk.look(_left)) or not all(one.over for one in self._followers.values()):
            for run in [await store.run(run_id) for run_id in left]:
                self._follow(run.root_id, tasks)
                if run.state is RunState.WAITING_ON_HUMAN and not run.answered:
                    with suppress(SproutError):  # it has gone on meanwhile, or who is asked is gone
                        await self._answered(run)
            await asyncio.sleep(LOOK_AGAIN_S)
        self._over.set()

    async def _answered(self, run: Run) -> None:
        assert run.question is not None
        runs = (await self._somebody(self._chance)).runs
        await runs.answer(run.id, self._chance.choice(run.question.choices or ("Go on.",)), user_id=DEFAULT_USER_ID)


def _left(connection: Connection) -> list[str]:
    """The runs that have not ended."""
    wanted = select(_runs.c.id).where(_runs.c.state.not_in(ENDED)).order_by(_runs.c.creation)
    return list(connection.execute(wanted).scalars())


def _digest(connection: Connection, followers: Iterable[Follower]) -> str:
    digest = hashlib.sha256()
    for table in Row.metadata.sorted_tables:
        for row in connection.execute(select(table).order_by(*table.primary_key)):
            digest.update(repr(tuple(row)).encode())
    for follower in followers:
        digest.update(repr(follower.seen).encode())
    return digest.hexdigest()


PROOFS: dict[str, Callable[..., Awaitable[list[Figure]]]] = {"core": core}
