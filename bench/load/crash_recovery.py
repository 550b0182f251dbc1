"""B8: killed with many runs going, and started again as a person starts it."""

import asyncio
from dataclasses import dataclass

from harness.invariants.database_check import check_database
from harness.servers.deployment import Deployment, open_deployment
from harness.servers.recovery import recoveries
from sprout.offline.pace import Pace

RUNS = 50
KILLS = 3
PACE = Pace(0.3, 60.0)
UNDER_WAY = 4  # events
MAX_RECOVERY_S = 5.0


@dataclass(frozen=True, slots=True)
class RestartTimes:
    """Durations in seconds.

    Args:
        empty_start_s: from the start of a process without runs to its first connection.
        recovery_s: after each kill, from the start of the next process until the last run had a new event.
    """

    empty_start_s: tuple[float, ...]
    recovery_s: tuple[float, ...]


async def measure_restarts() -> RestartTimes:
    """Kill the server under all runs, and let the last life end them. Raises RuntimeError: something was lost."""
    async with open_deployment(PACE, warm=False) as stage:
        await (await stage.server.start()).kill()  # has made the database
        bare = life = await stage.server.start()
        async with asyncio.TaskGroup() as people:
            run_ids = await asyncio.gather(*(stage.start_run() for _ in range(RUNS)))
            readers = [stage.add_reader(run_id) for run_id in run_ids]
            for reader in readers:
                people.create_task(reader.read_to_end())
            for _ in range(KILLS):
                await asyncio.gather(*(reader.wait_for_events(UNDER_WAY) for reader in readers))
                await life.kill()
                life = await stage.server.start()
        await life.kill()
        again = await stage.server.start()
        all_go_on_s = await asyncio.to_thread(_recovery_times_s, stage)
        return RestartTimes(tuple(one.accepted_s - one.started_s for one in (bare, again)), all_go_on_s)


def _recovery_times_s(stage: Deployment) -> tuple[float, ...]:
    """Recovery times from the log, if it is complete."""
    if faults := check_database(stage.server.database, stage.readers).faults:
        raise RuntimeError(f"{len(faults)} faults, first {faults[:3]}")
    found = recoveries(stage.server)
    lives = sorted({one.life for one in found})
    return tuple(max(one.after_start_s for one in found if one.life == life) for life in lives)
