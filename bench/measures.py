"""Measurements, each with its floor in the same run."""

import asyncio
import math
import statistics
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import httpx2

from bench.browser.transcript_scrolling import measure_scrolling
from bench.figure import Figure
from bench.lesson_workload import tokens_before_key
from bench.load.concurrent_runs import measure_crowds
from bench.load.crash_recovery import MAX_RECOVERY_S, measure_restarts
from bench.load.lesson_turns import measure_lesson
from bench.load.run_reader import MODEL_TEXT, TimedEvent, first, new_topic, run_on_floor, run_on_sprout
from bench.load.scaled_runs import measure_forms
from bench.scaling.class_page import read_class_pages
from bench.scaling.log_growth import LENGTHS as LOG_LENGTHS
from bench.scaling.log_growth import measure_log
from bench.scaling.loop_growth import LENGTHS, loop_cpu_ms
from bench.scaling.path_page import growth_ms, read_page
from bench.servers.processes import floor_server, model_server, sprout_server
from bench.servers.scaled import open_scaled, open_services
from bench.workloads import CONCEPTS, QUESTIONS, SUBCONCEPTS, critical_path_s
from harness.load.processes import MeasuredServer
from sprout.offline.pace import Pace

ROUNDS = 5
RUNS_A_ROUND = 10
QUICK_RUNS = 40
DELTA_WAITS_MS = 25.0
FRAME_MS = 1_000 / 60
SCALED_WAITS_MS = 15.0
SCALED_OVER_ALONE = 15.0  # more hops against none: what is promised is in ms, this shows a slide
SCALED_CPU = 2.0  # as bench/capacity has it
LEAST_THROUGHPUT = 0.9  # of one process, for each core that is used; here there is no other core
MAX_SHOWN_MS = 2_000.0
LONG_TASK_MS = 50.0
GRAPH_MS = 20.0
CLASS_MS = 300.0
GRAPH_OVER_FLOOR = 150.0  # nine hundred rows against none: what is promised is the 20 ms, this shows a slide
STREAM_MIB = 0.25
LINEAR, STEEPEST = 1.0, 1.1
LESSON_GOALS: dict[str, tuple[float | None, float, int]] = {  # seconds to the verdict and to the first words, calls
    "opening": (None, 1.6, 1),
    "side question": (None, 1.5, 1),
    "choice": (0.1, 1.5, 1),
    "number": (0.1, 1.5, 1),
    "open answer": (3.0, 4.5, 2),
}
WRITE_PRICE, READ_PRICE = 1.25, 0.1  # of a token that is kept for five minutes, and of one that was: in fresh ones
MODEL_PACE = Pace(first_token_s=1.0, tokens_per_s=60.0)


@dataclass(frozen=True, slots=True)
class _Subject:
    """A server, what a run there needs first (a topic; it is not measured), and the run."""

    server: MeasuredServer
    prepare: Callable[[], Awaitable[str]]
    run: Callable[[str], Awaitable[list[TimedEvent]]]


async def b1() -> list[Figure]:
    """Server CPU of one agent run with one reader: ten turns of 60 text deltas and two tool calls."""
    async with _open_subjects() as (sprout, floor):
        costs: dict[str, list[float]] = {"sprout": [], "floor": []}
        for _ in range(ROUNDS):
            for name, side in (("floor", floor), ("sprout", sprout)):
                costs[name].append(await _cpu_per_run(side))
        value, least = (statistics.median(costs[name]) * 1_000 for name in ("sprout", "floor"))
        samples = tuple(cost * 1_000 for cost in costs["sprout"])
    return [Figure("B1 server CPU of a run", "ms", value, least, 1.2, samples)]


async def b2() -> list[Figure]:
    """1, 50, 200 and 500 runs at once at 30 deltas a second each: what a delta costs and waits; errors must be none."""
    figures = []
    for count, (sprout, floor) in (await measure_crowds()).items():
        at = f"at {count}"
        p50_ms, p99_ms = sprout.wait_ms
        figures += [
            Figure(f"B2 CPU of a delta {at}", "µs", sprout.cpu_us, floor.cpu_us, 1.0),
            Figure(f"B2 send → reader, p50 {at}", "ms", p50_ms, floor.wait_ms[0], 1.5),
            Figure(f"B2 send → reader, p99 {at}", "ms", p99_ms, DELTA_WAITS_MS, 1.0),
            Figure(f"B2 memory of a stream {at}", "MiB", sprout.mb_a_stream, STREAM_MIB, 1.0),
            Figure(f"B2 runs with a fault {at}", "", sprout.errors, 1.0, 0.0),
        ]
    return figures


async def b3() -> list[Figure]:
    """From the request to its first event, and to the first text of the model."""
    async with _open_subjects() as (sprout, floor):
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


async def redis() -> list[Figure]:
    """B3 on a web process and a worker, with the events through Redis, against one process with its bus in memory."""
    waits: dict[str, list[tuple[float, float]]] = {"scaled": [], "alone": []}
    async with _open_forms() as (scaled, alone):
        for _ in range(QUICK_RUNS):
            for name, side in (("alone", alone), ("scaled", scaled)):
                heard = await side.run(await side.prepare())
                waits[name].append((heard[0].at_s, first(heard, MODEL_TEXT)))
    figures = []
    for at, what in enumerate(("first event", "first text")):
        value, least = (statistics.median(wait[at] for wait in waits[name]) * 1_000 for name in ("scaled", "alone"))
        samples = tuple(wait[at] * 1_000 for wait in waits["scaled"])
        figures.append(Figure(f"Redis: B3 request → {what}", "ms", value, least, SCALED_OVER_ALONE, samples))
        figures.append(Figure(f"Redis: B3 request → {what}, of 15 ms", "ms", value, SCALED_WAITS_MS, 1.0))
    return figures


async def b10() -> list[Figure]:
    """The same runs on one process, 1 web + 1 worker and 2 + 2, with a PostgreSQL and a Redis on the same two cores."""
    found = await measure_forms()
    alone = found.pop("one process")
    figures = []
    for form, load in found.items():
        figures += [
            Figure(f"B10 {form}: time of a run", "ms", load.run_ms, alone.run_ms, 1 / LEAST_THROUGHPUT),
            Figure(f"B10 {form}: CPU of a run", "ms", load.cpu_ms, alone.cpu_ms, SCALED_CPU),
            Figure(
                f"B10 {form}: request → first event, p50", "ms", load.first_ms[0], alone.first_ms[0], SCALED_OVER_ALONE
            ),
            Figure(
                f"B10 {form}: request → first event, p99", "ms", load.first_ms[1], alone.first_ms[1], SCALED_OVER_ALONE
            ),
            Figure(f"B10 {form}: memory of a run", "MiB", load.mb_a_run, max(alone.mb_a_run, STREAM_MIB), SCALED_CPU),
            Figure(f"B10 {form}: runs with a fault", "", load.faults, 1.0, 0.0),
        ]
    return figures


async def b4() -> list[Figure]:
    """A topic's onboarding, full size, against the least time that it can take at this pace."""
    path_s, first_node_s = critical_path_s(MODEL_PACE)
    heard = await _run_onboarding()
    return [
        Figure("B4 onboarding", "s", heard[-1].at_s, path_s, 1.1),
        Figure("B4 first node", "s", first(heard, frozenset({"node_created"})), first_node_s, 1.1),
    ]


async def b5() -> list[Figure]:
    """The input tokens of such an onboarding as they are billed, against the same ones without a cache."""
    used = (await _run_onboarding())[-1].usage
    assert used is not None
    sent = used.input_tokens + used.cache_write_tokens + used.cache_read_tokens
    billed = used.input_tokens + WRITE_PRICE * used.cache_write_tokens + READ_PRICE * used.cache_read_tokens
    return [
        Figure("B5 input that is billed", "tokens", billed, sent, 0.6),
        Figure("B5 input that is not read from the cache", "tokens", sent - used.cache_read_tokens, sent, 0.25),
    ]


async def _run_onboarding() -> list[TimedEvent]:
    """All that a learner hears while a whole topic is made."""
    pace = {"first_token_s": MODEL_PACE.first_token_s, "tokens_per_s": MODEL_PACE.tokens_per_s or 0.0}
    async with (
        model_server("onboarding", **pace) as base_url,
        _folder() as data,
        sprout_server(base_url, data, note_taking=False) as server,
        _client(server) as client,
    ):
        heard = await run_on_sprout(client, await new_topic(client, "Light"))
    _check_complete(heard)
    return heard


def _check_complete(heard: list[TimedEvent]) -> None:
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
    """Growth with input size, at most linear: an iteration of the loop, a read of a path, a replay of a log.

    An exponent of 1 is linear growth; it is the steepest between two of the lengths.
    """
    loop = {length: await loop_cpu_ms(length) for length in LENGTHS}
    graphs = await growth_ms()
    return [
        *(
            Figure(f"B6 iteration at {length:,} messages", "ms", ms, loop[LENGTHS[0]], 2.0)
            for length, ms in loop.items()
        ),
        Figure("B6 iteration: exponent", "", max(0.0, exponent(loop)), LINEAR, STEEPEST),
        *(Figure(f"B6 graph of {nodes:,} nodes", "ms", ms, graphs[10], nodes / 10) for nodes, ms in graphs.items()),
        Figure("B6 graph: exponent", "", exponent(graphs), LINEAR, STEEPEST),
        *await _log_growth(),
    ]


async def _log_growth() -> list[Figure]:
    """Cost of operations on logs of growing length; the floor is the shortest log."""
    costs = {length: await measure_log(length) for length in LOG_LENGTHS}
    least = costs[LOG_LENGTHS[0]]
    figures: list[Figure] = []
    for length, cost in costs.items():
        at = f"at {length:,} events"
        figures.append(Figure(f"B6 append {at}", "ms", cost.append_ms, least.append_ms, 1.5))
        figures.append(Figure(f"B6 checkpoint {at}", "ms", cost.checkpoint_ms, least.checkpoint_ms, 1.5))
        figures.append(Figure(f"B6 replay of one event {at}", "ms", cost.replay_ms, least.replay_ms, 1.5))
    whole = {length: cost.replay_ms * length for length, cost in costs.items()}
    return [*figures, Figure("B6 replay of a whole log: exponent", "", exponent(whole), LINEAR, STEEPEST)]


def exponent(costs: Mapping[int, float]) -> float:
    """The steepest k between neighbours of a growth like size ** k."""
    return max(math.log(b / a) / math.log(n / m) for (m, a), (n, b) in pairwise(costs.items()))


async def b8() -> list[Figure]:
    """Killed with 50 runs going: until all of them go on, against a start with nothing to take up."""
    found = await measure_restarts()
    bare_s, all_go_on_s = statistics.mean(found.empty_start_s), max(found.recovery_s)
    return [
        Figure("B8 process begins → all go on", "s", all_go_on_s, bare_s, 2.0, found.recovery_s),
        Figure("B8 what taking up adds, of 5 s", "s", max(0.0, all_go_on_s - bare_s), MAX_RECOVERY_S, 1.0),
    ]


async def b9() -> list[Figure]:
    """A lesson's turns at 1 s to the first token and 60 tokens a second, against what a learner may have to wait."""
    found = await measure_lesson(MODEL_PACE)
    figures = []
    for name, (verdict_s, words_s, calls) in LESSON_GOALS.items():
        turn = found[name]
        if verdict_s is not None:
            figures.append(Figure(f"B9 {name}: verdict", "s", turn.verdict_s or math.inf, verdict_s, 1.0))
        figures.append(Figure(f"B9 {name}: first words", "s", turn.words_s, words_s, 1.0))
        figures.append(Figure(f"B9 {name}: model calls", "", turn.calls, calls, 1.0))
    key_s = MODEL_PACE.due_s(tokens_before_key())
    shown_s = found["opening"].question_s or math.inf
    return [*figures, Figure("B9 opening: question, of when its key begins", "s", shown_s, key_s, 1.0)]


async def graph() -> list[Figure]:
    """A path of 300 nodes with progress, read 500 times, against a route that answers the same bytes from memory."""
    sprout, floor = await read_page()
    return [
        Figure("graph, server CPU of a read", "ms", sprout.cpu_ms, floor.cpu_ms, GRAPH_OVER_FLOOR),
        Figure("graph, p50", "ms", sprout.p50_ms, floor.p50_ms, GRAPH_OVER_FLOOR, sprout.waits_ms),
        Figure("graph, p99", "ms", sprout.p99_ms, floor.p99_ms, GRAPH_OVER_FLOOR),
        Figure("graph, p99 of 20 ms", "ms", sprout.p99_ms, GRAPH_MS, 1.0),
    ]


async def class_page() -> list[Figure]:
    """The page of a class of 200 on a path of 60 nodes, on both databases; the floor is what a teacher may wait."""
    figures = []
    for name, reading in (await read_class_pages()).items():
        figures.append(Figure(f"class page, {name}: p50", "ms", reading.p50_ms, CLASS_MS, 1.0, reading.waits_ms))
        figures.append(Figure(f"class page, {name}: server CPU of a read", "ms", reading.cpu_ms, CLASS_MS, 1.0))
    return figures


async def transcript() -> list[Figure]:
    """A lesson of 500 messages scrolled from end to end in Chromium, against the time between two frames."""
    return [
        figure
        for size, found in (await measure_scrolling()).items()
        for figure in (
            Figure(f"transcript, {size}: frame p50", "ms", found.quantile(0.5), FRAME_MS, 1.1, found.frames_ms),
            Figure(f"transcript, {size}: frame p99", "ms", found.quantile(0.99), FRAME_MS, 1.2),
            Figure(f"transcript, {size}: frame max", "ms", found.quantile(1.0), FRAME_MS, 3.0),
            Figure(f"transcript, {size}: longest task, CPU", "ms", max(found.tasks_ms), LONG_TASK_MS, 1.0),
            Figure(f"transcript, {size}: until it stands", "ms", found.shown_ms, MAX_SHOWN_MS, 1.0),
        )
    ]


MEASURES = {
    "B1": b1,
    "B2": b2,
    "B3": b3,
    "B4": b4,
    "B5": b5,
    "B6": b6,
    "B8": b8,
    "B9": b9,
    "B10": b10,
    "REDIS": redis,
    "GRAPH": graph,
    "CLASS": class_page,
    "TRANSCRIPT": transcript,
}


@asynccontextmanager
async def _open_subjects() -> AsyncIterator[tuple[_Subject, _Subject]]:
    """Sprout and the floor on the same model server, each warmed by a run."""
    async with (
        model_server("notes") as base_url,
        _sprout_subject(base_url) as sprout,
        floor_server(base_url) as floor,
        _client(floor) as floor_client,
    ):

        async def nothing() -> str:
            return ""

        async def on_floor(_: str) -> list[TimedEvent]:
            return await run_on_floor(floor_client)

        sides = sprout, _Subject(floor, nothing, on_floor)
        for side in sides:
            await side.run(await side.prepare())
        yield sides


@asynccontextmanager
async def _open_forms() -> AsyncIterator[tuple[_Subject, _Subject]]:
    """Sprout as a web process and a worker, and as one process, on the same model server, each warmed by a run."""
    async with (
        model_server("notes") as base_url,
        _folder() as folder,
        open_services(folder) as services,
        open_scaled(base_url, folder, services, webs=1, workers=1) as servers,
        _subject(servers.webs[0]) as scaled,
        _sprout_subject(base_url) as alone,
    ):
        for side in (scaled, alone):
            await side.run(await side.prepare())
        yield scaled, alone


@asynccontextmanager
async def _sprout_subject(base_url: str) -> AsyncIterator[_Subject]:
    async with (
        _folder() as data,
        sprout_server(base_url, data, note_taking=True) as server,
        _subject(server) as subject,
    ):
        yield subject


@asynccontextmanager
async def _subject(server: MeasuredServer) -> AsyncIterator[_Subject]:
    async with _client(server) as client:

        async def topic() -> str:
            return await new_topic(client, "Notes")

        async def on_sprout(topic_id: str) -> list[TimedEvent]:
            return await run_on_sprout(client, topic_id)

        yield _Subject(server, topic, on_sprout)


async def _cpu_per_run(side: _Subject) -> float:
    prepared = [await side.prepare() for _ in range(RUNS_A_ROUND)]
    before = side.server.cpu_s()
    for one in prepared:
        await side.run(one)
    return (side.server.cpu_s() - before) / RUNS_A_ROUND


@asynccontextmanager
async def _client(server: MeasuredServer) -> AsyncIterator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(base_url=server.url) as client:
        yield client


@asynccontextmanager
async def _folder() -> AsyncIterator[Path]:
    with await asyncio.to_thread(tempfile.TemporaryDirectory, prefix="sprout-bench-") as name:
        yield Path(name)
