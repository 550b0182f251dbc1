"""Killed at every crash point, at an arrival drawn by a seed: the next life goes on, and nothing is lost or doubled."""

import asyncio
import random
import signal
from asyncio.subprocess import Process
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from faults.core.loop_faults import ProofFigure
from faults.crashes.figures import recovery_figures, violation_figures
from harness.invariants.database_check import InvariantReport, check_database
from harness.servers.deployment import Deployment, open_deployment
from harness.servers.recovery import Recovery, recoveries
from harness.servers.server_process import ServerProcess, start_fork_server
from sprout.offline.pace import Pace

PACE = Pace(0.02, 2_000.0)
SETTINGS = {"SPROUT_RUNS__HEARTBEAT_S": "0.1"}
ENDS_WITHIN_S = 90.0
KILLED = -signal.SIGKILL
UNDER_WAY = 6  # events
SOON_S = 2.0
RUNS_AT_ONCE = 2  # a third crash at one place ends a run, as it shall


@dataclass(frozen=True, slots=True)
class FailpointCase:
    """A failpoint and the actions that reach it.

    Args:
        max_arrivals: arrivals there, at most those of an undisturbed small path.
        trigger: the action that leads there.
    """

    max_arrivals: int = 1
    trigger: Literal["run", "queue", "answer", "cancel", "leave", "notes"] = "run"


CASES = {
    "admitted": FailpointCase(),
    "run_claimed": FailpointCase(3, "queue"),
    "input_stored": FailpointCase(3),
    "before_model_call": FailpointCase(10),
    "after_model_call": FailpointCase(10),
    "delta_published": FailpointCase(12),
    "call_begun": FailpointCase(12),
    "effect_uncommitted": FailpointCase(12),
    "effect_committed": FailpointCase(12),
    "call_ended": FailpointCase(12),
    "reply_stored": FailpointCase(10),
    "child_admitted": FailpointCase(2),
    "loop_ended": FailpointCase(3),
    "final_stored": FailpointCase(3),
    "settle_uncommitted": FailpointCase(3),
    "settled": FailpointCase(3),
    "paused": FailpointCase(trigger="answer"),
    "answer_stored": FailpointCase(trigger="answer"),
    "lease_renewed": FailpointCase(3),
    "cancel_stored": FailpointCase(trigger="cancel"),
    "lease_released": FailpointCase(trigger="leave"),
    "document_parsed": FailpointCase(trigger="notes"),
}

# What no run of a server comes to, and the test that dies there.
KILLED_ELSEWHERE = dict.fromkeys(
    ("backup_half_written", "migration_step", "migration_done"), "tests/store/engine/test_migrate_killed.py"
)


@dataclass(slots=True)
class FailpointOutcome:
    """Outcome of the kills at failpoints.

    Args:
        kills: the places where a process died, with the arrival.
        missed: those that no process came to.
    """

    kills: list[str]
    missed: list[str]
    verdict: InvariantReport
    recoveries: list[Recovery]


async def points(seeds: int = 5, seed: int = 1) -> list[ProofFigure]:
    """Killed at every crash point, at arrivals drawn by seeds; restarted, and everything compared."""
    async with start_fork_server() as fork_server:
        outcomes = [
            await kill_at_failpoints(tuple(CASES), seed=number, fork_server=fork_server)
            for number in range(seed, seed + seeds)
        ]
    together = _merge_outcomes(outcomes)
    return [
        ProofFigure("points", "points, seeds, kills", f"{len(CASES)}, {seeds}, {len(together.kills)}"),
        ProofFigure("points", "points that no process came to", ", ".join(together.missed) or "0", not together.missed),
        *violation_figures("points", together.verdict),
        *recovery_figures("points", together.recoveries),
    ]


async def kill_at_failpoints(
    names: Sequence[str], *, seed: int, fork_server: Process | None = None
) -> FailpointOutcome:
    """Die at each of these places once, at an arrival drawn by the seed, in a few lives of two servers."""
    asking = [name for name in names if CASES[name].trigger == "answer"]
    others = [name for name in names if CASES[name].trigger != "answer"]
    draw = random.Random(seed)
    draw.shuffle(others)
    return _merge_outcomes(
        [await _run_failpoints(group, draw, fork_server, asks=group is asking) for group in (others, asking) if group]
    )


def _merge_outcomes(outcomes: Sequence[FailpointOutcome]) -> FailpointOutcome:
    together = FailpointOutcome([], [], InvariantReport(), [])
    for outcome in outcomes:
        together.kills += outcome.kills
        together.missed += outcome.missed
        together.recoveries += outcome.recoveries
        together.verdict.merge(outcome.verdict)
    return together


async def _run_failpoints(
    names: Sequence[str], draw: random.Random, fork_server: Process | None, *, asks: bool
) -> FailpointOutcome:
    arrivals = [f"{name}:{draw.randint(1, CASES[name].max_arrivals)}" for name in names]
    kills: list[str] = []
    missed: list[str] = []
    async with open_deployment(PACE, settings=SETTINGS, fork_server=fork_server) as stage:
        for at in range(0, len(arrivals), RUNS_AT_ONCE):
            async with stage.time_limit(ENDS_WITHIN_S), asyncio.TaskGroup() as people:
                for arrival in arrivals[at : at + RUNS_AT_ONCE]:
                    life = await stage.server.start(crash_at=arrival, asks=asks)
                    watching = people.create_task(_trigger_case(stage, CASES[arrival.partition(":")[0]], life))
                    code = await _wait_for_death(life, watching)
                    (kills if code == KILLED else missed).append(arrival)
                    await life.kill()
                life = await stage.server.start(asks=asks)
            await life.kill()
        verdict = await asyncio.to_thread(check_database, stage.server.database, stage.readers)
        return FailpointOutcome(kills, missed, verdict, recoveries(stage.server))


async def _wait_for_death(life: ServerProcess, watching: "asyncio.Task[None]") -> int | None:
    """The exit code; None where all that was wanted has happened, and the process lives."""
    await asyncio.wait({watching, life.exit_task}, return_when=asyncio.FIRST_COMPLETED)
    # What is still to come after the last run, such as the renewal of the lease, comes soon.
    done, _ = await asyncio.wait({life.exit_task}, timeout=SOON_S)
    return await life.wait_ended() if done else None


async def _trigger_case(stage: Deployment, case: FailpointCase, life: ServerProcess) -> None:
    """Order a run, do what the case wants, and read to the end, in however many lives that is."""
    topic_id = await stage.create_topic()
    if case.trigger == "notes":
        await stage.upload_notes(topic_id)
    run_id = await stage.start_run(topic_id)
    reader = stage.add_reader(run_id)
    async with asyncio.TaskGroup() as people:
        people.create_task(reader.read_to_end())
        match case.trigger:
            case "queue":
                next_id = await stage.start_run(topic_id, on_busy="enqueue")
                people.create_task(stage.add_reader(next_id).read_to_end())
            case "answer":
                await reader.wait_until(lambda reader: reader.has("waiting_on_human"))
                await stage.request_until_answered(
                    "POST", f"/api/runs/{run_id}/answer", {"answer": "From light to shadow."}
                )
            case "cancel":
                await reader.wait_until(lambda reader: len(reader.received) >= UNDER_WAY)
                await stage.request_until_answered("POST", f"/api/runs/{run_id}/cancel")
            case "leave":
                await reader.wait_until(lambda reader: len(reader.received) >= UNDER_WAY)
                life.send_signal(signal.SIGTERM)


PROOFS: dict[str, Callable[..., Awaitable[list[ProofFigure]]]] = {"points": points}
