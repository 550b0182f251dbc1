"""A restart under many readers: all of them come back at nearly the same time, and each goes on where it was."""

import asyncio
import random
import signal
import time
from asyncio.subprocess import Process
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import psutil

from faults.core.loop_faults import ProofFigure
from faults.crashes.figures import percentile, violation_figures
from harness.clients.run_follower import RunFollower
from harness.invariants.database_check import InvariantReport, check_database
from harness.load.processes import raise_open_file_limit
from harness.servers.deployment import Deployment, open_deployment
from harness.servers.server_process import ServerProcess
from sprout.offline.pace import Pace

CLIENTS = 1_200
RUNS = 6
SLOW_PACE = Pace(0.5, 3.0)  # the runs only have to be there until they are stopped
BACK_WITHIN_S = 10.0
LEAST_JITTER_S = 0.5
TAKES_S = 240.0
UNADVISED_BACK_S = (1.0, 2.0)  # as the page and browsers come back by themselves
RAISED_LIMITS = {
    "SPROUT_LIMITS__STREAMS_PER_LEARNER": "5000",
    "SPROUT_LIMITS__STREAMS_PER_ADDRESS": "5000",
    "SPROUT_LIMITS__CONNECTIONS": "7000",
    "SPROUT_LIMITS__CONNECTIONS_PER_ADDRESS": "6000",
}


@dataclass(frozen=True, slots=True)
class ReconnectStats:
    """Reconnections of all readers after one restart.

    Args:
        back_s: of each, how long after the new process took its first connection.
        cpu_s: of the server, until the last one was back.
        refused: answers that were no stream.
        advised_wait_s: the seconds in the readers' retry hints.
    """

    back_s: list[float]
    cpu_s: float
    refused: int
    advised_wait_s: list[float]


@dataclass(slots=True)
class ReconnectOutcome:
    """Outcome of the storm; `errors` are error lines of the log."""

    returns: dict[str, ReconnectStats] = field(default_factory=dict)
    verdict: InvariantReport = field(default_factory=InvariantReport)
    errors: list[str] = field(default_factory=list)


async def comebacks() -> list[ProofFigure]:
    """1,200 readers come back after the server was asked to go, and after it was killed."""
    raise_open_file_limit()
    outcome = await reconnect_all(CLIENTS, runs=RUNS)
    return [
        ProofFigure("comebacks", "readers", f"{CLIENTS:,}"),
        *(figure for how, found in outcome.returns.items() for figure in _figures(how, found)),
        ProofFigure("comebacks", "error lines in the log", f"{len(outcome.errors)}", not outcome.errors),
        *violation_figures("comebacks", outcome.verdict),
    ]


def _figures(how: str, found: ReconnectStats) -> list[ProofFigure]:
    p50, p99, last = (percentile(found.back_s, share) for share in (0.5, 0.99, 1))
    spread = (
        f"{min(found.advised_wait_s):.1f} to {max(found.advised_wait_s):.1f} s"
        if found.advised_wait_s
        else "no wait was advised"
    )
    jitter = max(found.advised_wait_s) - min(found.advised_wait_s) >= LEAST_JITTER_S if found.advised_wait_s else None
    return [
        ProofFigure("comebacks", f"{how}: back, p50/p99", f"{p50:.1f}/{p99:.1f} s"),
        ProofFigure("comebacks", f"{how}: all back after", f"{last:.1f} s", last <= BACK_WITHIN_S),
        ProofFigure("comebacks", f"{how}: the server's CPU until then", f"{found.cpu_s:.1f} s"),
        ProofFigure("comebacks", f"{how}: refused", f"{found.refused}", found.refused == 0),
        ProofFigure("comebacks", f"{how}: told to come back after", spread, jitter),
    ]


async def reconnect_all(clients: int, *, runs: int, fork_server: Process | None = None) -> ReconnectOutcome:
    """Restart under so many readers of so many runs, once for each way; then stop the runs and wait for all readers."""
    async with open_deployment(SLOW_PACE, settings=RAISED_LIMITS, fork_server=fork_server) as stage:
        outcome = ReconnectOutcome()
        async with stage.time_limit(TAKES_S), asyncio.TaskGroup() as people:
            life = await stage.server.start()
            run_ids = [await stage.start_run() for _ in range(runs)]
            for number in range(clients):
                reader = stage.add_reader(run_ids[number % runs])
                reader.back_s = random.uniform(*UNADVISED_BACK_S)
                people.create_task(reader.read_to_end())
            for how, number in (("SIGTERM", signal.SIGTERM), ("SIGKILL", signal.SIGKILL)):
                await asyncio.gather(*(reader.wait_until(_is_open) for reader in stage.readers))
                outcome.returns[how] = await _restart(stage, life, number)
                life = stage.server.processes[-1]
            for run_id in run_ids:
                await stage.request_until_answered("POST", f"/api/runs/{run_id}/cancel")
        life.send_signal(signal.SIGTERM)
        await life.wait_ended()
        outcome.errors = stage.server.errors()
        outcome.verdict = await asyncio.to_thread(check_database, stage.server.database, stage.readers)
        return outcome


async def _restart(stage: Deployment, life: ServerProcess, number: signal.Signals) -> ReconnectStats:
    refused, hints_before = (
        sum(reader.refused for reader in stage.readers),
        [len(reader.retry_hints_s) for reader in stage.readers],
    )
    away = [asyncio.create_task(reader.wait_until(_is_closed)) for reader in stage.readers]
    life.send_signal(number)
    await life.wait_ended()
    await asyncio.gather(*away)
    born = await stage.server.start()
    back_s = await asyncio.gather(*(_back_s(reader, born.accepted_s) for reader in stage.readers))
    used = psutil.Process(born.pid).cpu_times()
    return ReconnectStats(
        back_s=back_s,
        cpu_s=used.user + used.system,
        refused=sum(reader.refused for reader in stage.readers) - refused,
        advised_wait_s=[
            each for reader, had in zip(stage.readers, hints_before, strict=True) for each in reader.retry_hints_s[had:]
        ],
    )


async def _back_s(reader: RunFollower, accepted_s: float) -> float:
    await reader.wait_until(_is_open)
    return time.time() - accepted_s


def _is_open(reader: RunFollower) -> bool:
    return reader.open


def _is_closed(reader: RunFollower) -> bool:
    return not reader.open


PROOFS: dict[str, Callable[..., Awaitable[list[ProofFigure]]]] = {"comebacks": comebacks}
