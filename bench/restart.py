"""B8: killed with many runs going, and started again as a person starts it."""

import asyncio
from dataclasses import dataclass

from faults.harness.checker import check
from faults.harness.recovery import recoveries
from faults.harness.scene import Scene, scene
from sprout.offline.pace import Pace

RUNS = 50
KILLS = 3
PACE = Pace(0.3, 60.0)
UNDER_WAY = 4  # events
GOES_ON_S = 5.0


@dataclass(frozen=True, slots=True)
class Restarts:
    """Seconds.

    Args:
        bare_s: from the begin of a process to its first connection, where there is nothing to take up.
        all_go_on_s: after each kill, from the begin of the next process until the last run had a new event.
    """

    bare_s: tuple[float, ...]
    all_go_on_s: tuple[float, ...]


async def restarts() -> Restarts:
    """Kill the server under all runs, and let the last life end them. Raises RuntimeError: something was lost."""
    async with scene(PACE, warm=False) as stage:
        await (await stage.place.born()).killed()  # has made the database
        bare = life = await stage.place.born()
        async with asyncio.TaskGroup() as people:
            run_ids = await asyncio.gather(*(stage.ordered() for _ in range(RUNS)))
            readers = [stage.reader(run_id) for run_id in run_ids]
            for reader in readers:
                people.create_task(reader.to_the_end())
            for _ in range(KILLS):
                await asyncio.gather(*(reader.grown(UNDER_WAY) for reader in readers))
                await life.killed()
                life = await stage.place.born()
        await life.killed()
        again = await stage.place.born()
        all_go_on_s = await asyncio.to_thread(_all_go_on_s, stage)
        return Restarts(tuple(one.accepted_s - one.born_s for one in (bare, again)), all_go_on_s)


def _all_go_on_s(stage: Scene) -> tuple[float, ...]:
    """What the log tells, if all is in it."""
    if faults := check(stage.place.database, stage.readers).faults:
        raise RuntimeError(f"{len(faults)} faults, first {faults[:3]}")
    found = recoveries(stage.place)
    lives = sorted({one.life for one in found})
    return tuple(max(one.after_birth_s for one in found if one.life == life) for life in lives)
