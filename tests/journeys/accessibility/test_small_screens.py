"""A phone: the list comes first, and nothing scrolls sideways, in light and dark."""

import re
from pathlib import Path
from typing import Literal

import pytest
from playwright.async_api import Browser, Page, expect

from harness.browser import PHONE, open_page
from harness.journeys.sprout_server import COURSE, start_server
from tests.journeys.support.map_view import start_topic, take_screenshot

OVERHANG = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


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
        await page.get_by_role("link", name="Sprout").click()
        await page.get_by_role("heading", name="Your paths").wait_for()
        await _fits(page, f"phone-{scheme}-paths")
        await page.get_by_role("button", name="Search").click()
        await page.keyboard.type(COURSE)
        await _fits(page, f"phone-{scheme}-search")
        await page.keyboard.press("Enter")
        await page.wait_for_url(re.compile("/paths/[^/]+$"))


async def _fits(page: Page, name: str) -> None:
    await take_screenshot(page, name)
    assert await page.evaluate(OVERHANG) <= 0, name
