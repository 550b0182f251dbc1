"""A topic that the built-in model knows nothing about: said before a path is made, with three ways on."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, FileChooser, Page, expect

from harness.browser import DESKTOP, PHONE, WAIT_MS, open_page
from harness.journeys.sprout_server import SproutServer, start_server
from tests.journeys.support import axe
from tests.journeys.support.map_view import take_screenshot, wait_for_end, wait_for_path

NOTES = Path(__file__).resolve().parents[2] / "offline" / "notes" / "water-cycle.md"
TOPIC = "How do vaccines work?"
REFUSED = ("422",)
COURSES = [
    "Bayesian reasoning",
    "The French Revolution: why it came and what it became",
    "Python: functions, lists and loops",
]
FITS = "document.documentElement.scrollWidth <= innerWidth"


@asynccontextmanager
async def built_in_server(tmp_path: Path, sqlite_url: str) -> AsyncIterator[SproutServer]:
    chosen: dict[str, Any] = {"base_url": None, "api_key": None, "offline_tokens_per_s": 100_000.0}
    async with start_server(tmp_path, sqlite_url, **chosen) as grown:
        yield grown


async def ask(page: Page, topic: str) -> None:
    """Write a topic and press Enter, as a learner does."""
    await page.locator("#topic").fill(topic)
    await page.keyboard.press("Enter")


async def test_the_page_says_so_keeps_the_words_and_makes_no_path(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    async with (
        built_in_server(tmp_path, sqlite_url) as grown,
        open_page(browser, grown.url, allow=REFUSED) as page,
    ):
        await ask(page, TOPIC)
        panel = page.get_by_role("region", name=f"The built-in model knows nothing about “{TOPIC}”")
        await expect(panel.get_by_role("heading", level=2)).to_be_focused()
        await expect(page.locator("#topic")).to_have_value(TOPIC)
        await expect(panel.locator(".courses b")).to_have_text(COURSES)
        await expect(page.get_by_role("heading", name="Or start from one of these")).to_have_count(0)
        assert await grown.paths() == []

        await page.locator("#topic").fill(f"{TOPIC} In short")
        await expect(panel).to_have_count(0)
        await expect(page.get_by_role("heading", name="Or start from one of these")).to_be_visible()


async def test_by_keyboard_alone_notes_are_added_and_the_topic_grows_from_them(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    async with (
        built_in_server(tmp_path, sqlite_url) as grown,
        open_page(browser, grown.url, allow=REFUSED) as page,
    ):
        opened: asyncio.Queue[FileChooser] = asyncio.Queue()
        page.on("filechooser", opened.put_nowait)  # from the beginning: a chooser is seen only once this is in force
        await ask(page, "Where rain comes from")
        await expect(page.locator("#ways-title")).to_be_focused()
        await page.keyboard.press("Tab")
        await expect(page.get_by_role("button", name="Choose files")).to_be_focused()
        await page.keyboard.press("Enter")
        chooser = await asyncio.wait_for(opened.get(), WAIT_MS / 1000)
        await chooser.set_files(NOTES)
        await expect(page.get_by_role("list", name="Your notes").get_by_role("listitem")).to_have_count(1)
        await expect(page.locator(".ways")).to_have_count(0)
        await expect(page.locator("#topic")).to_have_value("Where rain comes from")
        await page.get_by_role("button", name="Grow a path").click()
        await wait_for_path(page)
        await wait_for_end(page)
        graph = await grown.graph()
        assert graph["branch"]["title"] == "Where rain comes from"
        assert len([node for node in graph["nodes"] if node["type"] == "concept"]) >= 4


async def test_a_course_grows_with_one_click_and_the_words_wait_for_the_way_back(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    async with (
        built_in_server(tmp_path, sqlite_url) as grown,
        open_page(browser, grown.url, allow=REFUSED) as page,
    ):
        await ask(page, TOPIC)
        await page.get_by_role("button", name="Grow Bayesian reasoning").click()
        await wait_for_path(page)
        await wait_for_end(page)
        assert (await grown.graph())["branch"]["title"] == "Bayesian reasoning"
        await page.get_by_role("link", name="Paths", exact=True).first.click()
        await expect(page.locator("#topic")).to_have_value(TOPIC)


async def test_after_a_slip_of_spelling_the_course_that_was_meant_comes_first_and_the_others_on_request(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    async with (
        built_in_server(tmp_path, sqlite_url) as grown,
        open_page(browser, grown.url, allow=REFUSED) as page,
    ):
        await ask(page, "Bayseian reasoning")
        courses = page.locator(".ways .courses b")
        await expect(courses).to_have_text(COURSES[:1])
        await expect(page.get_by_text("Close to your words")).to_be_visible()
        await axe.assert_accessible(page, "unknown-topic-near")
        await page.get_by_role("button", name="Show all 3 courses").click()
        await expect(courses).to_have_text(COURSES)


async def test_how_a_model_is_connected_is_one_click_away(browser: Browser, tmp_path: Path, sqlite_url: str) -> None:
    async with (
        built_in_server(tmp_path, sqlite_url) as grown,
        open_page(browser, grown.url, allow=REFUSED) as page,
    ):
        await ask(page, TOPIC)
        await page.get_by_role("link", name="How to connect").click()
        await page.wait_for_url(re.compile("/settings$"))
        await expect(page.get_by_role("region", name="Model")).to_contain_text("ANTHROPIC_API_KEY")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("size", "locale"), [(DESKTOP, "en-US"), (PHONE, "de-DE")], ids=["desktop", "phone"])
async def test_the_panel_is_accessible_and_fits_in_both_languages_and_themes(
    size: tuple[int, int], locale: str, scheme: str, browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    async with (
        built_in_server(tmp_path, sqlite_url) as grown,
        open_page(browser, grown.url, size=size, scheme=scheme, locale=locale, allow=REFUSED) as page,  # type: ignore[arg-type]
    ):
        await ask(page, "Wie wirken Impfungen?")
        words = {"en-US": "The built-in model knows nothing about", "de-DE": "Über „Wie wirken Impfungen?“ weiß"}
        await expect(page.locator("#ways-title")).to_contain_text(words[locale])
        await take_screenshot(page, f"unknown-topic-{size[0]}-{scheme}")
        assert await page.evaluate(FITS)
        if size == PHONE:
            for target in await page.locator(".ways .way-row .btn, .ways .courses .link").all():
                box = await target.bounding_box()
                assert box is not None
                assert box["height"] >= 44
        await axe.assert_accessible(page, f"unknown-topic-{size[0]}-{scheme}")


async def test_a_path_that_another_client_made_empty_leads_to_the_ways_on(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    async with built_in_server(tmp_path, sqlite_url) as grown:
        await grown.events_of(await grown.start_path(TOPIC))
        async with open_page(browser, grown.url, allow=REFUSED) as page:
            await page.get_by_role("link", name=TOPIC, exact=True).click()
            await expect(page.get_by_role("alert")).to_contain_text("knows nothing about “How do vaccines work?”")
            await page.get_by_role("link", name="Add notes, or choose a course").click()
            await expect(page.locator("#topic")).to_have_value(TOPIC)
            await page.get_by_role("button", name="Grow a path").click()
            await expect(page.locator("#ways-title")).to_be_focused()
            assert len(await grown.paths()) == 1
