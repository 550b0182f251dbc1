"""What is measured, each with its floor in the same run."""

import asyncio
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2

from bench.growth import LENGTHS, loop_cpu_ms
from bench.processes import Server, floor_server, model_server, sprout_server
from bench.reader import MODEL_TEXT, Heard, first, new_topic, run_on_floor, run_on_sprout
from bench.work import CONCEPTS, QUESTIONS, SUBCONCEPTS, critical_path_s
from sprout.offline.pace import Pace

ROUNDS = 5
RUNS_A_ROUND = 10
QUICK_RUNS = 40
ONBOARDING_PACE = Pace(first_token_s=1.0, tokens_per_s=60.0)


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table; `floor` is what the ratio is taken of, `goal` the most that the ratio may be."""

    name: str
    unit: str
    value: float
    floor: float
    goal: float
    samples: tuple[float, ...] = ()

    @property
    def ratio(self) -> float:
        return self.value / self.floor


@dataclass(frozen=True, slots=True)
class _Side:
    """A server, what a run there needs first (a topic; it is not measured), and the run."""

    server: Server
    prepare: Callable[[], Awaitable[str]]
    run: Callable[[str], Awaitable[list[Heard]]]


async def b1() -> list[Figure]:
    """Server CPU of one agent run with one reader: ten turns of 60 text deltas and two tool calls."""
    async with _both() as (sprout, floor):
        costs: dict[str, list[float]] = {"sprout": [], "floor": []}
        for _ in range(ROUNDS):
            for name, side in (("floor", floor), ("sprout", sprout)):
                costs[name].append(await _cpu_a_run(side))
        value, least = (statistics.median(costs[name]) * 1_000 for name in ("sprout", "floor"))
        samples = tuple(cost * 1_000 for cost in costs["sprout"])
    return [Figure("B1 server CPU of a run", "ms", value, least, 1.5, samples)]


async def b3() -> list[Figure]:
    """From the request to its first event, and to the first text of the model."""
    async with _both() as (sprout, floor):
        waits: dict[str, list[tuple[float, float]]] = {"sprout": [], "floor": []}
        for _ in range(QUICK_RUNS):
            for name, side in (("floor", floor), ("sprout", sprout)):
                heard = await side.run(await side.prepare())
                waits[name].append((heard[0].at_s, first(heard, MODEL_TEXT)))
    figures = []
    for at, what in enumerate(("first event", "first text")):
        value, least = (statistics.median(wait[at] for wait in waits[name]) * 1_000 for name in ("sprout", "floor"))
        samples = tuple(wait[at] * 1_000 for wait in waits["sprout"])
        figures.append(Figure(f"B3 request → {what}", "ms", value, least, 1.5, samples))
    return figures


async def b4() -> list[Figure]:
    """A topic's onboarding, full size, against the least time that it can take at this pace."""
    path_s, first_node_s = critical_path_s(ONBOARDING_PACE)
    pace = {"first_token_s": ONBOARDING_PACE.first_token_s, "tokens_per_s": ONBOARDING_PACE.tokens_per_s or 0.0}
    async with (
        model_server("onboarding", **pace) as base_url,
        _folder() as data,
        sprout_server(base_url, data, note_taking=False) as server,
        _client(server) as client,
    ):
        root_id = await new_topic(client, "Light")
        began = time.perf_counter()
        heard = await run_on_sprout(client, root_id)
        took_s = time.perf_counter() - began
    _check_whole(heard)
    first_s = first(heard, frozenset({"node_created"}))
    return [
        Figure("B4 onboarding", "s", took_s, path_s, 1.1),
        Figure("B4 first node", "s", first_s, first_node_s, 1.1),
    ]


def _check_whole(heard: list[Heard]) -> None:
    """A figure of a run that made less than its work would flatter."""
    wanted = {
        "node_created": CONCEPTS * (1 + SUBCONCEPTS),
        "edge_created": CONCEPTS * (1 + SUBCONCEPTS),
        "question_ready": CONCEPTS * QUESTIONS,
    }
    made = Counter(one.kind for one in heard if one.kind in wanted)
    if made != wanted:
        raise RuntimeError(f"the onboarding made {dict(made)} instead of {wanted}")


async def b6() -> list[Figure]:
    """CPU of one iteration of the loop after so many messages, the provider left out; the floor is the shortest."""
    spent = {length: await loop_cpu_ms(length) for length in LENGTHS}
    least = spent[LENGTHS[0]]
    return [Figure(f"B6 iteration at {length:,} messages", "ms", ms, least, 2.0) for length, ms in spent.items()]


MEASURES = {"B1": b1, "B3": b3, "B4": b4, "B6": b6}


@asynccontextmanager
async def _both() -> AsyncIterator[tuple[_Side, _Side]]:
    """Sprout and the floor on the same model server, each warmed by a run."""
    async with (
        model_server("notes") as base_url,
        _folder() as data,
        sprout_server(base_url, data, note_taking=True) as sprout,
        floor_server(base_url) as floor,
        _client(sprout) as sprout_client,
        _client(floor) as floor_client,
    ):

        async def topic() -> str:
            return await new_topic(sprout_client, "Notes")

        async def on_sprout(topic_id: str) -> list[Heard]:
            return await run_on_sprout(sprout_client, topic_id)

        async def nothing() -> str:
            return ""

        async def on_floor(_: str) -> list[Heard]:
            return await run_on_floor(floor_client)

        sides = _Side(sprout, topic, on_sprout), _Side(floor, nothing, on_floor)
        for side in sides:
            await side.run(await side.prepare())
        yield sides


async def _cpu_a_run(side: _Side) -> float:
    prepared = [await side.prepare() for _ in range(RUNS_A_ROUND)]
    before = side.server.cpu_s()
    for one in prepared:
        await side.run(one)
    return (side.server.cpu_s() - before) / RUNS_A_ROUND


@asynccontextmanager
async def _client(server: Server) -> AsyncIterator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(base_url=server.url) as client:
        yield client


@asynccontextmanager
async def _folder() -> AsyncIterator[Path]:
    with await asyncio.to_thread(tempfile.TemporaryDirectory, prefix="sprout-bench-") as name:
        yield Path(name)
