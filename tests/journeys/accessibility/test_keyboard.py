"""A path grown, walked, opened and searched without a pointer."""

import re
from itertools import pairwise
from pathlib import Path

from playwright.async_api import Browser, Page, expect

from harness.browser import open_page
from harness.journeys.sprout_server import COURSE, QUICK_PACE, start_server
from tests.journeys.support.announcements import announcements, start_listening
from tests.journeys.support.map_view import read_map, take_screenshot, wait_for_end, wait_for_path

MOST_TABS = 30
FOCUSED = "document.activeElement.getAttribute('data-id')"

ALL_IN_SIGHT = """() => {
  const frame = document.querySelector('.map').getBoundingClientRect();
  const nodes = [...document.querySelectorAll('.map .hit')].map((each) => each.getBoundingClientRect());
  return nodes.every((each) => each.left >= frame.left && each.right <= frame.right
    && each.top >= frame.top && each.bottom <= frame.bottom);
}"""


async def test_everything_can_be_done_from_the_keyboard(browser: Browser, tmp_path: Path, sqlite_url: str) -> None:
    async with start_server(tmp_path, sqlite_url, pace=QUICK_PACE) as grown, open_page(browser, grown.url) as page:
        await page.get_by_role("form", name="New path").wait_for()
        await start_listening(page)
        await _tab_to(page, "#topic")
        await page.keyboard.type(COURSE)
        await page.keyboard.press("Enter")
        await wait_for_path(page)
        await wait_for_end(page, shows_run=False)
        awaited = re.compile(r".+\. It goes on by itself in a moment\.|\d+ concepts? added")
        assert [words for words in await announcements(page) if not awaited.fullmatch(words)] == []

        await _tab_to(page, ".map .hit")
        edges = (await read_map(page)).edges
        walked = await _walk_up(page)
        assert len(walked) >= 3
        assert all(f"{below}>{above}" in edges for below, above in pairwise(walked))
        await expect(page.locator(".node-card")).to_be_visible()
        await take_screenshot(page, "keyboard-walk")
        await page.keyboard.press("ArrowDown")
        assert f"{await page.evaluate(FOCUSED)}>{walked[-1]}" in edges

        here = await page.evaluate(FOCUSED)
        await page.keyboard.press("Enter")
        await expect(page.locator(".node-card .row a").first).to_be_focused()
        await page.keyboard.press("Escape")
        await page.wait_for_function(f"(id) => {FOCUSED} === id", arg=here)
        await page.keyboard.press("Enter")
        await expect(page.locator(".node-card .row a").first).to_be_focused()
        await page.keyboard.press("Enter")
        await page.wait_for_url(re.compile(rf"/concepts/{here}$"))
        await take_screenshot(page, "keyboard-concept")
        await page.keyboard.press("Escape")
        await wait_for_path(page)
        await page.wait_for_function(f"(id) => {FOCUSED} === id", arg=here)
        await page.wait_for_function(ALL_IN_SIGHT)

        subconcept = next(node for node in (await grown.graph())["nodes"] if node["type"] == "subconcept")
        await page.keyboard.press("/")
        await expect(page.get_by_role("combobox")).to_be_focused()
        await page.keyboard.type(subconcept["title"][:12])
        await expect(page.get_by_role("option", selected=True)).to_contain_text(subconcept["title"])
        await take_screenshot(page, "keyboard-search")
        await page.keyboard.press("Enter")
        await page.wait_for_url(re.compile(rf"/concepts/{subconcept['parentId']}$"))
        await expect(page.get_by_role("heading", name=subconcept["title"])).to_be_visible()
        await page.wait_for_function(f"(id) => {FOCUSED} === id", arg=subconcept["id"])
        await page.wait_for_function(ALL_IN_SIGHT)


async def _tab_to(page: Page, selector: str) -> None:
    """Press Tab until the focus is there."""
    for _ in range(MOST_TABS):
        await page.keyboard.press("Tab")
        if await page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"{MOST_TABS} times Tab do not lead to {selector}")


async def _walk_up(page: Page) -> list[str]:
    """The ids that the arrow up leads along, from the ground to where nothing is above."""
    walked = [await page.evaluate(FOCUSED)]
    while True:
        await page.keyboard.press("ArrowUp")
        now = await page.evaluate(FOCUSED)
        if now == walked[-1]:
            return walked
        walked.append(now)
