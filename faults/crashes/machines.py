"""Web processes, workers, Redis and PostgreSQL lost at random moments: every run ends, every reader has all of it."""

import asyncio
import json
import random
import signal
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from faults.core.loop_faults import ProofFigure
from faults.crashes.figures import percentile, violation_figures
from faults.crashes.random_kills import freeze, kill_without_ending_runs, run_learner, runs_on_last_attempt
from harness.clients.run_follower import RunFollower
from harness.invariants.database_check import InvariantReport, check_database
from harness.servers.machines import Machines, open_machines
from harness.servers.server_process import ServerSite
from sprout.offline.pace import Pace

PACE = Pace(0.1, 400.0)
LEASE_S = 3.0
SETTINGS = {
    "SPROUT_LOG_LEVEL": "warning",
    "SPROUT_LIMITS__PATHS": "1000000",  # each run has a path of its own
    "SPROUT_RUNS__LEASE_S": str(LEASE_S),
    "SPROUT_RUNS__HEARTBEAT_S": "1",
    "SPROUT_RUNS__SWEEP_S": "1",
}
REST_S = (0.2, 1.5)
FROZEN_S = (0.1, 2 * LEASE_S)
DOWN_S = (0.0, 1.0)
FAULT_WITHIN_S, ENDS_WITHIN_S = 15.0, 300.0
WEIGHTS = {"kill": 6, "freeze": 4, "stop": 3, "redis": 1, "postgres": 1}


@dataclass(slots=True)
class MachinesOutcome:
    """Outcome of a series of faults.

    Args:
        faults: how often each kind came.
        silences_s: for each run that was going when a fault came, seconds until its next event.
        cuts: connections of readers that were cut.
    """

    verdict: InvariantReport
    faults: Counter[str] = field(default_factory=Counter)
    silences_s: list[float] = field(default_factory=list)
    cuts: int = 0
    errors: list[str] = field(default_factory=list)


async def machines(kills: int = 500, seed: int = 1) -> list[ProofFigure]:
    """2 web processes and 2 workers behind nginx, each killed, frozen and stopped; Redis and PostgreSQL restarted."""
    outcome = await lose_machines(kills, seed=seed, runs=10, read=6)
    return [
        ProofFigure("machines", "faults, seed", f"{outcome.faults.total()}, {seed}"),
        *(ProofFigure("machines", f"  {kind}", f"{count}") for kind, count in sorted(outcome.faults.items())),
        ProofFigure("machines", "connections of readers that were cut", f"{outcome.cuts:,}"),
        *violation_figures("machines", outcome.verdict),
        *(
            ProofFigure("machines", f"ended: {reason}", f"{count}")
            for reason, count in outcome.verdict.reasons.most_common()
        ),
        ProofFigure(
            "machines",
            "fault → next event of its run, p50/p99/most",
            "/".join(f"{percentile(outcome.silences_s, share):.2f}" for share in (0.5, 0.99, 1)) + " s",
            percentile(outcome.silences_s, 1) <= 60,
        ),
        *(
            ProofFigure("machines", f"error in a log: {event}", f"{count}")
            for event, count in Counter(json.loads(line)["event"] for line in outcome.errors).most_common()
        ),
    ]


async def lose_machines(faults: int, *, seed: int, runs: int, read: int) -> MachinesOutcome:
    """Cause as many faults, with so many runs going all the time, of which some are read."""
    draw, outcome = random.Random(seed), MachinesOutcome(InvariantReport())
    async with open_machines(PACE, settings=SETTINGS) as site:
        await site.start()
        enough = asyncio.Event()
        async with site.clients.time_limit(ENDS_WITHIN_S + faults * FAULT_WITHIN_S), asyncio.TaskGroup() as people:
            for number in range(runs):
                people.create_task(run_learner(site.clients, enough, reads=number < read))
            for _ in range(faults):
                await asyncio.sleep(draw.uniform(*REST_S))
                for reader in site.clients.readers:
                    if reader.open and reader.received and not reader.is_finished:
                        people.create_task(_measure_silence(reader, outcome.silences_s))
                outcome.faults[await _cause_fault(site, draw)] += 1
            enough.set()
        outcome.verdict = await asyncio.to_thread(check_database, site.clients.server.database, site.clients.readers)
        outcome.cuts = sum(reader.cuts for reader in site.clients.readers)
        outcome.errors = [line for place in site.processes for line in place.errors()]
        return outcome


async def _measure_silence(reader: RunFollower, silences_s: list[float]) -> None:
    """Time from now to the reader's next event."""
    began_s = time.monotonic()
    await reader.wait_for_events(1)
    silences_s.append(time.monotonic() - began_s)


async def _cause_fault(site: Machines, draw: random.Random) -> str:
    """Cause one, and mend what it needs to go on; what it was."""
    kind = draw.choices([*WEIGHTS], [*WEIGHTS.values()])[0]
    down_s, place = draw.uniform(*DOWN_S), draw.choice(site.processes)
    role = "web process" if place in site.webs else "worker"
    match kind:
        case "redis":
            await site.redis.kill()
            await asyncio.sleep(down_s)
            await site.redis.start()
            return "Redis restarted, empty"
        case "postgres":
            await site.postgres.crash()
            await asyncio.sleep(down_s)
            await site.postgres.start()
            return "PostgreSQL crashed"
        case "freeze":
            return f"{role} {await _freeze_for_a_while(place, draw.uniform(*FROZEN_S))}"
        case "stop":
            place.processes[-1].send_signal(signal.SIGTERM)
            await place.processes[-1].wait_ended()
            await place.start()
            return f"{role} stopped"
        case _:
            await kill_without_ending_runs(place)
            await place.start()
            return f"{role} killed"


async def _freeze_for_a_while(place: ServerSite, seconds: float) -> str:
    """Freeze the process there, unless another crash at their place would end its runs: others take them over."""
    life = place.processes[-1]
    await asyncio.to_thread(freeze, life)
    if await asyncio.to_thread(runs_on_last_attempt, place.database):
        seconds = 0
    await asyncio.sleep(seconds)
    life.send_signal(signal.SIGCONT)
    return "frozen past its lease" if seconds > LEASE_S else "frozen"


PROOFS: dict[str, Callable[..., Awaitable[list[ProofFigure]]]] = {"machines": machines}
