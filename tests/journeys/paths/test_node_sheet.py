"""The sheet of a node on a phone: what it is for, one filled button, and three ways to close it (ui 4, 7)."""

import re
from pathlib import Path

from playwright.async_api import Browser, Locator, Page, expect

from harness.browser import PHONE, open_page
from harness.journeys.learner import assert_no_overflow, open_course
from tests.journeys.support import axe

CONCEPT, FIRST, LOCKED = (
    "Turning percentages into counts of people",
    "A percentage is a count",
    "Weighing several clues",
)
FILLED = ".btn.go:visible"
SWIPE_DOWN = """(by) => {
  const sheet = document.querySelector("dialog[open]");
  const touch = (y) => new Touch({ identifier: 1, target: sheet, clientX: 100, clientY: y });
  const say = (kind, y) => sheet.dispatchEvent(
    new TouchEvent(kind, { touches: kind === "touchend" ? [] : [touch(y)], cancelable: true, bubbles: true }));
  say("touchstart", 400); say("touchmove", 400 + by); say("touchend", 400 + by);
}"""


def _node(page: Page, title: str) -> Locator:
    return page.locator(".map .hit").filter(has_text=title)


async def _open_map(page: Page) -> None:
    await page.get_by_role("button", name="Map", exact=True).click()
    await page.locator(".map .hit").first.wait_for()


async def test_ui_7_a_node_on_a_phone_opens_a_sheet_with_one_filled_button_which_starts_its_lesson(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with open_course(tmp_path, bayes_url) as taught, open_page(browser, taught.path, size=PHONE) as page:
        await _open_map(page)
        await expect(page.locator(FILLED)).to_have_count(1)
        await _node(page, CONCEPT).press("Enter")
        sheet = page.get_by_role("dialog", name=CONCEPT)
        await expect(sheet).to_contain_text("Ready, 8 parts, 64 min")
        await expect(sheet.locator(FILLED)).to_have_text("Start, about 8 min")
        await expect(sheet).to_contain_text(f"Next: {FIRST}")
        await expect(sheet.get_by_role("link", name="I know this")).to_be_visible()
        await assert_no_overflow(page)
        assert await axe.violations(page) == []
        for _ in range(8):
            await page.keyboard.press("Tab")
            assert await page.evaluate("document.activeElement.closest('dialog') || document.activeElement.tagName")
            assert not await page.evaluate("Boolean(document.activeElement.closest('main > :not(.map), header'))")
        await sheet.locator(FILLED).click()
        await page.wait_for_url("**/learn/*")


async def test_ui_7_the_sheet_closes_by_its_button_by_escape_and_by_a_swipe_and_the_focus_is_back_on_the_node(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with open_course(tmp_path, bayes_url) as taught, open_page(browser, taught.path, size=PHONE) as page:
        await _open_map(page)
        node, sheet = _node(page, CONCEPT), page.get_by_role("dialog")
        for close in ("button", "escape", "swipe"):
            await node.press("Enter")
            await expect(sheet).to_be_visible()
            await page.evaluate(SWIPE_DOWN, 20)
            await expect(sheet).to_be_visible()
            if close == "button":
                await sheet.get_by_role("button", name="Close").click()
            elif close == "escape":
                await page.keyboard.press("Escape")
            else:
                await page.evaluate(SWIPE_DOWN, 200)
            await expect(sheet).to_have_count(0)
            await expect(node).to_be_focused()


async def test_ui_7_the_sheet_of_a_locked_node_turns_to_what_can_be_learned_now_and_leads_there(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with (
        open_course(tmp_path, bayes_url) as taught,
        open_page(browser, taught.path, size=PHONE, scheme="dark", locale="de-DE") as page,
    ):
        await page.get_by_role("button", name="Karte", exact=True).click()
        await _node(page, LOCKED).press("Enter")
        sheet = page.get_by_role("dialog")
        await expect(sheet).to_contain_text("GesperrtDavor kommen noch „Degrees of belief")
        await expect(sheet.locator(FILLED)).to_have_text("Zeig mir, worauf es aufbaut")
        assert await axe.violations(page) == []
        await sheet.locator(FILLED).click()
        await expect(sheet.locator(FILLED)).to_have_text(re.compile("^Anfangen, etwa"))
        await expect(sheet.locator(".sheet-in")).to_be_focused()
        await page.keyboard.press("Tab")
        await expect(sheet.locator(FILLED)).to_be_focused()
        await assert_no_overflow(page)
