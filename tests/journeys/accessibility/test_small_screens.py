"""A phone: the list comes first, and nothing scrolls sideways, in light and dark."""

import re
from pathlib import Path
from typing import Literal

import pytest
from playwright.async_api import Browser, Page, expect

from harness.browser import PHONE, open_page
from harness.journeys.learner import open_course
from harness.journeys.sprout_server import COURSE, start_server
from tests.journeys.support.map_view import start_topic, take_screenshot

OVERHANG = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
TAP_PX = 44
SMALL_TARGETS = """(least) => [...document.querySelectorAll("a[href], button, summary, select, textarea, input")]
  .filter((each) => !each.closest("svg, .vh, .skip, p"))  // a link within a sentence is as high as its line
  .map((each) => [each, (each.closest("label") ?? each).getBoundingClientRect()])
  .filter(([, box]) => box.width && box.height && Math.min(box.width, box.height) < least - 0.5)
  .map(([each, box]) => `${each.outerHTML.slice(0, 80)} ${box.width}x${box.height}`)"""
CONCEPT = "Turning percentages into counts of people"
PART = "A percentage is a count out of a hundred"


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_a_phone_shows_the_list_and_never_scrolls_sideways(
    browser: Browser, tmp_path: Path, sqlite_url: str, scheme: Literal["light", "dark"]
) -> None:
    async with (
        start_server(tmp_path, sqlite_url) as grown,
        open_page(browser, grown.url, size=PHONE, scheme=scheme) as page,
    ):
        await (
            page.get_by_role("heading", name="Or start from one of these")
            .or_(page.get_by_role("form", name="New path"))
            .first.wait_for()
        )
        await _fits(page, f"phone-{scheme}-home")
        await start_topic(page, COURSE, short=True)
        await page.locator(".stem > li").first.wait_for()
        await _fits(page, f"phone-{scheme}-growing")
        await expect(page.locator(".runbar")).to_have_count(0, timeout=60_000)
        await _fits(page, f"phone-{scheme}-list")
        views = page.get_by_role("group", name="View").first
        await views.get_by_role("button", name="Map").click()
        await page.locator(".map .hit").first.wait_for()
        await _fits(page, f"phone-{scheme}-map")
        await views.get_by_role("button", name="Activity").click()
        await page.get_by_text("Why this path").wait_for()
        await _fits(page, f"phone-{scheme}-activity")
        await views.get_by_role("button", name="List").click()
        await page.locator(".stem a").first.click()
        await page.wait_for_url(re.compile("/concepts/"))
        await _fits(page, f"phone-{scheme}-concept")
        await expect(page.get_by_role("link", name="Take the diagnostic")).to_be_visible()
        await page.locator(".stem-name").first.click()
        await expect(page.locator(".stem > li").first.get_by_role("link", name="Learn this")).to_be_visible()
        await _fits(page, f"phone-{scheme}-subconcept")
        await page.get_by_role("link", name=f"Back to {COURSE}").click()
        await page.get_by_role("link", name="Back to Paths").click()
        await page.get_by_role("heading", name="Your paths").wait_for()
        await _fits(page, f"phone-{scheme}-paths")
        await page.get_by_role("button", name="Search").click()
        await page.keyboard.type(COURSE)
        await _fits(page, f"phone-{scheme}-search")
        await page.keyboard.press("Enter")
        await page.wait_for_url(re.compile("/paths/[^/]+$"))


async def test_ui_3_on_a_phone_every_screen_but_a_session_has_the_bar_below_and_all_have_a_way_back(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with (
        open_course(tmp_path, bayes_url) as taught,
        open_page(browser, taught.lesson(PART), size=PHONE) as page,
    ):
        below = page.locator("nav.tabs")
        await page.get_by_label("Your answer").or_(page.get_by_role("radio").first).first.wait_for()
        await _is_for_thumbs(page)
        await expect(below).to_have_count(0)
        for above in (CONCEPT, COURSE, "Paths"):
            await page.get_by_role("link", name=f"Back to {above}").click()
            await expect(below.get_by_role("link", name="Paths")).to_have_attribute("aria-current", re.compile("."))
            if above != "Paths":
                await _stands_above(page, ".docked, .phone-head > .about-go", "nav.tabs")
                await _is_for_thumbs(page)
        await expect(page.locator(".back")).to_have_count(0)
        await below.get_by_role("link", name="Progress").click()
        await page.get_by_role("heading", name="Progress").wait_for()
        await _is_for_thumbs(page)
        await page.get_by_role("link", name="Settings").click()
        await page.get_by_role("heading", name="Settings").wait_for()
        await _is_for_thumbs(page)
        for session in ("/review", taught.diagnostic(CONCEPT)):
            await page.goto(session if session.startswith("http") else taught.server.url + session)
            await expect(page.locator("main .btn.go").first).to_be_visible()
            await expect(below).to_have_count(0)
            await _is_for_thumbs(page)
        await page.get_by_role("link", name=f"Back to {CONCEPT}").click()
        await page.wait_for_url(re.compile("/concepts/[^/]+$"))


async def _stands_above(page: Page, docked: str, bar: str) -> None:
    """Assert that the docked action stands on the bar, and is in the window."""
    upper, lower = await page.locator(docked).bounding_box(), await page.locator(bar).bounding_box()
    assert upper
    assert lower
    assert abs(upper["y"] + upper["height"] - lower["y"]) < 1, (upper, lower)


async def _is_for_thumbs(page: Page) -> None:
    assert await page.evaluate(SMALL_TARGETS, TAP_PX) == []


async def _fits(page: Page, name: str) -> None:
    await take_screenshot(page, name)
    assert await page.evaluate(OVERHANG) <= 0, name
