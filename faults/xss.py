"""Every hostile text through every field of every screen, in a real browser."""

import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from playwright.async_api import Browser, expect

from faults.figures import Figure
from sprout.store.migrate import upgrade
from tests.browser import chromium, open_page
from tests.hostile.corpus import Poison, payloads
from tests.hostile.watching import Watch, evil_host, poison
from tests.journeys.garden import COURSE, garden
from tests.journeys.learner import AT_ONCE, School, question

SHARE = 60
MOST_VIEWS = 40
DRAWN_MS = 120_000
FROM_FRAME = ("/frames/diagram", "(blob:null/")
OPEN_ALL = "document.querySelectorAll('main details').forEach((details) => { details.open = true; })"


@dataclass
class _Found:
    views: int = 0
    pairs: int = 0
    fields: set[str] = field(default_factory=set)
    wrong: dict[str, int] = field(default_factory=lambda: dict.fromkeys(("ran", "asked", "opened", "harmful"), 0))


async def xss() -> list[Figure]:
    """Every text of the corpus in every field that a model, a document or a learner fills, on every screen."""
    found = _Found()
    with tempfile.TemporaryDirectory() as scratch:
        url = f"sqlite:///{Path(scratch) / 'sprout.sqlite3'}"
        upgrade(url)
        async with chromium() as browser, garden(Path(scratch), url, pace=AT_ONCE) as grown:
            await grown.told(await grown.grown(COURSE))
            taught = School(grown, await grown.graph())
            for address in await _screens(browser, taught):
                await _through(browser, address, found)
    corpus = len(payloads(""))
    zero = {"texts that ran": "ran", "foreign requests": "asked", "foreign navigation": "opened"}
    return [
        Figure("xss", "texts of the corpus", str(corpus), corpus >= 300),
        Figure("xss", "fields, on their screens", str(len(found.fields))),
        Figure("xss", "texts × fields", f"{found.pairs:,}", found.pairs == corpus * len(found.fields)),
        Figure("xss", "views of a page", str(found.views)),
        *(Figure("xss", name, str(found.wrong[key]), found.wrong[key] == 0) for name, key in zero.items()),
        Figure("xss", "elements that could run or load", str(found.wrong["harmful"]), found.wrong["harmful"] == 0),
    ]


async def _screens(browser: Browser, taught: School) -> list[str]:
    """Their addresses, where each has something to show."""
    concept = next(node for node in taught.graph["nodes"] if node["type"] == "concept")
    part = next(node for node in taught.graph["nodes"] if node["parentId"] == concept["id"])
    lesson, at_concept = taught.lesson(part["title"]), f"{taught.path}/concepts/{concept['id']}"
    async with open_page(browser, lesson) as page:
        await question(page)
    run = await taught.grown.last_run()
    return [
        taught.grown.url,
        taught.path,
        at_concept,
        f"{at_concept}/diagnostic",
        lesson,
        f"{taught.grown.url}/runs/{run['id']}",
    ]


async def _through(browser: Browser, address: str, found: _Found) -> None:
    """Look at a screen until each of its fields has had every text."""
    async with open_page(browser, address, allow=FROM_FRAME) as page, evil_host() as evil:
        watch = Watch(page, evil)
        await watch.begin()
        poisoned = Poison(payloads(evil.url), SHARE)
        await poison(page, poisoned)
        for _ in range(MOST_VIEWS):
            await page.reload()
            await expect(page.locator("main")).to_contain_text("onerror=")
            await page.evaluate(OPEN_ALL)
            await expect(page.locator(".diagram .growing")).to_have_count(0, timeout=DRAWN_MS)
            for name, each in (await watch.found()).items():
                found.wrong[name] += len(each)
            found.views += 1
            if all(len(seen) == len(poisoned.texts) for seen in poisoned.seen.values()):
                break
        await page.unroute_all(behavior="ignoreErrors")  # a page may be asking still
    screen = address.rpartition("/paths/")[2] or "home"
    found.fields |= {f"{screen} {name}" for name in poisoned.seen}
    found.pairs += sum(len(seen) for seen in poisoned.seen.values())


PROOFS: dict[str, Callable[..., Awaitable[list[Figure]]]] = {"xss": xss}
