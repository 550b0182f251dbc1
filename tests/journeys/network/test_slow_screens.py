"""Screens whose code comes slowly: what is pressed meanwhile counts."""

import asyncio
from pathlib import Path

from playwright.async_api import Browser, Route, expect

from harness.browser import open_page
from harness.journeys.sprout_server import start_server


async def test_a_link_that_is_pressed_while_a_screen_comes_is_followed(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    pressed = asyncio.Event()

    async def held(route: Route) -> None:
        await pressed.wait()
        await route.continue_()

    async with start_server(tmp_path, sqlite_url) as grown, open_page(browser, f"{grown.url}/docs") as page:
        await page.route("**/views/home/home.js", held)
        await page.goto(grown.url, wait_until="commit")
        await page.get_by_role("link", name="Settings").hover()
        await page.mouse.down()
        pressed.set()
        await expect(page.get_by_role("form", name="New path")).to_be_visible()
        await page.mouse.up()
        await expect(page.get_by_role("heading", level=1, name="Settings")).to_be_visible()
