"""Frozen in the middle of its work: another takes over, and who thaws writes nothing more of what is not his."""

import asyncio
import signal
import time
from asyncio.subprocess import Process
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from sqlalchemy import create_engine, text

from faults.core.loop_faults import ProofFigure
from faults.crashes.figures import violation_figures
from harness.clients.run_follower import RunFollower
from harness.database.postgres import pooled_postgres
from harness.invariants.database_check import InvariantReport, check_database
from harness.servers.deployment import Deployment, open_deployment
from harness.servers.server_process import ServerProcess, ServerSite, start_fork_server
from sprout.offline.pace import Pace
from sprout.store.engine.urls import sync_url

PACE = Pace(0.3, 60.0)
NUMBERS = {"SPROUT_RUNS__LEASE_S": "2", "SPROUT_RUNS__HEARTBEAT_S": "0.5", "SPROUT_RUNS__SWEEP_S": "0.5"}
LEASE_LOST_EVENTS = ("agent_run.superseded", "agent_run.lease_lost")
UNDER_WAY = 4  # events
ENDS_WITHIN_S = 120.0
LOOK_S = 0.05


@dataclass(frozen=True, slots=True)
class FreezeOutcome:
    """Outcome of a freeze.

    Args:
        taken_over_s: from the freeze to the first event of each run under its new worker.
        written: how many events there were more of these runs once the frozen one had found out.
        left: what the thawed one said in its log when it found out.
        works_again: whether a run that it was given then came to its end.
    """

    verdict: InvariantReport
    taken_over_s: list[float]
    written: int
    left: list[str]
    works_again: bool


async def frozen(runs: int = 5) -> list[ProofFigure]:
    """SIGSTOP of one of two servers on a PostgreSQL database; SIGCONT when the other has done its work."""
    outcome = await freeze_and_thaw(runs=runs)
    return [
        ProofFigure("frozen", "runs, taken over after at most", f"{runs}, {max(outcome.taken_over_s):.1f} s"),
        ProofFigure("frozen", "events written by the one that thawed", f"{outcome.written}", outcome.written == 0),
        ProofFigure("frozen", "said by it", ", ".join(sorted(set(outcome.left))), bool(outcome.left)),
        ProofFigure("frozen", "works again", str(outcome.works_again), outcome.works_again),
        *violation_figures("frozen", outcome.verdict),
    ]


async def freeze_and_thaw(*, runs: int, pace: Pace = PACE, fork_server: Process | None = None) -> FreezeOutcome:
    """Freeze the server that carries all runs, let the other end them, thaw the first, and give it another one."""
    with pooled_postgres() as database:
        async with (
            open_deployment(pace, settings=NUMBERS, database=database, fork_server=fork_server) as stage,
            start_fork_server() as second,
        ):
            folder = stage.server.data / "other"
            folder.mkdir()
            other = Deployment(ServerSite(folder, stage.server.model_url, second, stage.server.settings))
            try:
                async with stage.time_limit(ENDS_WITHIN_S):
                    first = await stage.server.start()
                    await other.server.start()
                    return await _run_scenario(stage, other, first, runs)
            finally:
                for place in (stage.server, other.server):
                    await place.kill_all()


async def _run_scenario(stage: Deployment, other: Deployment, first: ServerProcess, runs: int) -> FreezeOutcome:
    database = stage.server.database
    orders = [await stage.start_run() for _ in range(runs)]
    async with asyncio.TaskGroup() as people:
        readers = [other.add_reader(run_id) for run_id in orders]
        for reader in readers:
            people.create_task(reader.read_to_end())
        before = [stage.add_reader(run_id) for run_id in orders]
        watching = [people.create_task(reader.read_to_end()) for reader in before]
        await asyncio.gather(*(reader.wait_until(_is_under_way) for reader in before))
        for task in watching:
            task.cancel()
        first.send_signal(signal.SIGSTOP)
        began_s = time.monotonic()
        took_s = [one for one in await asyncio.gather(*(_takeover_s(reader, began_s) for reader in readers)) if one]
    stored = await asyncio.to_thread(_event_rows, database)
    first.send_signal(signal.SIGCONT)
    left = await _lease_lost_lines(stage.server)
    written = len(await asyncio.to_thread(_event_rows, database)) - len(stored)
    again = stage.add_reader(await stage.start_run())
    await again.read_to_end()
    verdict = await asyncio.to_thread(check_database, database, [*stage.readers, *other.readers])
    changed = [row for row in stored if row not in set(await asyncio.to_thread(_event_rows, database))]
    return FreezeOutcome(verdict, took_s, written + len(changed), left, again.is_finished)


def _is_under_way(reader: RunFollower) -> bool:
    return len(reader.received) >= UNDER_WAY


async def _takeover_s(reader: RunFollower, began_s: float) -> float | None:
    """Seconds; None where the run had ended before."""
    await reader.wait_until(lambda reader: reader.is_finished or reader.has("run_resumed"))
    return time.monotonic() - began_s if reader.has("run_resumed") else None


async def _lease_lost_lines(place: ServerSite) -> list[str]:
    """Log lines of the server about runs that it has lost, once they are written."""
    while True:
        log_text = place.log.read_text(errors="replace")
        if found := [word for word in LEASE_LOST_EVENTS if word in log_text]:
            return found
        await asyncio.sleep(LOOK_S)


def _event_rows(database: str) -> list[tuple[str, int, str]]:
    engine = create_engine(sync_url(database))
    with engine.connect() as connection:
        rows = connection.execute(text("select root_id, seq, data from run_events order by root_id, seq")).all()
    engine.dispose()
    return [(row.root_id, row.seq, row.data) for row in rows]


PROOFS: dict[str, Callable[..., Awaitable[list[ProofFigure]]]] = {"frozen": frozen}
