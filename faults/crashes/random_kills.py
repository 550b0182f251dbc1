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

from faults.core.loop_faults import ProofFigure
from faults.crashes.figures import recovery_figures, violation_figures
from harness.clients.raw_http import send_request
from harness.invariants.database_check import InvariantReport, check_database
from harness.servers.deployment import Deployment, open_deployment
from harness.servers.recovery import Recovery, recoveries
from harness.servers.server_process import ServerProcess, ServerSite
from sprout.offline.pace import Pace
from sprout.runs.state import MAX_CRASHES, TERMINAL_STATES
from sprout.store.engine.urls import sync_url
from sprout.store.runs.checkpoints import progress_marker

PACE = Pace(0.1, 400.0)
LIVES_S = (0.05, 1.5)
KILL_WITHIN_S, ENDS_WITHIN_S = 10.0, 240.0  # each kill with the start after it; the runs that are going then
LOOK_S = 0.05
STOP_S = 0.001
ASK_S = 1.0
REST_CHECKS = 100
IDLE_METRICS = ("sprout_open_streams", "sprout_runs{", "sprout_gate_active", "sprout_gate_waiting")


@dataclass(slots=True)
class KillOutcome:
    """Outcome of a series of random kills.

    Args:
        postponed: kills put off because one more crash at its place would have ended a run, as specified.
        cuts: connections of readers that were cut.
        still_counted: metrics of the last process that are not zero although it is idle.
        files: open files and sockets, of the first process before its work and of the last one after it.
    """

    verdict: InvariantReport
    recoveries: list[Recovery]
    postponed: int = 0
    cuts: int = 0
    still_counted: list[str] = field(default_factory=list)
    files: tuple[int, int] = (0, 0)


async def kills(kills: int = 300, seed: int = 1) -> list[ProofFigure]:
    """Killed at random moments under 20 runs, of which 10 are read by clients that come back."""
    outcome = await kill_under_load(kills, seed=seed, runs=20, read=10)
    before, after = outcome.files
    return [
        ProofFigure("kills", "kills, seed, put off", f"{kills}, {seed}, {outcome.postponed}"),
        ProofFigure("kills", "connections of readers that were cut", f"{outcome.cuts:,}"),
        *violation_figures("kills", outcome.verdict),
        ProofFigure(
            "kills", "left open or going at rest", ", ".join(outcome.still_counted) or "0", not outcome.still_counted
        ),
        ProofFigure("kills", "open files before and after", f"{before}, {after}"),
        *(
            ProofFigure("kills", f"ended: {reason}", f"{count}")
            for reason, count in outcome.verdict.reasons.most_common()
        ),
        *recovery_figures("kills", outcome.recoveries),
    ]


async def kill_under_load(
    kills: int, *, seed: int, runs: int, read: int, fork_server: Process | None = None
) -> KillOutcome:
    """Kill as often, with so many runs going all the time, of which some are read."""
    draw = random.Random(seed)
    spared = 0
    async with open_deployment(PACE, settings={"SPROUT_LOG_LEVEL": "warning"}, fork_server=fork_server) as stage:
        life = await stage.server.start()
        before = psutil.Process(life.pid).num_fds()
        enough = asyncio.Event()
        async with stage.time_limit(ENDS_WITHIN_S + kills * KILL_WITHIN_S), asyncio.TaskGroup() as people:
            for number in range(runs):
                people.create_task(run_learner(stage, enough, reads=number < read))
            for _ in range(kills):
                await asyncio.sleep(draw.uniform(*LIVES_S))
                spared += await kill_without_ending_runs(stage.server)
                life = await stage.server.start()
            enough.set()
        restless = await _metrics_not_idle(stage)
        after = psutil.Process(life.pid).num_fds()
        await life.kill()
        verdict = await asyncio.to_thread(check_database, stage.server.database, stage.readers)
        found = await asyncio.to_thread(recoveries, stage.server)
        cuts = sum(reader.cuts for reader in stage.readers)
        return KillOutcome(verdict, found, spared, cuts, restless, (before, after))


async def run_learner(stage: Deployment, enough: asyncio.Event, *, reads: bool) -> None:
    """One path after the other, each to its end."""
    while not enough.is_set():
        run_id = await stage.start_run()
        if reads:
            await stage.add_reader(run_id).read_to_end()
        else:
            await _cancel_run(stage, run_id)


async def _cancel_run(stage: Deployment, run_id: str) -> None:
    while True:
        if (await stage.request_until_answered("GET", f"/api/runs/{run_id}")).body["state"] in TERMINAL_STATES:
            return
        await asyncio.sleep(ASK_S)


async def kill_without_ending_runs(place: ServerSite) -> bool:
    """Kill the life there at a moment when no run is given up for it; whether that moment had to be waited for.

    The life stands still while it is looked at: what is found is what its death leaves.
    """
    life = place.processes[-1]
    for waited in itertools.count():
        await asyncio.to_thread(freeze, life)
        if not await asyncio.to_thread(runs_on_last_attempt, place.database):
            await life.kill()
            return waited > 0
        life.send_signal(signal.SIGCONT)
        await asyncio.sleep(LOOK_S)
    raise AssertionError("a count has no end")


def freeze(life: ServerProcess) -> None:
    """Until every thread has stopped: one that waits for the disk does so when it has been served."""
    life.send_signal(signal.SIGSTOP)
    while any(
        thread.read_text().rpartition(")")[2].split()[0] not in {"T", "Z"}
        for thread in Path(f"/proc/{life.pid}/task").glob("*/stat")
    ):
        time.sleep(STOP_S)


def runs_on_last_attempt(database: str) -> int:
    """Number of runs that one more crash at their current place would end."""
    engine = create_engine(sync_url(database))
    wanted = text("select id, crash_marker from runs where state = 'running' and crashes >= :crashes and not idle")
    with engine.connect() as connection:
        near = connection.execute(wanted, {"crashes": MAX_CRASHES - 1}).all()
        places = [(progress_marker(connection, row.id), row.crash_marker) for row in near]
    engine.dispose()
    return sum(place == crashed_at for place, crashed_at in places)


async def _metrics_not_idle(stage: Deployment) -> list[str]:
    """Gauges that are not back at zero after all runs ended and a grace period passed."""
    going: list[str] = []
    for _ in range(REST_CHECKS):
        figures = str((await send_request(stage.server.port, "GET", "/metrics")).body).splitlines()
        going = [line for line in figures if line.startswith(IDLE_METRICS) and float(line.rpartition(" ")[2]) > 0]
        if not going:
            break
        await asyncio.sleep(LOOK_S)
    return going


PROOFS: dict[str, Callable[..., Awaitable[list[ProofFigure]]]] = {"kills": kills}
