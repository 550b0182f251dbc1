"""Killed at random moments under many runs and readers: every run ends, and every reader has the whole of it."""

import asyncio
import itertools
import random
import signal
import time
from asyncio.subprocess import Process
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from sqlalchemy import create_engine, text

from faults.figures import Figure
from faults.harness.checker import Verdict, check
from faults.harness.figures import spread, zeros
from faults.harness.recovery import Recovery, recoveries
from faults.harness.scene import Scene, scene
from faults.harness.server import Life, Place
from faults.harness.wire import asked
from sprout.offline.pace import Pace
from sprout.runs.state import ENDED, MOST_CRASHES
from sprout.store.boundaries import place_of
from sprout.store.urls import sync_url

PACE = Pace(0.1, 400.0)
LIVES_S = (0.05, 1.5)
LOOK_S = 0.05
STOP_S = 0.001
ASK_S = 1.0
RESTS = 100
AT_REST = ("sprout_open_streams", "sprout_runs{", "sprout_gate_going", "sprout_gate_waiting")


@dataclass(slots=True)
class Outcome:
    """What came of it.

    Args:
        spared: kills that were put off, since one more crash at its place would have ended a run, as it shall.
        cuts: connections of readers that were cut.
        restless: figures of the last life that are not zero although nothing goes on.
        files: how many files and sockets the first life had open before its work, and the last one after it.
    """

    verdict: Verdict
    recoveries: list[Recovery]
    spared: int = 0
    cuts: int = 0
    restless: list[str] = field(default_factory=list)
    files: tuple[int, int] = (0, 0)


async def kills(kills: int = 300, seed: int = 1) -> list[Figure]:
    """Killed at random moments under 20 runs, of which 10 are read by clients that come back."""
    outcome = await killed(kills, seed=seed, runs=20, read=10)
    before, after = outcome.files
    return [
        Figure("kills", "kills, seed, put off", f"{kills}, {seed}, {outcome.spared}"),
        Figure("kills", "connections of readers that were cut", f"{outcome.cuts:,}"),
        *zeros("kills", outcome.verdict),
        Figure("kills", "left open or going at rest", ", ".join(outcome.restless) or "0", not outcome.restless),
        Figure("kills", "open files before and after", f"{before}, {after}"),
        *(Figure("kills", f"ended: {reason}", f"{count}") for reason, count in outcome.verdict.reasons.most_common()),
        *spread("kills", outcome.recoveries),
    ]


async def killed(kills: int, *, seed: int, runs: int, read: int, cradle: Process | None = None) -> Outcome:
    """Kill as often, with so many runs going all the time, of which some are read."""
    draw = random.Random(seed)
    spared = 0
    async with scene(PACE, settings={"SPROUT_LOG_LEVEL": "warning"}, cradle=cradle) as stage:
        life = await stage.place.born()
        before = psutil.Process(life.pid).num_fds()
        enough = asyncio.Event()
        async with asyncio.TaskGroup() as people:
            for number in range(runs):
                people.create_task(_learner(stage, enough, reads=number < read))
            for _ in range(kills):
                await asyncio.sleep(draw.uniform(*LIVES_S))
                spared += await killed_where_no_run_ends(stage.place)
                life = await stage.place.born()
            enough.set()
        restless = await _restless(stage)
        after = psutil.Process(life.pid).num_fds()
        await life.killed()
        verdict = await asyncio.to_thread(check, stage.place.database, stage.readers)
        found = await asyncio.to_thread(recoveries, stage.place)
        cuts = sum(reader.cuts for reader in stage.readers)
        return Outcome(verdict, found, spared, cuts, restless, (before, after))


async def _learner(stage: Scene, enough: asyncio.Event, *, reads: bool) -> None:
    """One path after the other, each to its end."""
    while not enough.is_set():
        run_id = await stage.ordered()
        if reads:
            await stage.reader(run_id).to_the_end()
        else:
            await _over(stage, run_id)


async def _over(stage: Scene, run_id: str) -> None:
    while True:
        if (await stage.insisted("GET", f"/api/runs/{run_id}")).body["state"] in ENDED:
            return
        await asyncio.sleep(ASK_S)


async def killed_where_no_run_ends(place: Place) -> bool:
    """Kill the life there at a moment when no run is given up for it; whether that moment had to be waited for.

    The life stands still while it is looked at: what is found is what its death leaves.
    """
    life = place.lives[-1]
    for waited in itertools.count():
        await asyncio.to_thread(_stop, life)
        if not await asyncio.to_thread(_last_chances, place.database):
            await life.killed()
            return waited > 0
        life.signal(signal.SIGCONT)
        await asyncio.sleep(LOOK_S)
    raise AssertionError("a count has no end")


def _stop(life: Life) -> None:
    """Until every thread has stopped: one that waits for the disk does so when it has been served."""
    life.signal(signal.SIGSTOP)
    while any(
        thread.read_text().rpartition(")")[2].split()[0] not in {"T", "Z"}
        for thread in Path(f"/proc/{life.pid}/task").glob("*/stat")
    ):
        time.sleep(STOP_S)


def _last_chances(database: str) -> int:
    """How many runs were cut off so often at the place where they are that once more ends them."""
    engine = create_engine(sync_url(database))
    wanted = text("select id, crashed_at from runs where state = 'running' and crashes >= :crashes and not resting")
    with engine.connect() as connection:
        near = connection.execute(wanted, {"crashes": MOST_CRASHES - 1}).all()
        places = [(place_of(connection, row.id), row.crashed_at) for row in near]
    engine.dispose()
    return sum(place == crashed_at for place, crashed_at in places)


async def _restless(stage: Scene) -> list[str]:
    """What the server still counts as open or going although all is over, once it has had its time."""
    going: list[str] = []
    for _ in range(RESTS):
        figures = str((await asked(stage.place.port, "GET", "/metrics")).body).splitlines()
        going = [line for line in figures if line.startswith(AT_REST) and float(line.rpartition(" ")[2]) > 0]
        if not going:
            break
        await asyncio.sleep(LOOK_S)
    return going


PROOFS: dict[str, Callable[..., Awaitable[list[Figure]]]] = {"kills": kills}
