"""Killed at every crash point, at an arrival drawn by a seed: the next life goes on, and nothing is lost or doubled."""

import asyncio
import random
import signal
from asyncio.subprocess import Process
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from faults.figures import Figure
from faults.harness.checker import Verdict, check
from faults.harness.figures import spread, zeros
from faults.harness.recovery import Recovery, recoveries
from faults.harness.scene import Scene, scene
from faults.harness.server import Life, nursery
from sprout.offline.pace import Pace

PACE = Pace(0.02, 2_000.0)
SETTINGS = {"SPROUT_RUNS__HEARTBEAT_S": "0.1"}
ENDS_WITHIN_S = 90.0
KILLED = -signal.SIGKILL
UNDER_WAY = 6  # events
SOON_S = 2.0
TOGETHER = 2  # a third crash at one place ends a run, as it shall


@dataclass(frozen=True, slots=True)
class Case:
    """How a place is reached.

    Args:
        most: a small path, left in peace, comes there at least as often.
        deed: what has to be done so that it comes there at all.
    """

    most: int = 1
    deed: Literal["run", "queue", "answer", "cancel", "leave", "notes"] = "run"


CASES = {
    "admitted": Case(),
    "lease_taken": Case(3, "queue"),
    "input_kept": Case(3),
    "before_model_call": Case(10),
    "after_model_call": Case(10),
    "delta_told": Case(12),
    "call_begun": Case(12),
    "effect_uncommitted": Case(12),
    "effect_committed": Case(12),
    "call_ended": Case(12),
    "reply_kept": Case(10),
    "child_admitted": Case(2),
    "loop_ended": Case(3),
    "final_kept": Case(3),
    "settle_uncommitted": Case(3),
    "settled": Case(3),
    "paused": Case(deed="answer"),
    "answer_kept": Case(deed="answer"),
    "lease_renewed": Case(3),
    "cancel_kept": Case(deed="cancel"),
    "released": Case(deed="leave"),
    "document_parsed": Case(deed="notes"),
}

# What no run of a server comes to, and the test that dies there.
KILLED_ELSEWHERE = dict.fromkeys(
    ("backup_half_written", "migration_step", "migration_done"), "tests/store/test_migrate_killed.py"
)


@dataclass(slots=True)
class Outcome:
    """What came of it.

    Args:
        kills: the places where a process died, with the arrival.
        missed: those that no process came to.
    """

    kills: list[str]
    missed: list[str]
    verdict: Verdict
    recoveries: list[Recovery]


async def points(seeds: int = 5, seed: int = 1) -> list[Figure]:
    """Killed at every crash point, at arrivals drawn by seeds; restarted, and everything compared."""
    async with nursery() as cradle:
        outcomes = [await killed_at(tuple(CASES), seed=number, cradle=cradle) for number in range(seed, seed + seeds)]
    together = _together(outcomes)
    return [
        Figure("points", "points, seeds, kills", f"{len(CASES)}, {seeds}, {len(together.kills)}"),
        Figure("points", "points that no process came to", ", ".join(together.missed) or "0", not together.missed),
        *zeros("points", together.verdict),
        *spread("points", together.recoveries),
    ]


async def killed_at(names: Sequence[str], *, seed: int, cradle: Process | None = None) -> Outcome:
    """Die at each of these places once, at an arrival drawn by the seed, in a few lives of two servers."""
    asking = [name for name in names if CASES[name].deed == "answer"]
    others = [name for name in names if CASES[name].deed != "answer"]
    draw = random.Random(seed)
    draw.shuffle(others)
    return _together([await _played(group, draw, cradle, asks=group is asking) for group in (others, asking) if group])


def _together(outcomes: Sequence[Outcome]) -> Outcome:
    together = Outcome([], [], Verdict(), [])
    for outcome in outcomes:
        together.kills += outcome.kills
        together.missed += outcome.missed
        together.recoveries += outcome.recoveries
        together.verdict.add(outcome.verdict)
    return together


async def _played(names: Sequence[str], draw: random.Random, cradle: Process | None, *, asks: bool) -> Outcome:
    arrivals = [f"{name}:{draw.randint(1, CASES[name].most)}" for name in names]
    kills: list[str] = []
    missed: list[str] = []
    async with scene(PACE, settings=SETTINGS, cradle=cradle) as stage:
        for at in range(0, len(arrivals), TOGETHER):
            async with stage.within(ENDS_WITHIN_S), asyncio.TaskGroup() as people:
                for arrival in arrivals[at : at + TOGETHER]:
                    life = await stage.place.born(crash_at=arrival, asks=asks)
                    watching = people.create_task(_wanted(stage, CASES[arrival.partition(":")[0]], life))
                    code = await _death(life, watching)
                    (kills if code == KILLED else missed).append(arrival)
                    await life.killed()
                life = await stage.place.born(asks=asks)
            await life.killed()
        verdict = await asyncio.to_thread(check, stage.place.database, stage.readers)
        return Outcome(kills, missed, verdict, recoveries(stage.place))


async def _death(life: Life, watching: "asyncio.Task[None]") -> int | None:
    """The exit code; None where all that was wanted has happened, and the process lives."""
    await asyncio.wait({watching, life.ending}, return_when=asyncio.FIRST_COMPLETED)
    # What is still to come after the last run, such as the renewal of the lease, comes soon.
    done, _ = await asyncio.wait({life.ending}, timeout=SOON_S)
    return await life.ended() if done else None


async def _wanted(stage: Scene, case: Case, life: Life) -> None:
    """Order a run, do what the case wants, and read to the end, in however many lives that is."""
    topic_id = await stage.topic()
    if case.deed == "notes":
        await stage.noted(topic_id)
    run_id = await stage.ordered(topic_id)
    reader = stage.reader(run_id)
    async with asyncio.TaskGroup() as people:
        people.create_task(reader.to_the_end())
        match case.deed:
            case "queue":
                next_id = await stage.ordered(topic_id, on_busy="enqueue")
                people.create_task(stage.reader(next_id).to_the_end())
            case "answer":
                await reader.until(lambda told: told.has("waiting_on_human"))
                await stage.insisted("POST", f"/api/runs/{run_id}/answer", {"answer": "From light to shadow."})
            case "cancel":
                await reader.until(lambda told: len(told.seen) >= UNDER_WAY)
                await stage.insisted("POST", f"/api/runs/{run_id}/cancel")
            case "leave":
                await reader.until(lambda told: len(told.seen) >= UNDER_WAY)
                life.signal(signal.SIGTERM)


PROOFS: dict[str, Callable[..., Awaitable[list[Figure]]]] = {"points": points}
