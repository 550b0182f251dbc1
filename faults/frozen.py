"""Frozen in the middle of its work: another takes over, and who thaws writes nothing more of what is not his."""

import asyncio
import signal
import time
from asyncio.subprocess import Process
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from sqlalchemy import create_engine, text

from faults.figures import Figure
from faults.harness.checker import Verdict, check
from faults.harness.figures import zeros
from faults.harness.readers import Reader
from faults.harness.scene import Scene, scene
from faults.harness.server import Life, Place, nursery
from sprout.offline.pace import Pace
from sprout.store.migrate import upgrade
from sprout.store.urls import sync_url
from tests.conftest import new_postgres

PACE = Pace(0.3, 60.0)
NUMBERS = {"SPROUT_RUNS__LEASE_S": "2", "SPROUT_RUNS__HEARTBEAT_S": "0.5", "SPROUT_RUNS__SWEEP_S": "0.5"}
LEFT = ("agent_run.left", "agent_run.lease_lost")
UNDER_WAY = 4  # events
ENDS_WITHIN_S = 120.0
LOOK_S = 0.05


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of it.

    Args:
        taken_over_s: from the freeze to the first event of each run under its new carrier.
        written: how many events there were more of these runs once the frozen one had found out.
        left: what the thawed one said in its log when it found out.
        works_again: whether a run that it was given then came to its end.
    """

    verdict: Verdict
    taken_over_s: list[float]
    written: int
    left: list[str]
    works_again: bool


async def frozen(runs: int = 5) -> list[Figure]:
    """SIGSTOP of one of two servers on a PostgreSQL database; SIGCONT when the other has done its work."""
    outcome = await frozen_and_thawed(runs=runs)
    return [
        Figure("frozen", "runs, taken over after at most", f"{runs}, {max(outcome.taken_over_s):.1f} s"),
        Figure("frozen", "events written by the one that thawed", f"{outcome.written}", outcome.written == 0),
        Figure("frozen", "said by it", ", ".join(sorted(set(outcome.left))), bool(outcome.left)),
        Figure("frozen", "works again", str(outcome.works_again), outcome.works_again),
        *zeros("frozen", outcome.verdict),
    ]


async def frozen_and_thawed(*, runs: int, pace: Pace = PACE, cradle: Process | None = None) -> Outcome:
    """Freeze the server that carries all runs, let the other end them, thaw the first, and give it another one."""
    with new_postgres() as database:
        await asyncio.to_thread(upgrade, database)
        async with scene(pace, settings=NUMBERS, database=database, cradle=cradle) as stage, nursery() as second:
            folder = stage.place.data / "other"
            folder.mkdir()
            other = Scene(Place(folder, stage.place.model_url, second, stage.place.settings))
            try:
                async with stage.within(ENDS_WITHIN_S):
                    first = await stage.place.born()
                    await other.place.born()
                    return await _story(stage, other, first, runs)
            finally:
                for place in (stage.place, other.place):
                    await place.emptied()


async def _story(stage: Scene, other: Scene, first: Life, runs: int) -> Outcome:
    database = stage.place.database
    orders = [await stage.ordered() for _ in range(runs)]
    async with asyncio.TaskGroup() as people:
        readers = [other.reader(run_id) for run_id in orders]
        for reader in readers:
            people.create_task(reader.to_the_end())
        before = [stage.reader(run_id) for run_id in orders]
        watching = [people.create_task(reader.to_the_end()) for reader in before]
        await asyncio.gather(*(reader.until(_under_way) for reader in before))
        for task in watching:
            task.cancel()
        first.signal(signal.SIGSTOP)
        began_s = time.monotonic()
        took_s = [one for one in await asyncio.gather(*(_taken_over(reader, began_s) for reader in readers)) if one]
    kept = await asyncio.to_thread(_log_of, database)
    first.signal(signal.SIGCONT)
    left = await _found_out(stage.place)
    written = len(await asyncio.to_thread(_log_of, database)) - len(kept)
    again = stage.reader(await stage.ordered())
    await again.to_the_end()
    verdict = await asyncio.to_thread(check, database, [*stage.readers, *other.readers])
    changed = [row for row in kept if row not in set(await asyncio.to_thread(_log_of, database))]
    return Outcome(verdict, took_s, written + len(changed), left, again.at_end)


def _under_way(reader: Reader) -> bool:
    return len(reader.seen) >= UNDER_WAY


async def _taken_over(reader: Reader, began_s: float) -> float | None:
    """Seconds; None where the run had ended before."""
    await reader.until(lambda told: told.at_end or told.has("run_resumed"))
    return time.monotonic() - began_s if reader.has("run_resumed") else None


async def _found_out(place: Place) -> list[str]:
    """What the server says of runs that it has lost, once it has said so."""
    while True:
        said = place.log.read_text(errors="replace")
        if found := [word for word in LEFT if word in said]:
            return found
        await asyncio.sleep(LOOK_S)


def _log_of(database: str) -> list[tuple[str, int, str]]:
    engine = create_engine(sync_url(database))
    with engine.connect() as connection:
        rows = connection.execute(text("select root_id, seq, data from run_events order by root_id, seq")).all()
    engine.dispose()
    return [(row.root_id, row.seq, row.data) for row in rows]


PROOFS: dict[str, Callable[..., Awaitable[list[Figure]]]] = {"frozen": frozen}
