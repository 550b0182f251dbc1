"""A process that is started again and again: who killed it is given up in time, and nobody else is (faults.md P10)."""

import asyncio
import time
from asyncio.subprocess import Process
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from faults.figures import Figure
from faults.harness.checker import Verdict, check
from faults.harness.figures import spread, zeros
from faults.harness.recovery import Recovery, recoveries
from faults.harness.scene import Scene, scene
from faults.harness.topics import DEADLY
from sprout.offline.pace import Pace
from sprout.runs.state import ENDED, MOST_CRASHES
from sprout.store.lanes import CRASH_LOOP

PACE = Pace(0.2, 150.0)
LOOK_S = 0.25
ENDS_WITHIN_S = 300.0


@dataclass(slots=True)
class Outcome:
    """What came of it.

    Args:
        lives: how many processes there were.
        deaths: how many of them died by themselves.
        deadly: how the runs ended whose own work kills the process.
        others: how the other root runs ended.
    """

    verdict: Verdict = field(default_factory=Verdict)
    recoveries: list[Recovery] = field(default_factory=list)
    lives: int = 0
    deaths: int = 0
    deadly: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)


async def restarts(lives: int = 20, seconds: float = 60.0, runs: int = 20) -> list[Figure]:
    """A restart loop, 20 lives in 60 s, under 20 runs and one that kills the process whenever it is at work.

    A kill from outside cannot be told from one by the run that was at work: who is hit three times at the same place
    has had all its tries (B4), and can be tried again by hand.
    """
    began_s = time.monotonic()
    outcome = await restarted(runs, deadly=1, kills=lives, life_s=seconds / lives)
    took_s = time.monotonic() - began_s
    given_up = [reason for reason in outcome.others if reason == CRASH_LOOP.code]
    otherwise = [reason for reason in outcome.others if reason not in ("end_turn", CRASH_LOOP.code)]
    return [
        Figure("restarts", "lives, of which died by themselves", f"{outcome.lives}, {outcome.deaths}"),
        Figure("restarts", "others that came to their end", f"{outcome.others.count('end_turn')} of {runs}"),
        Figure("restarts", "others that were hit three times at one place", f"{len(given_up)}"),
        Figure("restarts", "others that ended otherwise", f"{len(otherwise)}", not otherwise),
        Figure("restarts", "the deadly run", ", ".join(outcome.deadly), outcome.deadly == ["crash_loop"]),
        Figure("restarts", "deaths by it", f"{outcome.deaths}", outcome.deaths <= MOST_CRASHES + 1),
        Figure("restarts", "until all had ended", f"{took_s:.0f} s"),
        *zeros("restarts", outcome.verdict),
        *spread("restarts", outcome.recoveries),
    ]


async def restarted(
    runs: int, *, deadly: int, kills: int = 0, life_s: float = ENDS_WITHIN_S, cradle: Process | None = None
) -> Outcome:
    """So many runs in a process that is started again whenever it has died or was killed, until all have ended.

    Args:
        deadly: how many runs there are besides whose work kills the process.
        kills: how often the process is killed from outside.
        life_s: after how long, each time.
    """
    outcome = Outcome()
    async with scene(PACE, cradle=cradle) as stage:
        async with stage.within(ENDS_WITHIN_S), asyncio.TaskGroup() as people:
            await stage.place.born()
            others = [people.create_task(_ending(stage, "Topic")) for _ in range(runs)]
            killers = [people.create_task(_ending(stage, DEADLY)) for _ in range(deadly)]
            over = asyncio.gather(*others, *killers)
            while True:
                ending = stage.place.lives[-1].ending
                limit_s = life_s if kills > 0 else None
                waited: set[asyncio.Future[Any]] = {ending, over}
                await asyncio.wait(waited, timeout=limit_s, return_when=asyncio.FIRST_COMPLETED)
                if over.done():
                    break
                outcome.deaths += ending.done()
                kills -= not ending.done()
                await stage.place.lives[-1].killed()
                await stage.place.born()
        await stage.place.lives[-1].killed()
        outcome.lives = len(stage.place.lives)
        outcome.others, outcome.deadly = ([one.result() for one in some] for some in (others, killers))
        outcome.verdict = await asyncio.to_thread(check, stage.place.database)
        outcome.recoveries = await asyncio.to_thread(recoveries, stage.place)
        return outcome


async def _ending(stage: Scene, named: str) -> str:
    """The reason with which a new run has ended, in however many lives that is."""
    run_id = await stage.ordered(await stage.topic(named))
    while True:
        run = (await stage.insisted("GET", f"/api/runs/{run_id}")).body
        if run["state"] in ENDED:
            return str(run["reason"])
        await asyncio.sleep(LOOK_S)


PROOFS: dict[str, Callable[..., Awaitable[list[Figure]]]] = {"restarts": restarts}
