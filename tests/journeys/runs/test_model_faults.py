"""A model that cannot be used: the page says what to mend, and goes on once it is mended."""

from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from harness.browser import PHONE, open_page
from harness.free_port import free_port
from harness.journeys.learner import assert_no_overflow
from harness.journeys.sprout_server import COURSE, QUICK_PACE, Row, start_server
from sprout.offline.demo.router import demo_model
from sprout.offline.server import running_offline_server
from tests.journeys.support import axe
from tests.journeys.support.map_view import (
    assert_same_as_graph,
    panel,
    read_map,
    start_topic,
    take_screenshot,
    wait_for_end,
)


@pytest.mark.parametrize(
    ("fault", "what_to_do"),
    [("bad_key", "ANTHROPIC_API_KEY"), ("unknown_model", "SPROUT_MODEL"), ("no_credit", "credit")],
)
async def test_a_refused_request_says_what_to_mend_and_trying_again_works_once_it_is(
    browser: Browser, tmp_path: Path, sqlite_url: str, fault: str, what_to_do: str
) -> None:
    async with start_server(tmp_path, sqlite_url, pace=QUICK_PACE) as grown, open_page(browser, grown.url) as page:
        grown.faults.set_fault(fault)
        await start_topic(page, COURSE, short=True)
        alert = page.get_by_role("alert").filter(has_text=what_to_do)
        await expect(alert).to_be_visible()
        await take_screenshot(page, fault.replace("_", "-"))
        retry = page.get_by_role("button", name="Try again")
        await expect(retry).to_have_count(1)
        await expect(page.locator(".btn.go:visible")).to_have_text(["Try again"])
        grown.faults.clear()
        await alert.get_by_role("button", name="Try again").click()
        await wait_for_end(page)
        await expect(page.get_by_role("alert")).to_have_count(0)
        assert_same_as_graph(await read_map(page), await grown.graph())


async def test_an_unreachable_model_is_tried_again_openly_then_said_and_mended(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    port = free_port()
    settings: Row = {"base_url": f"http://127.0.0.1:{port}", "loop": {"overload_retries": 2, "overload_base_s": 3}}
    async with start_server(tmp_path, sqlite_url, **settings) as grown, open_page(browser, grown.url) as page:
        await start_topic(page, COURSE, short=True)
        await expect(panel(page).get_by_text("Trying again in")).to_be_visible()
        alert = page.get_by_role("alert").filter(has_text="ANTHROPIC_BASE_URL")
        await expect(alert).to_be_visible()
        await take_screenshot(page, "unreachable")
        async with running_offline_server(demo_model(), port=port, pace=QUICK_PACE):
            await alert.get_by_role("button", name="Try again").click()
            await wait_for_end(page)
        assert_same_as_graph(await read_map(page), await grown.graph())


async def test_O7_a_model_that_calls_no_tools_is_said_so_in_the_settings_and_beside_grow(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    async with start_server(tmp_path, sqlite_url, pace=QUICK_PACE, model="local-model") as grown:
        grown.faults.set_fault("tools_dropped")
        async with open_page(browser, f"{grown.url}/settings", size=PHONE) as page:
            await expect(page.get_by_text("local-model: not tested yet")).to_be_visible()
            button = page.get_by_role("button", name="Test the models")
            await button.focus()
            await page.keyboard.press("Enter")
            await expect(page.get_by_text("local-model calls no tools")).to_be_visible()
            await assert_no_overflow(page)
            await axe.assert_accessible(page, "model probes")
            await take_screenshot(page, "model-probes")
            await page.goto(grown.url)
            await expect(page.get_by_text("no path can be made with it: choose another model")).to_be_visible()
            await assert_no_overflow(page)
            await take_screenshot(page, "unfit-model")
