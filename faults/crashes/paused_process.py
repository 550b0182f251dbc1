"""Frozen in the middle of its work: another takes over, and who thaws writes nothing more of what is not his."""

import asyncio
import signal
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from sqlalchemy import create_engine, text

from faults.core.loop_faults import ProofFigure
from faults.crashes.figures import violation_figures
from harness.clients.run_follower import RunFollower
from harness.invariants.database_check import InvariantReport, check_database
from harness.servers.deployment import Deployment
from harness.servers.server_process import ServerSite, start_fork_server
from harness.servers.topology import open_topology, place_beside
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
        written: how many events were written or changed until the frozen one had found out.
        left: what the thawed one said in its log when it found out.
        works_again: whether a run that it was given then came to its end.
    """

    verdict: InvariantReport
    taken_over_s: list[float]
    written: int
    left: list[str]
    works_again: bool


async def frozen(runs: int = 5) -> list[ProofFigure]:
    """SIGSTOP of a worker; SIGCONT when another one has done its work."""
    outcome = await freeze_and_thaw(runs=runs)
    return [
        ProofFigure("frozen", "runs, taken over after at most", f"{runs}, {max(outcome.taken_over_s):.1f} s"),
        ProofFigure("frozen", "events written by the one that thawed", f"{outcome.written}", outcome.written == 0),
        ProofFigure("frozen", "said by it", ", ".join(sorted(set(outcome.left))), bool(outcome.left)),
        ProofFigure("frozen", "works again", str(outcome.works_again), outcome.works_again),
        *violation_figures("frozen", outcome.verdict),
    ]


async def freeze_and_thaw(*, runs: int) -> FreezeOutcome:
    """Freeze the worker that carries all runs, let another end them, thaw the first, and give it another one."""
    async with (
        open_topology(PACE, workers=1, settings=NUMBERS) as topology,
        start_fork_server() as fork_server,
        topology.web.time_limit(ENDS_WITHIN_S),
    ):
        frozen_one = place_beside(topology.web.server, "frozen", "worker", fork_server)
        try:
            return await _run_scenario(topology.web, frozen_one, topology.workers[0], runs)
        finally:
            await frozen_one.kill_all()


async def _run_scenario(web: Deployment, frozen_one: ServerSite, other: ServerSite, runs: int) -> FreezeOutcome:
    database = web.server.database
    first = await frozen_one.start()
    readers = [web.add_reader(await web.start_run()) for _ in range(runs)]
    async with asyncio.TaskGroup() as people:
        for reader in readers:
            people.create_task(reader.read_to_end())
        await asyncio.gather(*(reader.wait_until(_is_under_way) for reader in readers))
        first.send_signal(signal.SIGSTOP)
        began_s = time.monotonic()
        await other.start()
        took_s = [one for one in await asyncio.gather(*(_takeover_s(reader, began_s) for reader in readers)) if one]
    stored = await asyncio.to_thread(_event_rows, database)
    first.send_signal(signal.SIGCONT)
    left = await _lease_lost_lines(frozen_one)
    changed = len(set(await asyncio.to_thread(_event_rows, database)) ^ set(stored))
    await other.kill_all()
    again = web.add_reader(await web.start_run())
    await again.read_to_end()
    verdict = await asyncio.to_thread(check_database, database, web.readers)
    return FreezeOutcome(verdict, took_s, changed, left, again.is_finished)


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
