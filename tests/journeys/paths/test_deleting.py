"""A path is deleted only after a question."""

from pathlib import Path

from playwright.async_api import Browser, expect

from harness.browser import open_page
from harness.journeys.sprout_server import QUICK_PACE, start_server
from tests.journeys.support.map_view import take_screenshot


async def test_a_path_goes_only_when_the_question_is_answered_with_delete(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    async with start_server(tmp_path, sqlite_url, pace=QUICK_PACE) as grown:
        for topic in ("Bayes", "Python"):
            await grown.events_of(await grown.start_path(topic))
        async with open_page(browser, grown.url) as page:
            bin_button = page.get_by_role("button", name="Delete Bayes")
            dialog = page.get_by_role("dialog", name="Delete “Bayes”?")
            await bin_button.click()
            await take_screenshot(page, "delete")
            await dialog.get_by_role("button", name="Keep it").click()
            await expect(dialog).to_have_count(0)
            await expect(bin_button).to_be_focused()
            await bin_button.click()
            await expect(dialog.get_by_role("button", name="Keep it")).to_be_focused()
            await page.keyboard.press("Escape")
            await expect(dialog).to_have_count(0)
            assert len(await grown.paths()) == 2

            await bin_button.click()
            await dialog.get_by_role("button", name="Delete path").click()
            await expect(page.get_by_role("link", name="Bayes")).to_have_count(0)
            await expect(page.get_by_role("link", name="Python")).to_be_visible()
            assert [path["branch"]["title"] for path in await grown.paths()] == ["Python"]
