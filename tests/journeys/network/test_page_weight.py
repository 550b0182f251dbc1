"""Compressed size of a first view over the network, without formulas, code and diagrams."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from playwright.async_api import Browser, Page, Request, Route, expect

from harness.browser import open_page
from harness.journeys.learner import open_course

MOST_BYTES = 150_000
LATER = ("katex", "mermaid", "vendor/code", "diagram", "teaching.css", ".learn.js", "rich", "marked")


async def _weights(page: Page, url: str, shows: str, *, without: Sequence[str] = ()) -> dict[str, int]:
    """Every file that a view needs until it shows this, and its bytes; the API's answers are not counted.

    Args:
        without: files that come after it.
    """
    asked: list[Request] = []
    shown = asyncio.Event()

    async def held(route: Route) -> None:
        await shown.wait()
        await route.continue_()

    def noted(request: Request) -> None:
        asked.append(request)

    for file in without:
        await page.route(f"**/{file}", held)
    page.on("requestfinished", noted)
    await page.goto(url)
    await expect(page.locator(shows).first).to_be_visible()
    await page.evaluate("document.fonts.ready.then(() => null)")
    files = [request for request in asked if "/api/" not in request.url]
    weights = {request.url: (await request.sizes())["responseBodySize"] for request in files}
    shown.set()
    return weights


async def test_the_first_view_of_home_and_of_a_path_is_light(browser: Browser, tmp_path: Path, bayes_url: str) -> None:
    async with open_course(tmp_path, bayes_url) as taught:
        panel = ("views/path/next_panel.js", "styles/next.css")  # beside the map, once that is there
        for url, shows, without in ((taught.server.url, "main table a", ()), (taught.path, ".map .hit", panel)):
            async with open_page(browser, f"{taught.server.url}/docs") as page:
                weights = await _weights(page, url, shows, without=without)
                if shows == ".map .hit":
                    await expect(page.locator(".next-panel")).to_be_visible()
            assert not [name for name in weights if any(word in name for word in LATER)]
            assert 60_000 < sum(weights.values()) <= MOST_BYTES, weights
