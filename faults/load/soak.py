"""A soak: the life of a class, compressed, on one process, and whether the process stays as it is.

Pupils join, learn, grow paths, stop them, upload, read streams in pieces, and delete their account, one after the
other, so that there are as many rows at the end as at the start. What grows all the same is a leak.
"""

import asyncio
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import psutil

from faults.core.loop_faults import ProofFigure
from faults.crashes.figures import percentile
from faults.load.pupil_life import LifeFigures, live
from faults.load.trend import Trend
from harness.load.processes import OTHER_CORE, SERVER_CORE, WITHOUT_LIMITS, pin
from harness.servers.server_process import ServerSite
from harness.servers.signed_in import PASSWORD
from sprout.offline.courses.catalogue import courses
from sprout.offline.demo.router import demo_model
from sprout.offline.server import running_offline_server

MINUTES = 60.0
EVERY_S = 2.0
SAMPLE_S = 1.0
SETTLE_S = 30.0
WARM_UP_SHARE = 0.25
CODE_USES = 500
LEAST_MINUTES = 3
MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Sample:
    """State of the server at a time.

    Args:
        at_h: hours since the soak began.
        page_ms, graph_ms: how long the page of the class and the graph of a path took to read just then.
    """

    at_h: float
    memory_mib: float
    descriptors: float
    threads: float
    database_mib: float
    page_ms: float
    graph_ms: float


@dataclass(frozen=True, slots=True)
class Watched:
    """Value of a sample that must not grow.

    Args:
        most: growth in an hour that does not matter.
    """

    name: str
    unit: str
    value: Callable[[Sample], float]
    most: float


WATCHED = (
    Watched("resident memory", "MiB", lambda one: one.memory_mib, 20.0),
    Watched("descriptors", "", lambda one: one.descriptors, 3.0),
    Watched("threads", "", lambda one: one.threads, 1.0),
    Watched("database with its log", "MiB", lambda one: one.database_mib, 20.0),
    Watched("page of the class", "ms", lambda one: one.page_ms, 10.0),
    Watched("graph of a path", "ms", lambda one: one.graph_ms, 5.0),
)


@dataclass(slots=True)
class SoakOutcome:
    """Samples of the server, and totals of the pupils' lives meanwhile."""

    samples: list[Sample] = field(default_factory=list)
    lives: LifeFigures = field(default_factory=LifeFigures)
    cpu_share: float = 0.0
    descriptors_left: int = 0
    log_errors: list[str] = field(default_factory=list)

    @property
    def measured(self) -> list[Sample]:
        """The samples since the warm-up."""
        return self.samples[int(len(self.samples) * WARM_UP_SHARE) :]


async def soak(minutes: float = MINUTES) -> list[ProofFigure]:
    """A class's traffic, a life every two seconds: memory, descriptors, threads, files and waits stay flat."""
    pin(psutil.Process().pid, OTHER_CORE)
    outcome = await soak_server(minutes * 60, EVERY_S, core=SERVER_CORE)
    lives, turns = outcome.lives, outcome.lives.turns_s
    problems = lives.faults + outcome.log_errors
    return [
        ProofFigure("soak", "lives, turns of lessons, answers", f"{lives.lives}, {len(turns):,}, {lives.answers:,}"),
        ProofFigure("soak", "events read, streams resumed", f"{lives.events:,}, {lives.resumed_streams}"),
        ProofFigure("soak", "share of the server's core", f"{outcome.cpu_share:.2f}"),
        *(trend_figure(watched, outcome.measured) for watched in WATCHED),
        ProofFigure("soak", "turn of a lesson, p50 and p99 in each quarter", quarters_ms(turns)),
        ProofFigure("soak", "descriptors left over", f"{outcome.descriptors_left}", not outcome.descriptors_left),
        ProofFigure("soak", "lives that ended early, errors in the log", f"{len(problems)}", not problems),
        *(ProofFigure("soak", "fault", fault[:300], False) for fault in problems[:20]),
    ]


def trend_figure(watched: Watched, samples: Sequence[Sample]) -> ProofFigure:
    """Growth in an hour; it holds unless it surely is more than what does not matter. In three minutes none is seen."""
    times, values = minute_medians(samples, watched.value)
    if len(times) < LEAST_MINUTES:
        return ProofFigure("soak", watched.name, f"{statistics.fmean(values):.1f} {watched.unit}")
    trend = Trend.of(times, values)
    words = f"{statistics.fmean(values):.1f} {watched.unit}, {trend.slope:+.2f} ± {trend.margin:.2f} an hour"
    return ProofFigure("soak", watched.name, words, trend.least <= watched.most)


def minute_medians(samples: Sequence[Sample], value: Callable[[Sample], float]) -> tuple[list[float], list[float]]:
    """Hours and medians of minutes: neighbouring seconds are too alike to count as measured independently."""
    by_minute: dict[int, list[Sample]] = {}
    for one in samples:
        by_minute.setdefault(int(one.at_h * 60), []).append(one)
    return (
        [statistics.fmean(one.at_h for one in some) for some in by_minute.values()],
        [statistics.median(value(one) for one in some) for some in by_minute.values()],
    )


def quarters_ms(turns_s: Sequence[float]) -> str:
    """p50/p99 of each quarter of the turns, in the order in which their lives ended."""
    size = max(1, len(turns_s) // 4)
    parts = [turns_s[at : at + size] for at in range(0, size * 4, size)]
    return ", ".join(f"{1_000 * percentile(one, 0.5):.0f}/{1_000 * percentile(one, 0.99):.0f}" for one in parts) + " ms"


async def soak_server(seconds: float, every_s: float, *, core: int | None = None) -> SoakOutcome:
    """Begin a life every so often for so long on a new server, and sample the server each second.

    Args:
        core: that the server is kept on.
    """
    outcome = SoakOutcome()
    async with _serve() as (site, owner):
        server = psutil.Process(site.processes[-1].pid)
        if core is not None:
            pin(server.pid, core)
        pages = await _make_class(owner)
        await _live(site, owner, outcome.lives, first=0, count=1)  # what is loaded at the first use of it
        idle, cpu_s, began_s = server.num_fds(), _cpu_s(server), time.monotonic()
        sampling = asyncio.create_task(_sample(site, server, owner, pages, outcome.samples))
        await _live(site, owner, outcome.lives, first=1, count=max(1, round(seconds / every_s)), every_s=every_s)
        sampling.cancel()
        await asyncio.gather(sampling, return_exceptions=True)
        outcome.cpu_share = (_cpu_s(server) - cpu_s) / (time.monotonic() - began_s)
        outcome.descriptors_left = await _wait_for_descriptors(server, idle)
        outcome.log_errors = site.errors()
    return outcome


@asynccontextmanager
async def _serve() -> AsyncIterator[tuple[ServerSite, httpx2.AsyncClient]]:
    """A server with accounts, as a person starts it, and a browser in which its owner is signed in."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sprout-soak-")))
        model = await stack.enter_async_context(running_offline_server(demo_model(), keep_requests=0))
        site = ServerSite(folder, model.base_url, settings=WITHOUT_LIMITS | {"SPROUT_AUTH": "password"})
        stack.push_async_callback(site.kill_all)
        await site.start()
        owner = await stack.enter_async_context(_browser(site, 0))
        code = site.log.read_text().split("/set-up#", 1)[1].split('"')[0].split()[0]
        set_up = {"code": code, "name": "olga", "password": PASSWORD}
        (await owner.post("/api/sign-in/set-up", json=set_up)).raise_for_status()
        yield site, owner


def _browser(site: ServerSite, number: int) -> httpx2.AsyncClient:
    """A browser at an address of its own: attempts to sign in are limited by address."""
    url = f"http://127.0.0.1:{site.port}"
    address = f"127.{1 + number // 62_500}.{number // 250 % 250}.{1 + number % 250}"
    transport = httpx2.AsyncHTTPTransport(local_address=address)
    return httpx2.AsyncClient(base_url=url, transport=transport, timeout=60, headers={"Origin": url})


async def _make_class(owner: httpx2.AsyncClient) -> dict[str, str]:
    """The addresses that are read each second: the page of a class, and the graph of the path that it is given."""
    title = courses()[0].title
    of = await _post(owner, "/api/classes", {"name": "10b"})
    branch = await _post(owner, "/api/branches", {"title": title})
    root = await _post(owner, "/api/nodes", {"type": "root", "title": title, "branchId": branch["id"]})
    (await owner.post(f"/api/agents/topics/{root['id']}/run", json={})).raise_for_status()
    given = await _post(owner, f"/api/classes/{of['id']}/paths", {"branchId": branch["id"]})
    return {
        "class": f"/api/classes/{of['id']}",
        "page": f"/api/classes/{of['id']}/paths/{given['id']}/progress",
        "graph": f"/api/branches/{branch['id']}/graph",
    }


async def _post(browser: httpx2.AsyncClient, address: str, body: dict[str, Any]) -> Any:
    return (await browser.post(address, json=body)).raise_for_status().json()


async def _live(
    site: ServerSite, owner: httpx2.AsyncClient, lives: LifeFigures, *, first: int, count: int, every_s: float = 0.0
) -> None:
    """So many lives, one begun every so often, until the last has ended."""
    (of,) = (await owner.get("/api/classes")).raise_for_status().json()
    async with asyncio.TaskGroup() as group:
        for number in range(first, first + count):
            if (number - first) % CODE_USES == 0:
                made = await _post(owner, f"/api/classes/{of['id']}/code", {"uses": CODE_USES})
            group.create_task(_live_once(site, number, made["code"]["code"], lives))
            await asyncio.sleep(every_s)


async def _live_once(site: ServerSite, number: int, code: str, lives: LifeFigures) -> None:
    async with _browser(site, number + 1) as browser:
        await live(number, browser, code, lives)


async def _sample(
    site: ServerSite,
    server: psutil.Process,
    owner: httpx2.AsyncClient,
    pages: dict[str, str],
    samples: list[Sample],
) -> None:
    database = Path(site.database.removeprefix("sqlite:///"))
    began_s = time.monotonic()
    while True:
        page_ms, graph_ms = [await _read_ms(owner, pages[name]) for name in ("page", "graph")]
        at_h = (time.monotonic() - began_s) / 3_600
        samples.append(_take_sample(server, database, at_h, page_ms, graph_ms))
        await asyncio.sleep(SAMPLE_S)


def _take_sample(server: psutil.Process, database: Path, at_h: float, page_ms: float, graph_ms: float) -> Sample:
    return Sample(
        at_h=at_h,
        memory_mib=server.memory_info().rss / MIB,
        descriptors=server.num_fds(),
        threads=server.num_threads(),
        database_mib=sum(file.stat().st_size for file in database.parent.glob(f"{database.name}*")) / MIB,
        page_ms=page_ms,
        graph_ms=graph_ms,
    )


async def _read_ms(browser: httpx2.AsyncClient, address: str) -> float:
    began_s = time.monotonic()
    (await browser.get(address)).raise_for_status()
    return 1_000 * (time.monotonic() - began_s)


async def _wait_for_descriptors(server: psutil.Process, idle: int) -> int:
    """Number of descriptors above the idle count: 0 as soon as there are none, else what is left after a while."""
    end_s = time.monotonic() + SETTLE_S
    while True:
        left = max(0, server.num_fds() - idle)
        if not left or time.monotonic() > end_s:
            return left
        await asyncio.sleep(0.2)


def _cpu_s(server: psutil.Process) -> float:
    used = server.cpu_times()
    return float(used.user + used.system)


PROOFS: dict[str, Callable[..., Awaitable[list[ProofFigure]]]] = {"soak": soak}
