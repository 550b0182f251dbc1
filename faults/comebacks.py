"""A restart under many readers: all of them come back at nearly the same time, and each goes on where it was."""

import asyncio
import random
import signal
import time
from asyncio.subprocess import Process
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import psutil

from bench.processes import raise_the_limit_of_files
from faults.figures import Figure
from faults.harness.checker import Verdict, check
from faults.harness.figures import percentile, zeros
from faults.harness.readers import Reader
from faults.harness.scene import Scene, scene
from faults.harness.server import Life
from sprout.offline.pace import Pace

CLIENTS = 1_200
RUNS = 6
SLOWLY = Pace(0.5, 3.0)  # the runs only have to be there until they are stopped
BACK_WITHIN_S = 10.0
LEAST_JITTER_S = 0.5
TAKES_S = 240.0
UNTOLD_BACK_S = (1.0, 2.0)  # as the page and browsers come back by themselves
ROOM = {
    "SPROUT_LIMITS__STREAMS_PER_LEARNER": "5000",
    "SPROUT_LIMITS__STREAMS_PER_ADDRESS": "5000",
    "SPROUT_LIMITS__CONNECTIONS": "7000",
    "SPROUT_LIMITS__CONNECTIONS_PER_ADDRESS": "6000",
}


@dataclass(frozen=True, slots=True)
class Return:
    """How all readers came back after one restart.

    Args:
        back_s: of each, how long after the new process took its first connection.
        cpu_s: of the server, until the last one was back.
        refused: answers that were no stream.
        told_s: when the readers were told to come back, of those who were.
    """

    back_s: list[float]
    cpu_s: float
    refused: int
    told_s: list[float]


@dataclass(slots=True)
class Outcome:
    """What came of it; `errors` are lines of the log that tell of one."""

    returns: dict[str, Return] = field(default_factory=dict)
    verdict: Verdict = field(default_factory=Verdict)
    errors: list[str] = field(default_factory=list)


async def comebacks() -> list[Figure]:
    """1,200 readers come back after the server was asked to go, and after it was killed."""
    raise_the_limit_of_files()
    outcome = await all_back(CLIENTS, runs=RUNS)
    return [
        Figure("comebacks", "readers", f"{CLIENTS:,}"),
        *(figure for how, found in outcome.returns.items() for figure in _figures(how, found)),
        Figure("comebacks", "error lines in the log", f"{len(outcome.errors)}", not outcome.errors),
        *zeros("comebacks", outcome.verdict),
    ]


def _figures(how: str, found: Return) -> list[Figure]:
    p50, p99, last = (percentile(found.back_s, share) for share in (0.5, 0.99, 1))
    spread = f"{min(found.told_s):.1f} to {max(found.told_s):.1f} s" if found.told_s else "nobody was told"
    jitter = max(found.told_s) - min(found.told_s) >= LEAST_JITTER_S if found.told_s else None
    return [
        Figure("comebacks", f"{how}: back, p50/p99", f"{p50:.1f}/{p99:.1f} s"),
        Figure("comebacks", f"{how}: all back after", f"{last:.1f} s", last <= BACK_WITHIN_S),
        Figure("comebacks", f"{how}: the server's CPU until then", f"{found.cpu_s:.1f} s"),
        Figure("comebacks", f"{how}: refused", f"{found.refused}", found.refused == 0),
        Figure("comebacks", f"{how}: told to come back after", spread, jitter),
    ]


async def all_back(clients: int, *, runs: int, cradle: Process | None = None) -> Outcome:
    """Restart under so many readers of so many runs, once for each way; then stop the runs and wait for all readers."""
    async with scene(SLOWLY, settings=ROOM, cradle=cradle) as stage:
        outcome = Outcome()
        async with stage.within(TAKES_S), asyncio.TaskGroup() as people:
            life = await stage.place.born()
            run_ids = [await stage.ordered() for _ in range(runs)]
            for number in range(clients):
                reader = stage.reader(run_ids[number % runs])
                reader.back_s = random.uniform(*UNTOLD_BACK_S)
                people.create_task(reader.to_the_end())
            for how, number in (("SIGTERM", signal.SIGTERM), ("SIGKILL", signal.SIGKILL)):
                await asyncio.gather(*(reader.until(_open) for reader in stage.readers))
                outcome.returns[how] = await _restarted(stage, life, number)
                life = stage.place.lives[-1]
            for run_id in run_ids:
                await stage.insisted("POST", f"/api/runs/{run_id}/cancel")
        life.signal(signal.SIGTERM)
        await life.ended()
        outcome.errors = stage.place.errors()
        outcome.verdict = await asyncio.to_thread(check, stage.place.database, stage.readers)
        return outcome


async def _restarted(stage: Scene, life: Life, number: signal.Signals) -> Return:
    refused, told = (sum(reader.refused for reader in stage.readers), [len(reader.told_s) for reader in stage.readers])
    away = [asyncio.create_task(reader.until(_shut)) for reader in stage.readers]
    life.signal(number)
    await life.ended()
    await asyncio.gather(*away)
    born = await stage.place.born()
    back_s = await asyncio.gather(*(_back_s(reader, born.accepted_s) for reader in stage.readers))
    used = psutil.Process(born.pid).cpu_times()
    return Return(
        back_s=back_s,
        cpu_s=used.user + used.system,
        refused=sum(reader.refused for reader in stage.readers) - refused,
        told_s=[each for reader, had in zip(stage.readers, told, strict=True) for each in reader.told_s[had:]],
    )


async def _back_s(reader: Reader, accepted_s: float) -> float:
    await reader.until(_open)
    return time.time() - accepted_s


def _open(reader: Reader) -> bool:
    return reader.open


def _shut(reader: Reader) -> bool:
    return not reader.open


PROOFS: dict[str, Callable[..., Awaitable[list[Figure]]]] = {"comebacks": comebacks}
