"""Progress and settings: what was learned is seen and taken along, what is kept is told and deleted."""

import re
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Literal

from anki.collection import Collection, ImportAnkiPackageOptions, ImportAnkiPackageRequest
from playwright.async_api import Browser, Download, Page, expect

from harness.browser import DESKTOP, PHONE, open_page
from harness.journeys.learner import IMMEDIATE, assert_no_overflow
from harness.journeys.sprout_server import SproutServer, start_server
from tests.journeys.accessibility.test_languages import SHOWN, only_english
from tests.journeys.support import axe
from tests.journeys.support.learning_history import MEMORY, MISCONCEPTIONS, PATHS, RIGHT
from tests.journeys.support.map_view import take_screenshot
from tests.journeys.support.mirrored_locale import use_mirrored_locale

CHANGED = "Works at a school, and likes examples with pupils."
OFFLINE = ("Failed to load resource", "ERR_INTERNET_DISCONNECTED")


async def _downloaded(page: Page, name: str, *, role: Literal["link", "button"] = "link") -> Download:
    async with page.expect_download() as download:
        await page.get_by_role(role, name=name).click()
    return await download.value


def _answers_in(package: Path, collection: Path, *, field: str = "Answer") -> set[str]:
    """The backs, or another field, of the cards that Anki imports from a package."""
    with closing(Collection(str(collection))) as opened:
        opened.import_anki_package(
            ImportAnkiPackageRequest(package_path=str(package), options=ImportAnkiPackageOptions())
        )
        return {opened.get_note(one)[field] for one in opened.find_notes("")}


async def test_progress_shows_what_was_learned_and_the_answers_behind_it(
    browser: Browser, tmp_path: Path, past_url: str
) -> None:
    async with start_server(tmp_path, past_url, pace=IMMEDIATE) as grown, open_page(browser, grown.url) as page:
        await page.get_by_role("link", name="Progress").click()
        await page.wait_for_url("**/progress")
        weak = page.get_by_role("table", name="Weak spots")
        await expect(weak.get_by_role("button")).to_have_count(4)
        report = await grown.get("/learner/progress")
        learned = [one for one in report["begun"] if one["learned"]]
        await expect(page.locator(".nums dd").first).to_contain_text(f"{len(learned)}")
        chart = page.get_by_role(
            "img", name=re.compile(f"over 12 weeks: from 0 to {len(learned)}, with 4 more in progress")
        )
        await expect(chart).to_have_count(1)
        shown = await weak.get_by_role("img", name="of 100").evaluate_all("all => all.map((one) => one.ariaLabel)")
        assert shown == sorted(shown, key=lambda says: int(says.split()[0])), "lowest first"
        await expect(weak).to_contain_text(MISCONCEPTIONS[0])

        first = weak.get_by_role("button").first
        await first.focus()
        await page.keyboard.press("Enter")
        answers = page.get_by_role("list", name=re.compile("The answers that count for"))
        await expect(answers.get_by_role("listitem")).to_have_count(3)
        await expect(answers.get_by_role("listitem").first).to_contain_text("0 of 100")
        await axe.assert_accessible(page, "progress")
        await page.get_by_text("Show as a table").first.click()
        await expect(page.get_by_role("row", name="today")).to_contain_text(f"{len(learned)}")
        await page.get_by_role("button", name="A year").click()
        await expect(page.get_by_role("heading", name="Weeks you learned")).to_be_visible()
        concepts = page.get_by_role("region", name="Concepts")
        for concept in await concepts.get_by_role("button").all():
            await concept.click()
        await expect(page.get_by_role("link", name=re.compile("^Look again at"))).to_have_count(len(learned))
        await expect(concepts).to_contain_text("Not learned yet: 2 more right answers without help")
        await concepts.get_by_text("Show the answers that count").first.click()
        await expect(concepts.get_by_role("list", name=re.compile("The answers that count for"))).to_be_visible()
        recall = page.get_by_role("region", name="Remembered in reviews")
        await expect(recall).to_contain_text("Too few reviews yet: 0 of the 12")
        await axe.assert_accessible(page, "progress-year")

        title = next(iter(PATHS))
        await page.get_by_label("Path").select_option(title)
        await expect(page.get_by_text("of 9 parts").first).to_be_visible()
        deck = await _downloaded(page, "Anki deck", role="button")
        assert deck.suggested_filename == "sprout-cards.apkg"
        assert _answers_in(await deck.path(), tmp_path / "collection.anki2") == {f"<p>{RIGHT}</p>"}
        assert (await _downloaded(page, "Path as JSON")).suggested_filename == f"{title}.json"
        await page.get_by_role("link", name=re.compile("^Practise")).first.click()
        await page.wait_for_url("**/learn/*")


async def test_O1_the_deck_of_a_concept_is_saved_for_anki_and_nothing_of_it_is_added_again(
    browser: Browser, tmp_path: Path, past_url: str
) -> None:
    async with start_server(tmp_path, past_url, pace=IMMEDIATE) as grown, open_page(browser, grown.url) as page:
        begun = next(one for one in (await grown.get("/learner/progress"))["begun"] if one["learned"])
        await page.goto(f"{grown.url}/paths/{begun['branchId']}/concepts/{begun['conceptId']}")
        deck = await _downloaded(page, "Anki deck of this concept", role="button")
        cards = len(_answers_in(await deck.path(), tmp_path / "collection.anki2", field="Question"))
        assert cards > 0
        await page.get_by_role("button", name="Add questions from a file").click()
        dialog = page.get_by_role("dialog")
        await dialog.locator("input[type=file]").set_input_files(
            {"name": "a.apkg", "mimeType": "", "buffer": (await deck.path()).read_bytes()}
        )
        await expect(dialog.get_by_role("status")).to_have_text(
            re.compile(f"No question added. {cards} were there already.")
        )
        await axe.assert_accessible(page, "questions-from-anki")


async def test_before_anything_was_learned_progress_says_where_to_begin(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    async with (
        start_server(tmp_path, sqlite_url, pace=IMMEDIATE) as grown,
        open_page(browser, f"{grown.url}/progress", allow=OFFLINE) as page,
    ):
        await expect(page.get_by_role("heading", name="Nothing learned yet")).to_be_visible()
        await axe.assert_accessible(page, "progress-empty")
        await page.get_by_role("main").get_by_role("link", name="Go to your paths").click()
        await expect(page.get_by_label("Topic, question or exam")).to_be_visible()
        await page.route("**/api/learner/progress", lambda route: route.abort("internetdisconnected"))
        await page.get_by_role("link", name="Progress").click()
        await expect(page.get_by_role("alert")).to_contain_text("Sprout")
        await axe.assert_accessible(page, "progress-failed")
        await page.unroute("**/api/learner/progress")
        await page.get_by_role("button", name="Try again").click()
        await expect(page.get_by_role("heading", name="Nothing learned yet")).to_be_visible()


async def test_settings_tell_what_is_set_and_keep_what_is_chosen(
    browser: Browser, tmp_path: Path, past_url: str
) -> None:
    budgets = {"learner_usd_per_day": 2.0, "learner_tokens_per_day": 100_000}
    async with (
        start_server(tmp_path, past_url, pace=IMMEDIATE, budgets=budgets) as grown,
        open_page(browser, grown.url) as page,
    ):
        await expect(page.get_by_role("heading", level=1)).to_be_visible()
        await page.get_by_role("banner").get_by_role("link", name="Settings").click()
        await expect(page.get_by_role("region", name="Model")).to_contain_text("The server 127.0.0.1")
        await expect(page.get_by_role("region", name="Budgets")).to_contain_text("$0.00 of $2.00")
        await page.get_by_text("How to change them").click()
        await expect(page.get_by_role("row", name="SPROUT_BUDGETS__LEARNER_USD_PER_DAY")).to_contain_text("2")
        await axe.assert_accessible(page, "settings")
        await page.emulate_media(color_scheme="light")
        await page.get_by_role("radio", name="System").focus()
        await page.keyboard.press("ArrowLeft")
        await expect(page.locator("html")).to_have_attribute("data-theme", "dark")
        await expect(page.get_by_role("button", name="Change to light theme")).to_be_visible()
        await page.reload()
        await expect(page.get_by_role("radio", name="Dark")).to_be_checked()
        await page.get_by_text("System", exact=True).click()
        await expect(page.locator("html:not([data-theme])")).to_have_count(1)

        memory = page.get_by_role("region", name="What Sprout remembers about you")
        await expect(memory).to_contain_text(MEMORY)
        await memory.get_by_role("button", name="Change").click()
        await expect(memory.get_by_label("What Sprout should remember")).to_be_focused()
        await page.keyboard.press("Control+a")
        await page.keyboard.type(CHANGED)
        await page.keyboard.press("Control+Enter")
        await expect(memory.get_by_role("button", name="Change")).to_be_focused()
        await expect(memory).to_contain_text(CHANGED)
        await expect(memory).to_contain_text("in your words")
        await memory.get_by_role("button", name="Forget").click()
        await expect(memory).to_contain_text("Nothing yet.")
        await expect(memory.get_by_role("heading")).to_be_focused()
        assert await grown.get("/memories") == []


async def test_everything_is_taken_along_and_then_deleted_after_a_word(
    browser: Browser, tmp_path: Path, past_url: str
) -> None:
    async with (
        start_server(tmp_path, past_url, pace=IMMEDIATE) as grown,
        open_page(browser, f"{grown.url}/settings") as page,
    ):
        file = await (await _downloaded(page, "Download everything")).path()
        with zipfile.ZipFile(file) as archive:
            assert MEMORY in archive.read("data/learner_memories.json").decode()
        await page.evaluate("localStorage.setItem('sprout.draft.x', 'half a sentence')")
        delete = page.get_by_role("main").get_by_role("button", name="Delete everything")
        dialog = page.get_by_role("dialog", name="Delete everything Sprout knows about you?")
        await delete.click()
        await expect(dialog).to_contain_text("2 paths")
        await axe.assert_accessible(page, "delete")
        await page.keyboard.press("Escape")
        await expect(delete).to_be_focused()
        assert len(await _paths(grown)) == 2

        await page.keyboard.press("Enter")
        await expect(dialog.get_by_label("Type “delete” to continue")).to_be_focused()
        await page.keyboard.type("delte")
        await page.keyboard.press("Enter")
        await expect(dialog.get_by_role("button", name="Delete everything")).to_be_disabled()
        await page.keyboard.press("ControlOrMeta+A")
        await page.keyboard.type("Delete ")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("heading", name="Everything is deleted")).to_be_visible()
        await expect(page.get_by_role("main")).to_be_focused()
        assert await _paths(grown) == []
        assert await page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('sprout.draft'))") == []
        await axe.assert_accessible(page, "deleted")
        await page.get_by_role("link", name="Start over").click()
        await expect(page.get_by_role("img", name="A seed in the ground")).to_be_visible()


async def test_progress_and_settings_are_whole_in_german_and_from_right_to_left(
    browser: Browser, tmp_path: Path, past_url: str
) -> None:
    async with start_server(tmp_path, past_url, pace=IMMEDIATE) as grown:
        async with open_page(browser, f"{grown.url}/progress", locale="de-AT") as page:
            await page.get_by_role("table", name="Schwachstellen").get_by_role("button").first.click()
            await page.get_by_role("region", name="Konzepte").get_by_role("button").first.click()
            await _looked_at(page, "de-progress", ".ev-list")
            assert [part for part in only_english() if part in await page.evaluate(SHOWN)] == []
            await page.get_by_role("link", name="Einstellungen").first.click()
            await _looked_at(page, "de-settings", ".st-do")
            assert [part for part in only_english() if part in await page.evaluate(SHOWN)] == []
            await page.get_by_label("Sprache").select_option("English")
            await page.get_by_role("heading", name="What Sprout remembers about you").wait_for()
        async with open_page(browser, f"{grown.url}/progress") as page:
            await use_mirrored_locale(page)
            await page.locator(".spot-t").first.click()
            await _looked_at(page, "rtl-progress", ".ev-list")
            await page.goto(f"{grown.url}/settings")
            await _looked_at(page, "rtl-settings", ".st-do")


async def _looked_at(page: Page, name: str, shown: str) -> None:
    """Once this is shown: a picture, wide and narrow; nothing scrolls sideways in either."""
    await page.locator(shown).first.wait_for()
    for width, height in (PHONE, DESKTOP):
        await page.set_viewport_size({"width": width, "height": height})
        await take_screenshot(page, f"{name}-{width}")
        await assert_no_overflow(page)


async def _paths(grown: SproutServer) -> list[str]:
    return [path["branch"]["title"] for path in await grown.paths()]
