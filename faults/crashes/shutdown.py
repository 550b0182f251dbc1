"""Clean shutdown: streams are asked to reconnect, runs are released, and the next process resumes them."""

import asyncio
import signal
import time
from asyncio.subprocess import Process
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from faults.core.loop_faults import ProofFigure
from faults.crashes.figures import recovery_figures, violation_figures
from harness.clients.run_follower import RunFollower
from harness.invariants.database_check import InvariantReport, check_database
from harness.servers.deployment import Deployment, open_deployment
from harness.servers.recovery import Recovery, recoveries
from harness.servers.server_process import ServerProcess
from sprout.offline.pace import Pace

PACE = Pace(0.3, 40.0)
POOL_LOGGER = "sqlalchemy.pool"
GOES_WITHIN_S = 2.0
UNDER_WAY = 3  # events
ENDS_WITHIN_S = 240.0
WAYS: dict[str, tuple[signal.Signals, ...]] = {
    "SIGTERM": (signal.SIGTERM,),
    "SIGTERM twice": (signal.SIGTERM, signal.SIGTERM),
    "SIGINT": (signal.SIGINT,),
    "SIGHUP": (signal.SIGHUP,),
}


@dataclass(frozen=True, slots=True)
class ShutdownStats:
    """Statistics of one shutdown.

    Args:
        running, streams: active runs and readers at the signal.
        not_notified: readers without a closing event.
    """

    code: int
    took_s: float
    running: int
    streams: int
    not_notified: int


@dataclass(slots=True)
class ShutdownOutcome:
    """Outcome of the shutdowns.

    Args:
        errors: lines of the log that tell of one.
        pool_errors: how many more there are in which SQLAlchemy complains of a read that was cancelled.
    """

    departures: list[ShutdownStats] = field(default_factory=list)
    verdict: InvariantReport = field(default_factory=InvariantReport)
    recoveries: list[Recovery] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    pool_errors: int = 0


async def sigterm(runs: int = 20, streams: int = 200) -> list[ProofFigure]:
    """SIGTERM under 20 runs that are read by 200 streams; then every way of asking, under fewer."""
    outcome = await shut_down_each_way([WAYS["SIGTERM"]], runs=runs, streams=streams, warm=False)
    first = outcome.departures[0]
    others = await shut_down_each_way(list(WAYS.values()), runs=4, streams=8)
    return [
        ProofFigure("sigterm", "runs, streams", f"{first.running}, {first.streams}", first.streams == streams),
        ProofFigure("sigterm", "exit", f"{first.took_s:.2f} s, code {first.code}", first.took_s <= GOES_WITHIN_S),
        ProofFigure(
            "sigterm", "readers who were not told to come back", f"{first.not_notified}", first.not_notified == 0
        ),
        ProofFigure("sigterm", "error lines in the log", f"{len(outcome.errors)}", not outcome.errors),
        ProofFigure("sigterm", "and of the pool, for reads that were cancelled", f"{outcome.pool_errors}"),
        *violation_figures("sigterm", outcome.verdict),
        *recovery_figures("sigterm", outcome.recoveries),
        *(
            ProofFigure("sigterm", f"{name}: exit", f"{one.took_s:.2f} s, code {one.code}")
            for name, one in zip(WAYS, others.departures, strict=True)
        ),
        ProofFigure("sigterm", "faults after all of them", f"{len(others.verdict.faults)}", not others.verdict.faults),
    ]


async def shut_down_each_way(
    ways: Sequence[tuple[signal.Signals, ...]],
    *,
    runs: int,
    streams: int,
    pace: Pace = PACE,
    warm: bool = True,
    fork_server: Process | None = None,
) -> ShutdownOutcome:
    """Send one life after the other its signals while all runs are going, then let the last one finish them."""
    async with open_deployment(pace, warm=warm, fork_server=fork_server) as stage:
        outcome = ShutdownOutcome()
        async with stage.time_limit(ENDS_WITHIN_S), asyncio.TaskGroup() as people:
            life = await stage.server.start()
            run_ids = [await stage.start_run() for _ in range(runs)]
            for number in range(streams):
                people.create_task(stage.add_reader(run_ids[number % runs]).read_to_end())
            for signals in ways:
                outcome.departures.append(await _shut_down(stage, life, signals))
                life = await stage.server.start()
        life.send_signal(signal.SIGTERM)
        await life.wait_ended()
        errors = stage.server.errors()
        outcome.errors = [line for line in errors if POOL_LOGGER not in line]
        outcome.pool_errors = len(errors) - len(outcome.errors)
        outcome.verdict = await asyncio.to_thread(check_database, stage.server.database, stage.readers)
        outcome.recoveries = await asyncio.to_thread(recoveries, stage.server)
        return outcome


async def _shut_down(stage: Deployment, life: ServerProcess, signals: Sequence[signal.Signals]) -> ShutdownStats:
    """Stop a process once all its readers have received an event."""
    await asyncio.gather(*(reader.wait_for_events(UNDER_WAY) for reader in stage.readers))
    await asyncio.gather(*(reader.wait_until(_is_open_or_finished) for reader in stage.readers))
    open_ = [(reader, reader.reconnects) for reader in stage.readers if reader.open and not reader.is_finished]
    began_s = time.monotonic()
    for each in signals:
        life.send_signal(each)
    code = await life.wait_ended()
    took_s = time.monotonic() - began_s
    await asyncio.gather(*(reader.wait_until(_is_closed) for reader, _ in open_))
    not_notified = sum(reader.reconnects == before and not reader.is_finished for reader, before in open_)
    return ShutdownStats(code, took_s, len({reader.root_id for reader, _ in open_}), len(open_), not_notified)


def _is_open_or_finished(reader: RunFollower) -> bool:
    return reader.open or reader.is_finished


def _is_closed(reader: RunFollower) -> bool:
    return not reader.open


PROOFS: dict[str, Callable[..., Awaitable[list[ProofFigure]]]] = {"sigterm": sigterm}
