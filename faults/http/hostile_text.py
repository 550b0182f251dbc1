"""Every hostile text through every field of every screen, in a real browser."""

import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from playwright.async_api import Browser, expect

from faults.core.loop_faults import ProofFigure
from harness.browser import chromium, open_page
from harness.hostile.corpus import HostileTexts, payloads
from harness.hostile.page_watch import PageWatch, foreign_host, poison_responses
from harness.journeys.learner import IMMEDIATE, GrownCourse, wait_for_question
from harness.journeys.sprout_server import COURSE, start_server
from sprout.store.engine.migrate import upgrade

SHARE = 60
MOST_VIEWS = 40
DRAWN_MS = 120_000
FROM_FRAME = ("/frames/diagram", "(blob:null/")
OPEN_ALL = "document.querySelectorAll('main details').forEach((details) => { details.open = true; })"


@dataclass
class _Findings:
    views: int = 0
    pairs: int = 0
    fields: set[str] = field(default_factory=set)
    wrong: dict[str, int] = field(default_factory=lambda: dict.fromkeys(("ran", "asked", "opened", "harmful"), 0))


async def xss() -> list[ProofFigure]:
    """Every text of the corpus in every field that a model, a document or a learner fills, on every screen."""
    found = _Findings()
    with tempfile.TemporaryDirectory() as scratch:
        url = f"sqlite:///{Path(scratch) / 'sprout.sqlite3'}"
        upgrade(url)
        async with chromium() as browser, start_server(Path(scratch), url, pace=IMMEDIATE) as grown:
            await grown.events_of(await grown.start_path(COURSE))
            taught = GrownCourse(grown, await grown.graph())
            for address in await _screen_addresses(browser, taught):
                await _show_all_texts(browser, address, found)
    corpus = len(payloads(""))
    zero = {"texts that ran": "ran", "foreign requests": "asked", "foreign navigation": "opened"}
    return [
        ProofFigure("xss", "texts of the corpus", str(corpus), corpus >= 300),
        ProofFigure("xss", "fields, on their screens", str(len(found.fields))),
        ProofFigure("xss", "texts × fields", f"{found.pairs:,}", found.pairs == corpus * len(found.fields)),
        ProofFigure("xss", "views of a page", str(found.views)),
        *(ProofFigure("xss", name, str(found.wrong[key]), found.wrong[key] == 0) for name, key in zero.items()),
        ProofFigure("xss", "elements that could run or load", str(found.wrong["harmful"]), found.wrong["harmful"] == 0),
    ]


async def _screen_addresses(browser: Browser, taught: GrownCourse) -> list[str]:
    """Their addresses, where each has something to show."""
    concept = next(node for node in taught.graph["nodes"] if node["type"] == "concept")
    part = next(node for node in taught.graph["nodes"] if node["parentId"] == concept["id"])
    lesson, at_concept = taught.lesson(part["title"]), f"{taught.path}/concepts/{concept['id']}"
    async with open_page(browser, lesson) as page:
        await wait_for_question(page)
    run = await taught.server.last_run()
    return [
        taught.server.url,
        taught.path,
        at_concept,
        f"{at_concept}/diagnostic",
        lesson,
        f"{taught.server.url}/runs/{run['id']}",
    ]


async def _show_all_texts(browser: Browser, address: str, found: _Findings) -> None:
    """Look at a screen until each of its fields has had every text."""
    async with open_page(browser, address, allow=FROM_FRAME) as page, foreign_host() as evil:
        watch = PageWatch(page, evil)
        await watch.start()
        poisoned = HostileTexts(payloads(evil.url), SHARE)
        await poison_responses(page, poisoned)
        for _ in range(MOST_VIEWS):
            await page.reload()
            await expect(page.locator("main")).to_contain_text("onerror=")
            await page.evaluate(OPEN_ALL)
            await expect(page.locator(".diagram .growing")).to_have_count(0, timeout=DRAWN_MS)
            for name, each in (await watch.findings()).items():
                found.wrong[name] += len(each)
            found.views += 1
            if all(len(seen) == len(poisoned.texts) for seen in poisoned.seen.values()):
                break
        await page.unroute_all(behavior="ignoreErrors")  # a page may be asking still
    screen = address.rpartition("/paths/")[2] or "home"
    found.fields |= {f"{screen} {name}" for name in poisoned.seen}
    found.pairs += sum(len(seen) for seen in poisoned.seen.values())


PROOFS: dict[str, Callable[..., Awaitable[list[ProofFigure]]]] = {"xss": xss}
