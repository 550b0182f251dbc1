"""Every screen and state passes axe, in light and in dark."""

from pathlib import Path

from playwright.async_api import Browser, expect

from harness.browser import DESKTOP, PHONE, open_page
from harness.journeys.sprout_server import COURSE, QUICK_PACE, Row, SproutServer, start_server
from sprout.offline.faults.scenarios import Fault
from sprout.offline.pace import Pace
from tests.journeys.support import axe
from tests.journeys.support.focus_order import walk_focus_stops
from tests.journeys.support.map_view import show_run, take_screenshot, wait_for_nodes
from tests.journeys.support.processes import OFFLINE_ERRORS

SLOW = Fault("slow", pace=Pace(0.1, 60))
ADJUSTED = "(button) => getComputedStyle(button).forcedColorAdjust"


def test_the_vendored_axe_is_what_its_record_says() -> None:
    assert axe.changed_files() == []


async def test_the_first_run_is_accessible(browser: Browser, tmp_path: Path, sqlite_url: str) -> None:
    builtin: Row = {"base_url": None, "api_key": None}
    async with (
        start_server(tmp_path, sqlite_url, **builtin) as grown,
        open_page(browser, grown.url, allow=OFFLINE_ERRORS) as page,
    ):
        await page.get_by_role("heading", name="Or start from one of these").wait_for()
        await axe.assert_accessible(page, "first-run")
        await page.get_by_role("button", name="Grow a path").click()
        await page.get_by_role("alert").wait_for()
        await axe.assert_accessible(page, "first-run-empty")
        await page.emulate_media(forced_colors="active")
        await take_screenshot(page, "first-run-forced-colours")
        for filled in (page.locator(".btn.go"), page.get_by_role("button", name="Full")):
            assert await filled.evaluate(ADJUSTED) == "none"  # or the system lays a plate behind the words
        await page.emulate_media(forced_colors="none")
        await page.context.set_offline(True)
        await page.get_by_label("Topic, question or exam").fill(COURSE)
        await page.get_by_role("button", name="Grow a path").click()
        await page.get_by_role("alert").get_by_role("button", name="Try again").wait_for()
        await page.get_by_role("status").get_by_text("Offline.").wait_for()
        await axe.assert_accessible(page, "first-run-offline")


async def test_a_button_that_waits_is_readable_under_the_pointer(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    async with start_server(tmp_path, sqlite_url) as grown, open_page(browser, grown.url) as page:
        grow = page.get_by_role("button", name="Grow a path")
        await grow.hover()
        await grow.evaluate("(button) => { button.disabled = true; }")
        await expect(grow).to_have_css("background-color", "rgba(0, 0, 0, 0)")  # axe passes over disabled buttons


async def test_a_finished_path_is_accessible(browser: Browser, tmp_path: Path, sqlite_url: str) -> None:
    async with start_server(tmp_path, sqlite_url, pace=QUICK_PACE) as grown:
        await grown.events_of(await grown.start_path(COURSE, small=False))
        async with open_page(browser, await _address(grown, COURSE)) as page:
            await page.locator(".next-panel .btn.go").wait_for()
            await axe.assert_accessible(page, "next")
            await show_run(page)
            await page.get_by_text("Why this path").wait_for()
            await axe.assert_accessible(page, "finished")
            await walk_focus_stops(page)
            await page.keyboard.press("/")
            await expect(page.get_by_role("combobox")).to_be_focused()
            await axe.assert_accessible(page, "search")
            await page.keyboard.press("Escape")
            await page.get_by_role("button", name="Show as list").click()
            await page.locator(".stem").wait_for()
            await axe.assert_accessible(page, "list")
            await page.locator(".stem a").first.click()
            await page.locator(".side h2").wait_for()
            await axe.assert_accessible(page, "concept-list")
            await page.get_by_role("button", name="Map", exact=True).click()
            await page.locator(".map .hit").first.wait_for()
            await axe.assert_accessible(page, "concept")


async def test_growing_failed_and_listed_paths_are_accessible(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    async with start_server(tmp_path, sqlite_url, pace=QUICK_PACE) as grown:
        await grown.events_of(await grown.start_path(COURSE))
        grown.faults.set_fault("bad_key")
        await grown.events_of(await grown.start_path("Baking bread"))
        async with open_page(browser, await _address(grown, "Baking bread")) as page:
            await page.get_by_role("alert").wait_for()
            await axe.assert_accessible(page, "failed")
            grown.faults.set_fault(SLOW)
            await grown.start_path("Python", small=False)
            await page.goto(await _address(grown, "Python"))
            await wait_for_nodes(page, 2)
            await axe.assert_accessible(page, "growing")
            await page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
            await walk_focus_stops(page)
            await page.set_viewport_size({"width": DESKTOP[0], "height": DESKTOP[1]})
            await page.goto(f"{grown.url}/nowhere")
            await page.get_by_role("heading", name="This page doesn’t exist").wait_for()
            await axe.assert_accessible(page, "unknown")
            await page.goto(grown.url)
            await page.get_by_text("Growing now").wait_for()
            await axe.assert_accessible(page, "home")
            await page.get_by_role("button", name="Delete Baking bread").click()
            await page.get_by_role("dialog").wait_for()
            await axe.assert_accessible(page, "dialog")


async def _address(grown: SproutServer, title: str) -> str:
    (branch_id,) = [path["branch"]["id"] for path in await grown.paths() if path["branch"]["title"] == title]
    return f"{grown.url}/paths/{branch_id}"
