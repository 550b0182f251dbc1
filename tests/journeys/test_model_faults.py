"""A model that cannot be used: the page says what to mend, and goes on once it is mended."""

import socket
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from sprout.offline.demo import demo_model
from sprout.offline.server import running_offline_server
from tests.browser import open_page
from tests.journeys.garden import COURSE, QUICK, Row, garden
from tests.journeys.screen import ask, ended, panel, picture, same_as_graph, shown


@pytest.mark.parametrize(
    ("fault", "what_to_do"),
    [("bad_key", "ANTHROPIC_API_KEY"), ("unknown_model", "SPROUT_MODEL"), ("no_credit", "credit")],
)
async def test_a_refused_request_says_what_to_mend_and_trying_again_works_once_it_is(
    browser: Browser, tmp_path: Path, sqlite_url: str, fault: str, what_to_do: str
) -> None:
    async with garden(tmp_path, sqlite_url, pace=QUICK) as grown, open_page(browser, grown.url) as page:
        grown.weather.turn(fault)
        await ask(page, COURSE, short=True)
        told = page.get_by_role("alert").filter(has_text=what_to_do)
        await expect(told).to_be_visible()
        await picture(page, fault.replace("_", "-"))
        grown.weather.clear()
        await told.get_by_role("button", name="Try again").click()
        await ended(page)
        await expect(page.get_by_role("alert")).to_have_count(0)
        same_as_graph(await shown(page), await grown.graph())


async def test_an_unreachable_model_is_tried_again_openly_then_said_and_mended(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings: Row = {"base_url": f"http://127.0.0.1:{port}", "loop": {"overload_retries": 2, "overload_base_s": 3}}
    async with garden(tmp_path, sqlite_url, **settings) as grown, open_page(browser, grown.url) as page:
        await ask(page, COURSE, short=True)
        await expect(panel(page).get_by_text("Trying again in")).to_be_visible()
        told = page.get_by_role("alert").filter(has_text="ANTHROPIC_BASE_URL")
        await expect(told).to_be_visible()
        await picture(page, "unreachable")
        async with running_offline_server(demo_model(), port=port, pace=QUICK):
            await told.get_by_role("button", name="Try again").click()
            await ended(page)
        same_as_graph(await shown(page), await grown.graph())
