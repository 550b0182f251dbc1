"""Every screen and state passes axe, in light and in dark."""

from pathlib import Path

from playwright.async_api import Browser, expect

from sprout.offline.faults import Fault
from sprout.offline.pace import Pace
from tests.browser import DESKTOP, PHONE, open_page
from tests.journeys import axe
from tests.journeys.focus import every_stop_is_seen
from tests.journeys.garden import COURSE, QUICK, Garden, Row, garden
from tests.journeys.processes import OFFLINE
from tests.journeys.screen import more_nodes, picture

SLOW = Fault("slow", pace=Pace(0.1, 60))
ADJUSTED = "(button) => getComputedStyle(button).forcedColorAdjust"


def test_the_vendored_axe_is_what_its_record_says() -> None:
    assert axe.differing() == []


async def test_the_first_run_is_accessible(browser: Browser, tmp_path: Path, sqlite_url: str) -> None:
    builtin: Row = {"base_url": None, "api_key": None}
    async with (
        garden(tmp_path, sqlite_url, **builtin) as grown,
        open_page(browser, grown.url, allow=OFFLINE) as page,
    ):
        await page.get_by_role("heading", name="Or start from one of these").wait_for()
        await axe.passes(page, "first-run")
        await page.get_by_role("button", name="Grow a path").click()
        await page.get_by_role("alert").wait_for()
        await axe.passes(page, "first-run-empty")
        await page.emulate_media(forced_colors="active")
        await picture(page, "first-run-forced-colours")
        for filled in (page.locator(".btn.go"), page.get_by_role("button", name="Full")):
            assert await filled.evaluate(ADJUSTED) == "none"  # or the system lays a plate behind the words
        await page.emulate_media(forced_colors="none")
        await page.context.set_offline(True)
        await page.get_by_label("Topic, question or exam").fill(COURSE)
        await page.get_by_role("button", name="Grow a path").click()
        await page.get_by_role("alert").get_by_role("button", name="Try again").wait_for()
        await page.get_by_role("status").get_by_text("Offline.").wait_for()
        await axe.passes(page, "first-run-offline")


async def test_a_finished_path_is_accessible(browser: Browser, tmp_path: Path, sqlite_url: str) -> None:
    async with garden(tmp_path, sqlite_url, pace=QUICK) as grown:
        await grown.told(await grown.grown(COURSE, small=False))
        async with open_page(browser, await _address(grown, COURSE)) as page:
            await page.get_by_text("Why this path").wait_for()
            await axe.passes(page, "finished")
            await every_stop_is_seen(page)
            await page.keyboard.press("/")
            await expect(page.get_by_role("combobox")).to_be_focused()
            await axe.passes(page, "search")
            await page.keyboard.press("Escape")
            await page.get_by_role("button", name="Show as list").click()
            await page.locator(".stem").wait_for()
            await axe.passes(page, "list")
            await page.locator(".stem a").first.click()
            await page.locator(".side h2").wait_for()
            await axe.passes(page, "concept-list")
            await page.get_by_role("button", name="Map", exact=True).click()
            await page.locator(".map .hit").first.wait_for()
            await axe.passes(page, "concept")


async def test_growing_failed_and_listed_paths_are_accessible(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    async with garden(tmp_path, sqlite_url, pace=QUICK) as grown:
        await grown.told(await grown.grown(COURSE))
        grown.weather.turn("bad_key")
        await grown.told(await grown.grown("Baking bread"))
        async with open_page(browser, await _address(grown, "Baking bread")) as page:
            await page.get_by_role("alert").wait_for()
            await axe.passes(page, "failed")
            grown.weather.turn(SLOW)
            await grown.grown("Water cycle", small=False)
            await page.goto(await _address(grown, "Water cycle"))
            await more_nodes(page, 2)
            await axe.passes(page, "growing")
            await page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
            await every_stop_is_seen(page)
            await page.set_viewport_size({"width": DESKTOP[0], "height": DESKTOP[1]})
            await page.goto(f"{grown.url}/nowhere")
            await page.get_by_role("heading", name="There is no such page").wait_for()
            await axe.passes(page, "unknown")
            await page.goto(grown.url)
            await page.get_by_text("Growing now").wait_for()
            await axe.passes(page, "home")
            await page.get_by_role("button", name="Delete Baking bread").click()
            await page.get_by_role("dialog").wait_for()
            await axe.passes(page, "dialog")


async def _address(grown: Garden, title: str) -> str:
    (branch_id,) = [path["branch"]["id"] for path in await grown.paths() if path["branch"]["title"] == title]
    return f"{grown.url}/paths/{branch_id}"
