"""Rolling restart of web processes and workers under load: nothing is lost, and no client sees an error."""

import asyncio
import signal
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from faults.core.loop_faults import ProofFigure
from faults.crashes.figures import percentile, violation_figures
from faults.crashes.unforgiving_client import Experience, UnforgivingClient
from harness.clients.raw_http import send_request
from harness.invariants.database_check import InvariantReport, check_database
from harness.load.processes import WITHOUT_LIMITS
from harness.models.small_path import DemoWithSmallPath
from harness.servers.machines import open_machines
from harness.servers.server_process import ServerSite
from sprout.offline.pace import Pace

PACE = Pace(0.3, 120.0)
SETTINGS = {"SPROUT_LOG_LEVEL": "warning", **WITHOUT_LIMITS}
READY_POLL_S = 0.05
RESTART_WITHIN_S, ENDS_WITHIN_S = 60.0, 240.0  # of one process; of the runs that are active after the last one


@dataclass(slots=True)
class RollingOutcome:
    """Outcome of the restarts.

    Args:
        seen: what clients saw; `errors` has the streams that were cut or refused, too.
        restarts_s: of each restart the seconds from SIGTERM until the process was ready again.
        codes: exit codes.
        logged: lines of error in the logs of the processes.
    """

    verdict: InvariantReport = field(default_factory=InvariantReport)
    seen: Experience = field(default_factory=Experience)
    restarts_s: list[float] = field(default_factory=list)
    codes: set[int] = field(default_factory=set)
    logged: list[str] = field(default_factory=list)


async def rolling(rounds: int = 10) -> list[ProofFigure]:
    """Rolling restarts of 2 web processes and 2 workers behind nginx, under requests, lessons and streams."""
    outcome = await restart_in_turn(rounds, clients=3)
    seen = outcome.seen
    return [
        ProofFigure("rolling", "restarts, requests", f"{len(outcome.restarts_s)}, {seen.requests:,}"),
        ProofFigure("rolling", "errors that a client saw", f"{seen.errors.total()}", not seen.errors),
        *(ProofFigure("rolling", f"  {what}", f"{times}") for what, times in seen.errors.most_common()),
        ProofFigure("rolling", "streams that moved to another process", f"{seen.streams_moved}"),
        ProofFigure(
            "rolling",
            "SIGTERM → ready again, p50/most",
            "/".join(f"{percentile(outcome.restarts_s, share):.1f}" for share in (0.5, 1)) + " s",
        ),
        ProofFigure("rolling", "exit codes", f"{sorted(outcome.codes)}", outcome.codes == {0}),
        ProofFigure("rolling", "error lines in the logs", f"{len(outcome.logged)}", not outcome.logged),
        *violation_figures("rolling", outcome.verdict),
    ]


async def restart_in_turn(rounds: int, *, clients: int) -> RollingOutcome:
    """Restart all four processes one after the other, as often, under as many clients of each habit."""
    outcome, enough = RollingOutcome(), asyncio.Event()
    async with open_machines(PACE, settings=SETTINGS, model=DemoWithSmallPath()) as site:
        await site.start()
        await asyncio.gather(*map(_wait_ready, site.processes))
        limit_s = ENDS_WITHIN_S + rounds * len(site.processes) * RESTART_WITHIN_S
        async with site.clients.time_limit(limit_s), asyncio.TaskGroup() as people:
            client = UnforgivingClient(site.clients, outcome.seen, enough)
            for habit in (client.edit_paths, client.follow_runs, client.stream_runs, client.take_lessons) * clients:
                people.create_task(habit())
            for _ in range(rounds):
                for place in site.processes:
                    await _restart(place, outcome)
            enough.set()
        readers = site.clients.readers
        outcome.seen.errors["a stream was cut"] = sum(reader.cuts for reader in readers)
        outcome.seen.errors["a stream was refused"] = sum(reader.refused for reader in readers)
        outcome.seen.errors = +outcome.seen.errors
        outcome.seen.streams_moved += sum(reader.reconnects for reader in readers)
        outcome.logged = [line for place in site.processes for line in place.errors()]
        outcome.verdict = await asyncio.to_thread(check_database, site.postgres.url, readers, whole=False)
    return outcome


async def _restart(place: ServerSite, outcome: RollingOutcome) -> None:
    """SIGTERM, the end, a new process, and readiness, as docs/scale.md has it."""
    began_s, life = time.monotonic(), place.processes[-1]
    life.send_signal(signal.SIGTERM)
    outcome.codes.add(await life.wait_ended())
    await place.start()
    await _wait_ready(place)
    outcome.restarts_s.append(time.monotonic() - began_s)


async def _wait_ready(place: ServerSite) -> None:
    while True:
        if (await send_request(place.port, "GET", "/readyz")).status == 200:
            return
        await asyncio.sleep(READY_POLL_S)


PROOFS: dict[str, Callable[..., Awaitable[list[ProofFigure]]]] = {"rolling": rolling}
