"""Mix-ups: the beliefs behind wrong answers, on a page of their own and where they belong."""

import io
import json
import re
import zipfile
from pathlib import Path

from playwright.async_api import Browser, Page, expect

from harness.browser import DESKTOP, PHONE, open_page
from harness.journeys.learner import IMMEDIATE, assert_no_overflow
from harness.journeys.sprout_server import SproutServer, start_server
from tests.journeys.accessibility.test_languages import SHOWN, only_english
from tests.journeys.support import axe
from tests.journeys.support.learning_history import CONTRAST, MISCONCEPTIONS
from tests.journeys.support.map_view import take_screenshot


async def test_C2_progress_leads_to_the_mix_ups_and_they_lead_to_the_lesson(
    browser: Browser, tmp_path: Path, past_url: str
) -> None:
    async with start_server(tmp_path, past_url, pace=IMMEDIATE) as grown, open_page(browser, grown.url) as page:
        await page.get_by_role("link", name="Progress").click()
        await page.get_by_role("link", name="See your mix-ups").click()
        await page.wait_for_url("**/progress/mix-ups")
        await expect(page.get_by_role("link", name="Progress", exact=True).first).to_have_attribute(
            "aria-current", "page"
        )
        found = await grown.get("/misconceptions")
        groups = {one["state"] for one in found}
        assert "open" in groups
        headings = page.locator(".mx-group").get_by_role("heading", level=2)
        await expect(headings.first).to_have_text("Still open")
        await expect(headings).to_have_count(len(groups))
        await expect(page.locator(".mx-item")).to_have_count(len(found))
        first = page.get_by_role("region", name="Still open").get_by_role("listitem").first
        await expect(first.locator("blockquote")).to_have_text(f"“{found[0]['statement']}”")
        await expect(first).to_contain_text("It led you to “9”")
        await expect(page.get_by_text(CONTRAST).first).to_be_visible()
        await axe.assert_accessible(page, "mix-ups")
        await first.get_by_role("link", name=re.compile("^Go through")).click()
        await page.wait_for_url("**/learn/*")
        await page.go_back()
        await page.get_by_role("link", name="Back to your progress").click()
        await page.wait_for_url(re.compile("/progress$"))


async def test_C2_on_a_phone_what_comes_next_says_why(browser: Browser, tmp_path: Path, past_url: str) -> None:
    async with (
        start_server(tmp_path, past_url, pace=IMMEDIATE) as grown,
        open_page(browser, f"{grown.url}/progress/mix-ups", size=PHONE) as page,
    ):
        docked = page.locator(".docked .btn.go")
        await expect(docked).to_contain_text("to review")
        await expect(docked.get_by_text("It comes first: this is what you would forget next.")).to_be_in_viewport(
            ratio=1
        )
        await assert_no_overflow(page)


async def test_C2_a_concept_says_which_mix_up_is_open_in_it(browser: Browser, tmp_path: Path, past_url: str) -> None:
    async with start_server(tmp_path, past_url, pace=IMMEDIATE) as grown:
        open_one = next(one for one in await grown.get("/misconceptions") if one["state"] == "open")
        assert open_one["statement"] in MISCONCEPTIONS
        concept = f"{grown.url}/paths/{open_one['branchId']}/concepts/{open_one['conceptId']}"
        for size in (DESKTOP, PHONE):
            async with open_page(browser, concept, size=size) as page:
                await expect(page.get_by_text(f"the idea “{open_one['statement']}”")).to_be_visible()
                await assert_no_overflow(page)
                await take_screenshot(page, f"mix-up-concept-{size[0]}")
                await page.get_by_role("link", name="See your mix-ups").click()
                await page.wait_for_url("**/progress/mix-ups")


async def test_progress_and_mix_ups_have_the_one_next_step_as_their_only_filled_button(
    browser: Browser, tmp_path: Path, past_url: str
) -> None:
    async with start_server(tmp_path, past_url, pace=IMMEDIATE) as grown:
        due = (await grown.get("/next"))["reviews"]["count"]
        for size in (DESKTOP, PHONE):
            for screen in ("progress", "progress/mix-ups"):
                async with open_page(browser, f"{grown.url}/{screen}", size=size) as page:
                    filled = page.locator(".btn.go:visible")
                    await expect(filled).to_have_count(1)
                    await expect(filled).to_contain_text(f"Review {due}, about")
                    await expect(filled).to_be_in_viewport(ratio=1)
                    await assert_no_overflow(page)
                    await expect(filled).to_have_attribute("href", "/review")


async def test_C2_without_any_the_page_says_what_will_stand_there(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    async with (
        start_server(tmp_path, sqlite_url, pace=IMMEDIATE) as grown,
        open_page(browser, f"{grown.url}/progress/mix-ups", allow=("Failed to load resource", "ERR_INTERNET")) as page,
    ):
        await expect(page.get_by_role("heading", name="No mix-ups seen")).to_be_visible()
        await axe.assert_accessible(page, "mix-ups-empty")
        await page.route("**/api/misconceptions", lambda route: route.abort("internetdisconnected"))
        await page.reload()
        await expect(page.get_by_role("alert")).to_contain_text("Sprout")
        await page.unroute("**/api/misconceptions")
        await page.get_by_role("button", name="Try again").click()
        await expect(page.get_by_role("heading", name="No mix-ups seen")).to_be_visible()


async def test_C2_mix_ups_are_whole_on_a_phone_in_the_dark_and_in_german(
    browser: Browser, tmp_path: Path, past_url: str
) -> None:
    async with start_server(tmp_path, past_url, pace=IMMEDIATE) as grown:
        for size, scheme in ((DESKTOP, "light"), (DESKTOP, "dark"), (PHONE, "light"), (PHONE, "dark")):
            async with open_page(browser, f"{grown.url}/progress/mix-ups", size=size, scheme=scheme) as page:  # type: ignore[arg-type]
                await _looked_at(page, f"mix-ups-{scheme}-{size[0]}")
        async with open_page(browser, f"{grown.url}/progress/mix-ups", locale="de-AT") as page:
            await expect(page.get_by_role("heading", name="Noch offen")).to_be_visible()
            await _looked_at(page, "de-mix-ups")
            assert [part for part in only_english() if part in await page.evaluate(SHOWN)] == []


async def _looked_at(page: Page, name: str) -> None:
    await expect(page.locator(".mx-item").first).to_be_visible()
    await assert_no_overflow(page)
    await take_screenshot(page, name)
    await axe.assert_accessible(page, name)


async def test_C2_the_archive_has_what_the_page_shows(tmp_path: Path, past_url: str) -> None:
    async with start_server(tmp_path, past_url, pace=IMMEDIATE) as grown:
        assert await _archived(grown) == await grown.get("/misconceptions")


async def _archived(grown: SproutServer) -> object:
    answer = (await grown.client.get("/api/learner/archive")).raise_for_status()
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert "data/misconceptions.json" not in archive.namelist(), (
            "it names what wrong answers to open questions mean"
        )
        return json.loads(archive.read("data/mix_ups.json"))
