"""Crash loop: a run that kills its process again and again is quarantined in time, and no other run is."""

import asyncio
import time
from asyncio.subprocess import Process
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from faults.core.loop_faults import ProofFigure
from faults.crashes.figures import recovery_figures, violation_figures
from harness.invariants.database_check import InvariantReport, check_database
from harness.models.topic_agents import DEADLY
from harness.servers.deployment import Deployment, open_deployment
from harness.servers.recovery import Recovery, recoveries
from sprout.offline.pace import Pace
from sprout.runs.state import MAX_CRASHES, TERMINAL_STATES
from sprout.store.runs.admission import CRASH_LOOP

PACE = Pace(0.2, 150.0)
LOOK_S = 0.25
ENDS_WITHIN_S = 300.0


@dataclass(slots=True)
class RestartOutcome:
    """Outcome of a crash loop.

    Args:
        lives: how many processes there were.
        deaths: how many of them died by themselves.
        deadly: how the runs ended whose own work kills the process.
        others: how the other root runs ended.
    """

    verdict: InvariantReport = field(default_factory=InvariantReport)
    recoveries: list[Recovery] = field(default_factory=list)
    lives: int = 0
    deaths: int = 0
    deadly: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)


async def restarts(lives: int = 20, seconds: float = 60.0, runs: int = 20) -> list[ProofFigure]:
    """A restart loop, 20 lives in 60 s, under 20 runs and one that kills the process whenever it is at work.

    A kill from outside looks like a crash caused by the active run: a run that is hit three times at the same place
    has had all its tries (B4), and can be tried again by hand.
    """
    began_s = time.monotonic()
    outcome = await restart_until_ended(runs, deadly=1, kills=lives, life_s=seconds / lives)
    took_s = time.monotonic() - began_s
    given_up = [reason for reason in outcome.others if reason == CRASH_LOOP.code]
    otherwise = [reason for reason in outcome.others if reason not in ("end_turn", CRASH_LOOP.code)]
    return [
        ProofFigure("restarts", "lives, of which died by themselves", f"{outcome.lives}, {outcome.deaths}"),
        ProofFigure("restarts", "others that came to their end", f"{outcome.others.count('end_turn')} of {runs}"),
        ProofFigure("restarts", "others that were hit three times at one place", f"{len(given_up)}"),
        ProofFigure("restarts", "others that ended otherwise", f"{len(otherwise)}", not otherwise),
        ProofFigure("restarts", "the deadly run", ", ".join(outcome.deadly), outcome.deadly == ["crash_loop"]),
        ProofFigure("restarts", "deaths by it", f"{outcome.deaths}", outcome.deaths <= MAX_CRASHES + 1),
        ProofFigure("restarts", "until all had ended", f"{took_s:.0f} s"),
        *violation_figures("restarts", outcome.verdict),
        *recovery_figures("restarts", outcome.recoveries),
    ]


async def restart_until_ended(
    runs: int, *, deadly: int, kills: int = 0, life_s: float = ENDS_WITHIN_S, fork_server: Process | None = None
) -> RestartOutcome:
    """So many runs in a process that is started again whenever it has died or was killed, until all have ended.

    Args:
        deadly: how many runs there are besides whose work kills the process.
        kills: how often the process is killed from outside.
        life_s: after how long, each time.
    """
    outcome = RestartOutcome()
    async with open_deployment(PACE, fork_server=fork_server) as stage:
        async with stage.time_limit(ENDS_WITHIN_S), asyncio.TaskGroup() as people:
            await stage.server.start()
            others = [people.create_task(_run_to_end(stage, "Topic")) for _ in range(runs)]
            killers = [people.create_task(_run_to_end(stage, DEADLY)) for _ in range(deadly)]
            over = asyncio.gather(*others, *killers)
            while True:
                ending = stage.server.processes[-1].exit_task
                limit_s = life_s if kills > 0 else None
                waited: set[asyncio.Future[Any]] = {ending, over}
                await asyncio.wait(waited, timeout=limit_s, return_when=asyncio.FIRST_COMPLETED)
                if over.done():
                    break
                outcome.deaths += ending.done()
                kills -= not ending.done()
                await stage.server.processes[-1].kill()
                await stage.server.start()
        await stage.server.processes[-1].kill()
        outcome.lives = len(stage.server.processes)
        outcome.others, outcome.deadly = ([one.result() for one in some] for some in (others, killers))
        outcome.verdict = await asyncio.to_thread(check_database, stage.server.database)
        outcome.recoveries = await asyncio.to_thread(recoveries, stage.server)
        return outcome


async def _run_to_end(stage: Deployment, named: str) -> str:
    """The reason with which a new run has ended, in however many lives that is."""
    run_id = await stage.start_run(await stage.create_topic(named))
    while True:
        run = (await stage.request_until_answered("GET", f"/api/runs/{run_id}")).body
        if run["state"] in TERMINAL_STATES:
            return str(run["reason"])
        await asyncio.sleep(LOOK_S)


PROOFS: dict[str, Callable[..., Awaitable[list[ProofFigure]]]] = {"restarts": restarts}
