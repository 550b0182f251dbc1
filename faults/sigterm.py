"""Asked to go: streams are told to come back, runs are let go of, and the next process goes on with them."""

import asyncio
import signal
import time
from asyncio.subprocess import Process
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from faults.figures import Figure
from faults.harness.checker import Verdict, check
from faults.harness.figures import spread, zeros
from faults.harness.readers import Reader
from faults.harness.recovery import Recovery, recoveries
from faults.harness.scene import Scene, scene
from faults.harness.server import Life
from sprout.offline.pace import Pace

PACE = Pace(0.3, 40.0)
POOL = "sqlalchemy.pool"
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
class Departure:
    """How a process went.

    Args:
        going, streams: how many runs and readers there were when it was asked.
        untold: readers who were not told to come back.
    """

    code: int
    took_s: float
    going: int
    streams: int
    untold: int


@dataclass(slots=True)
class Outcome:
    """What came of it.

    Args:
        errors: lines of the log that tell of one.
        of_the_pool: how many more there are in which SQLAlchemy complains of a read that was cancelled.
    """

    departures: list[Departure] = field(default_factory=list)
    verdict: Verdict = field(default_factory=Verdict)
    recoveries: list[Recovery] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    of_the_pool: int = 0


async def sigterm(runs: int = 20, streams: int = 200) -> list[Figure]:
    """SIGTERM under 20 runs that are read by 200 streams; then every way of asking, under fewer."""
    outcome = await asked_to_go([WAYS["SIGTERM"]], runs=runs, streams=streams, warm=False)
    first = outcome.departures[0]
    others = await asked_to_go(list(WAYS.values()), runs=4, streams=8)
    return [
        Figure("sigterm", "runs, streams", f"{first.going}, {first.streams}", first.streams == streams),
        Figure("sigterm", "exit", f"{first.took_s:.2f} s, code {first.code}", first.took_s <= GOES_WITHIN_S),
        Figure("sigterm", "readers who were not told to come back", f"{first.untold}", first.untold == 0),
        Figure("sigterm", "error lines in the log", f"{len(outcome.errors)}", not outcome.errors),
        Figure("sigterm", "and of the pool, for reads that were cancelled", f"{outcome.of_the_pool}"),
        *zeros("sigterm", outcome.verdict),
        *spread("sigterm", outcome.recoveries),
        *(
            Figure("sigterm", f"{name}: exit", f"{one.took_s:.2f} s, code {one.code}")
            for name, one in zip(WAYS, others.departures, strict=True)
        ),
        Figure("sigterm", "faults after all of them", f"{len(others.verdict.faults)}", not others.verdict.faults),
    ]


async def asked_to_go(
    ways: Sequence[tuple[signal.Signals, ...]],
    *,
    runs: int,
    streams: int,
    pace: Pace = PACE,
    warm: bool = True,
    cradle: Process | None = None,
) -> Outcome:
    """Send one life after the other its signals while all runs are going, then let the last one finish them."""
    async with scene(pace, warm=warm, cradle=cradle) as stage:
        outcome = Outcome()
        async with stage.within(ENDS_WITHIN_S), asyncio.TaskGroup() as people:
            life = await stage.place.born()
            run_ids = [await stage.ordered() for _ in range(runs)]
            for number in range(streams):
                people.create_task(stage.reader(run_ids[number % runs]).to_the_end())
            for signals in ways:
                outcome.departures.append(await _departure(stage, life, signals))
                life = await stage.place.born()
        life.signal(signal.SIGTERM)
        await life.ended()
        errors = stage.place.errors()
        outcome.errors = [line for line in errors if POOL not in line]
        outcome.of_the_pool = len(errors) - len(outcome.errors)
        outcome.verdict = await asyncio.to_thread(check, stage.place.database, stage.readers)
        outcome.recoveries = await asyncio.to_thread(recoveries, stage.place)
        return outcome


async def _departure(stage: Scene, life: Life, signals: Sequence[signal.Signals]) -> Departure:
    """Have a life go once all its readers are told of something."""
    await asyncio.gather(*(reader.grown(UNDER_WAY) for reader in stage.readers))
    await asyncio.gather(*(reader.until(_open_or_at_end) for reader in stage.readers))
    open_ = [(reader, reader.goodbyes) for reader in stage.readers if reader.open and not reader.at_end]
    began_s = time.monotonic()
    for each in signals:
        life.signal(each)
    code = await life.ended()
    took_s = time.monotonic() - began_s
    await asyncio.gather(*(reader.until(_shut) for reader, _ in open_))
    untold = sum(reader.goodbyes == before and not reader.at_end for reader, before in open_)
    return Departure(code, took_s, len({reader.root_id for reader, _ in open_}), len(open_), untold)


def _open_or_at_end(reader: Reader) -> bool:
    return reader.open or reader.at_end


def _shut(reader: Reader) -> bool:
    return not reader.open


PROOFS: dict[str, Callable[..., Awaitable[list[Figure]]]] = {"sigterm": sigterm}
