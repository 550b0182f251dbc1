"""Screens whose code comes slowly: what is pressed meanwhile counts."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from playwright.async_api import Browser, Route, expect

from harness.browser import DESKTOP, PHONE, open_page
from harness.journeys.learner import IMMEDIATE, GrownCourse
from harness.journeys.sprout_server import start_server

COUNTS = "Turning percentages into counts of people"
ACTIONS = ".next-card, .docked, .find-start, .about-go, .first-step, .next-panel"
TOPS = """() => [...document.querySelectorAll("h1, .hero, .paths, .stem, .facts")]
  .map((one) => Math.round(one.getBoundingClientRect().top))"""


def _held_until(moment: asyncio.Event) -> Callable[[Route], Awaitable[None]]:
    """A handler that lets requests through once the moment has come."""

    async def held(route: Route) -> None:
        await moment.wait()
        await route.continue_()

    return held


async def test_a_link_that_is_pressed_while_a_screen_comes_is_followed(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    pressed = asyncio.Event()
    async with start_server(tmp_path, sqlite_url) as grown, open_page(browser, f"{grown.url}/docs") as page:
        await page.route("**/views/home/home.js", _held_until(pressed))
        await page.goto(grown.url, wait_until="commit")
        await page.get_by_role("link", name="Settings").hover()
        await page.mouse.down()
        pressed.set()
        await expect(page.get_by_role("form", name="New path")).to_be_visible()
        await page.mouse.up()
        await expect(page.get_by_role("heading", level=1, name="Settings")).to_be_visible()


async def test_while_the_next_step_is_looked_for_its_place_is_kept_and_nothing_else_passes_for_it(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with start_server(tmp_path, bayes_url, pace=IMMEDIATE) as grown:
        taught = GrownCourse(grown, await grown.graph())
        concept = f"{taught.path}/concepts/{taught.node(COUNTS)['id']}"
        for size in (PHONE, DESKTOP):
            for address in (f"{grown.url}/paths", taught.path, concept):
                async with open_page(browser, f"{grown.url}/docs", size=size) as page:
                    found = asyncio.Event()

                    await page.route("**/api/next*", _held_until(found))
                    await page.goto(address)
                    notice = page.get_by_role("status").filter(has_text="Looking for your next step")
                    await expect(notice).to_be_in_viewport(ratio=1)
                    await expect(page.locator(".pt, .stem, .map .hit").first).to_be_visible()
                    late = {taught.path: ".find-start", concept: ".know"}
                    if address in late:
                        await expect(page.locator(late[address])).to_have_count(1)
                    await expect(page.locator(".find-start:visible")).to_have_count(0)
                    await expect(page.locator(".btn.go:visible")).to_have_count(0)
                    await expect(page.locator(ACTIONS).get_by_role("link")).to_have_count(0)
                    before = await page.evaluate(TOPS)
                    found.set()
                    await expect(page.locator(".btn.go:visible")).to_have_count(1)
                    await expect(notice).to_have_count(0)
                    assert await page.evaluate(TOPS) == before, f"{address} jumps at {size}"
