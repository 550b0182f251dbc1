"""The page in Chromium, with 300 nodes and three agents that stream: how smooth it stays, and what it keeps."""

import asyncio
import math
import statistics
import time
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx2
from playwright.async_api import CDPSession, Page

from bench.browser.chromium import benchmark_browser
from bench.figure import Figure
from bench.servers.processes import fake_page_server

SIZE = (1440, 900)
CONCEPTS, PARTS = 60, 4
PATH = f"{CONCEPTS}x{PARTS}"
CODE_IS_THERE_S = 2.5
READS = 7
TURNS = 8
RUNS, TURNS_A_RUN, SPEED = 10, 90, 30.0
SECONDS_A_TURN = 2.0
INTERACTION_S = 14.0
AT_ONCE_MS = 100.0
LONG_MS = 50.0
FRAME_MS = 1_000 / 60
STEADY = 1.1
BUSY_MS = 500.0
OBSERVER_SCRIPT = """
window.bench = { tasks: [], frames: [], on: false };
new PerformanceObserver((list) => {
  if (bench.on) bench.tasks.push(...list.getEntries().map((each) => each.duration));
}).observe({ type: "longtask" });
let last = 0;
requestAnimationFrame(function frame(now) {
  if (bench.on && last) bench.frames.push(now - last);
  last = now;
  requestAnimationFrame(frame);
});
"""
DRAWN_SCRIPT = """([href, count]) => new Promise((resolve) => {
  const began = performance.now();
  document.querySelector(`a[href="${href}"]`).click();
  requestAnimationFrame(function look() {
    if (document.querySelectorAll(".map .hit").length < count) requestAnimationFrame(look);
    else requestAnimationFrame(() => resolve(performance.now() - began));
  });
})"""


@dataclass(frozen=True, slots=True)
class Smoothness:
    """Frame rate and delays of the page over a period."""

    long_tasks: int
    longest_ms: float
    frame_mean_ms: float
    frame_p95_ms: float
    busy_ms: float  # CPU of the main thread in a second: what a loaded machine does not change


@dataclass(frozen=True, slots=True)
class PageFindings:
    """Results of the measurement; a heap is its size after a garbage collection."""

    drawn_ms: tuple[float, ...]
    still: Smoothness
    streaming: Smoothness
    heap_mb: tuple[float, ...]
    minutes: float
    events: int


async def page() -> list[Figure]:
    """The page in Chromium with 300 nodes: from click to drawn; pulled about while three agents stream; its heap."""
    found = await _measure_page()
    still, live = found.still, found.streaming
    after = f"heap after {found.minutes:.0f} min of stream, {found.events:,} events"
    return [
        Figure("PAGE click → drawn", "ms", statistics.median(found.drawn_ms), AT_ONCE_MS, 1.0, found.drawn_ms),
        Figure("PAGE moved: tasks over 50 ms", "", still.long_tasks, 1.0, 0.0),
        Figure("PAGE moved: longest of them", "ms", still.longest_ms, LONG_MS, 1.0),
        Figure("PAGE moved: frame, p95", "ms", still.frame_p95_ms, FRAME_MS, STEADY),
        Figure("PAGE moved, streaming: tasks over 50 ms", "", live.long_tasks, 1.0, 0.0),
        Figure("PAGE moved, streaming: longest of them", "ms", live.longest_ms, LONG_MS, 1.0),
        Figure("PAGE moved, streaming: frame, p95", "ms", live.frame_p95_ms, FRAME_MS, STEADY),
        Figure("PAGE moved, streaming: mean frame", "ms", live.frame_mean_ms, FRAME_MS, STEADY),
        Figure("PAGE moved: main thread, CPU a second", "ms", still.busy_ms, BUSY_MS, 1.0),
        Figure("PAGE moved, streaming: main thread, CPU a second", "ms", live.busy_ms, BUSY_MS, 1.0),
        Figure(f"PAGE {after}", "MiB", found.heap_mb[-1], found.heap_mb[0], STEADY, found.heap_mb),
    ]


async def _measure_page() -> PageFindings:
    """All of it, in one browser on one stand-in."""
    async with fake_page_server() as server, httpx2.AsyncClient(base_url=server.url, timeout=600) as web:
        (await web.post(f"/bench/path/{PATH}")).raise_for_status()
        async with _open_browser(server.url) as page:
            drawn = tuple([await _drawn_ms(page, server.url) for _ in range(READS)])
            still = await _while_moving(page, asyncio.sleep(INTERACTION_S))
            streaming = await _while_moving(page, _play_runs(web, TURNS, 1.0, grows=True))
            heaps, events = await _long_use(page, web)
    return PageFindings(drawn, still, streaming, heaps, RUNS * TURNS_A_RUN * SECONDS_A_TURN / 60, events)


async def _long_use(page: Page, web: httpx2.AsyncClient) -> tuple[tuple[float, ...], int]:
    """The heap after the first run and after each further one, and how many events came."""
    devtools = await page.context.new_cdp_session(page)
    heaps, events = [], 0
    for _ in range(1 + RUNS):
        events += await _play_runs(web, TURNS_A_RUN, SPEED, grows=False)
        heaps.append(await _heap_mb(devtools))
    return tuple(heaps), events


async def _play_runs(web: httpx2.AsyncClient, turns: int, speed: float, *, grows: bool) -> int:
    """Play runs to their end; return the number of events once the page has received all of them."""
    wanted = {"turns": str(turns), "speed": str(speed), "grows": str(int(grows))}
    playback = (await web.post(f"/bench/play/{PATH}", params=wanted)).raise_for_status().json()
    await asyncio.sleep(1)
    return int(playback["kept"] + playback["deltas"])


async def _drawn_ms(page: Page, url: str) -> float:
    """From the click on a path's name to its map on the screen; its code is there already, the path is not."""
    await page.goto(url)
    await page.get_by_role("link", name=f"Path {PATH}").wait_for()
    await asyncio.sleep(CODE_IS_THERE_S)
    return float(await page.evaluate(DRAWN_SCRIPT, [f"/paths/{PATH}", CONCEPTS]))


async def _while_moving(page: Page, meanwhile: Awaitable[object]) -> Smoothness:
    """Drag and zoom the map until `meanwhile` is over; return how smooth the page stayed."""
    devtools = await page.context.new_cdp_session(page)
    await devtools.send("Performance.enable", {"timeDomain": "threadTicks"})
    job = asyncio.ensure_future(meanwhile)
    before, began = await _cpu_s(devtools), time.perf_counter()
    x, y = SIZE[0] / 3, SIZE[1] / 2
    await page.evaluate("bench.tasks = []; bench.frames = []; bench.on = true")
    turn = 0
    while not job.done():
        turn += 1
        await page.mouse.move(x, y)
        await page.mouse.down()
        for step in range(40):
            await page.mouse.move(x + 160 * math.sin(step / 6), y + 90 * math.cos(step / 6))
        await page.mouse.up()
        await page.mouse.wheel(0, 120 if turn % 2 else -120)
    await job
    busy_ms = 1_000 * (await _cpu_s(devtools) - before) / (time.perf_counter() - began)
    seen = await page.evaluate("bench.on = false, bench")
    tasks, frames = seen["tasks"], sorted(seen["frames"])
    p95 = frames[math.floor(0.95 * len(frames))]
    return Smoothness(len(tasks), max(tasks, default=0.0), statistics.mean(frames), p95, busy_ms)


async def _cpu_s(devtools: CDPSession) -> float:
    """CPU time of the page's main thread so far."""
    metrics = (await devtools.send("Performance.getMetrics"))["metrics"]
    return float(next(each["value"] for each in metrics if each["name"] == "TaskDuration"))


async def _heap_mb(devtools: CDPSession) -> float:
    await devtools.send("HeapProfiler.collectGarbage")
    return float((await devtools.send("Runtime.getHeapUsage"))["usedSize"]) / 2**20


@asynccontextmanager
async def _open_browser(url: str) -> AsyncIterator[Page]:
    async with benchmark_browser() as browser:
        page = await browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]})
        await page.add_init_script(OBSERVER_SCRIPT)
        await page.goto(url)
        yield page
