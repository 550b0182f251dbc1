"""Guided reading of one's own notes: the passage, a question about it, and the sentence that settles it afterwards."""

import re
from pathlib import Path

from playwright.async_api import Browser, Locator, Page, expect

from harness.browser import PHONE, open_page
from harness.journeys.learner import (
    IMMEDIATE,
    GrownCourse,
    assert_no_overflow,
    conversation,
    wait_for_effects,
    wait_for_next,
    wait_for_question,
)
from harness.journeys.sprout_server import SproutServer, start_server
from sprout.learning.paths.repository import DEFAULT_USER_ID
from tests.journeys.learning.test_read_aloud import A_VOICE, SAID
from tests.journeys.support.axe import assert_accessible
from tests.journeys.support.map_view import take_screenshot

NOTES = Path(__file__).resolve().parents[2] / "offline" / "notes" / "water-cycle.md"
CONCEPT = "Evaporation"
PART, PLACE = "Residence time", "Where the water is"
PUMP = "The pump moves the water to the tank at night. The tank keeps it for a day and gives it back in the morning. "
DAYS = "\n\n".join(f"On day {day} the miller wrote down how high the water had stood" for day in range(20))
PROSE = f"## The pump\n\n{PUMP * 8}".encode()
FILLED = """() => [...document.querySelectorAll(".btn.go")]
  .filter((one) => one.getBoundingClientRect().top < innerHeight && one.getBoundingClientRect().bottom > 0)
  .map((one) => one.innerText)"""
DIARY = f"## The mill\n\n{DAYS}".encode()


async def test_a_passage_is_read_whole_then_asked_about_and_what_settles_it_is_shown_afterwards_in_results_too(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    async with start_server(tmp_path, sqlite_url, pace=IMMEDIATE) as grown:
        await grown.events_of(await _grow_from_notes(grown))
        taught = GrownCourse(grown, await grown.graph())
        async with open_page(browser, f"{grown.url}/docs") as page:
            await page.add_init_script(A_VOICE)
            await page.goto(taught.lesson(PART))
            first = await wait_for_question(page)
            passage = _passage(page)
            await expect(passage).to_contain_text("Read, then")
            await expect(passage.get_by_role("button", name=f"{NOTES.name}, {PLACE}")).to_be_visible()
            await expect(passage).to_contain_text(_first_words())
            await expect(page.locator("mark")).to_have_count(0)
            await take_screenshot(page, "reading")
            await assert_accessible(page, "reading-axe")
            await _assert_read_aloud_from_its_place(page)

            await page.get_by_role("button", name="Show me and continue").click()
            go_on = page.get_by_role("button", name="Continue")
            await expect(go_on).to_be_visible()
            await expect(passage.locator("mark").first).to_be_visible()
            await expect(conversation(page)).to_contain_text("The passage says:")
            aside = page.get_by_role("textbox", name="Side question")
            await expect(aside).to_have_attribute("placeholder", "Is something still unclear?")
            await take_screenshot(page, "reading-settled")
            await page.reload()
            await expect(passage.locator("mark").first).to_be_visible()
            await expect(page.locator("#answer, .opts")).to_have_count(0)
            await go_on.click()
            second = await wait_for_question(page)
            assert second != first
            await expect(aside).to_have_attribute("placeholder", "Your checkpoint stays open.")
            await expect(passage.locator("mark")).to_have_count(0)
            folded = page.locator("details.reading")
            await expect(folded).to_have_count(1)
            await folded.get_by_text("Show again").click()
            await expect(folded.locator("mark").first).to_be_visible()

            await page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
            await page.reload()
            await wait_for_question(page)
            await expect(passage).to_be_visible()
            await page.evaluate("scrollTo(0, 0)")
            await expect(page.get_by_text("Checkpoint open")).to_be_visible()
            await assert_no_overflow(page)
            await take_screenshot(page, "reading-phone")

            await page.goto(taught.diagnostic(CONCEPT))
            await page.locator("#asked").wait_for()
            while await page.locator("#asked").count():
                before = await page.locator("#asked").inner_text()
                await page.get_by_role("button", name="I don’t know").click()
                await wait_for_next(page, before)
            item = page.locator(".rs-item").filter(has_text="when water evaporates is called ____")
            await expect(item.locator(".rs-why").first).to_contain_text("is called latent heat")
            await item.get_by_text(f"In your notes: {NOTES.name}, Evaporation").click()
            await expect(item.locator(".rs-notes")).to_contain_text("boil")
            await assert_no_overflow(page)


async def test_own_words_stand_beside_what_the_passage_says_and_their_learner_decides(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    async with start_server(tmp_path, sqlite_url, pace=IMMEDIATE) as grown:
        await grown.events_of(await _grow_from_notes(grown, PROSE))
        taught = GrownCourse(grown, await grown.graph())
        async with open_page(browser, taught.diagnostic("The pump")) as page:
            await page.get_by_role("link", name="Start with “The pump”").click()
            await wait_for_question(page)
            await expect(page.get_by_text("Read, then say it in your words")).to_be_visible()
            await page.locator("#answer").fill("It lifts water into the tank at night")
            await page.get_by_role("button", name="Answer", exact=True).first.click()
            await expect(page.get_by_role("heading", name="The passage says")).to_be_visible()
            await expect(page.get_by_role("heading", name="Your answer")).to_be_visible()
            await expect(page.get_by_text("It counts as practice.")).to_be_visible()
            await take_screenshot(page, "reading-compare")
            await assert_accessible(page, "reading-compare-axe")
            await page.get_by_role("button", name="Says the same").click()
            await expect(page.locator(".vd .verdict").last).to_have_text("Compared.")


async def test_on_a_phone_the_long_name_of_a_passage_breaks_its_line(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    name = "Pumps and tanks of the mill that keep the water of the village"
    async with start_server(tmp_path, sqlite_url, pace=IMMEDIATE) as grown:
        await grown.events_of(await _grow_from_notes(grown, f"## {name}\n\n{PUMP * 8}".encode()))
        taught = GrownCourse(grown, await grown.graph())
        async with open_page(browser, f"{taught.path}/concepts/{taught.node(name)['id']}", size=PHONE) as page:
            await page.get_by_role("link", name="Start, about").click()
            place = page.locator(".cites .cite").first
            await expect(place).to_contain_text(name)
            assert await place.evaluate("(one) => one.scrollWidth - one.clientWidth") <= 0
            await assert_no_overflow(page)
            await take_screenshot(page, "reading-long-name")


async def test_Q7_a_concept_that_asks_nothing_offers_its_first_lesson_and_no_diagnostic(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    async with start_server(tmp_path, sqlite_url, pace=IMMEDIATE) as grown:
        await grown.events_of(await _grow_from_notes(grown, DIARY))
        taught = GrownCourse(grown, await grown.graph())
        concept = taught.node("The mill")
        assert concept["id"] in taught.graph["bare"]
        async with open_page(browser, f"{taught.path}/concepts/{concept['id']}") as page:
            await expect(page.locator(".about-go .btn.go")).to_have_text(re.compile("^Start, about"))
            await expect(page.get_by_role("link", name=re.compile("diagnostic"))).to_have_count(0)


async def test_a_lesson_of_reading_alone_goes_from_passage_to_passage_with_one_button_to_its_end(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    async with start_server(tmp_path, sqlite_url, pace=IMMEDIATE) as grown:
        await grown.events_of(await _grow_from_notes(grown, DIARY))
        taught = GrownCourse(grown, await grown.graph())
        async with open_page(browser, taught.diagnostic("The mill")) as page:
            await expect(page.get_by_role("heading", name="No questions before you start")).to_be_visible()
            await assert_accessible(page, "diagnostic-empty-axe")
            await page.get_by_role("link", name="Start with “The mill”").click()
            passage = _passage(page)
            await expect(passage).to_contain_text("Read this, then go on")
            await expect(passage).to_contain_text("On day 0 the miller")
            await expect(page.locator("#answer, .opts")).to_have_count(0)
            await take_screenshot(page, "reading-alone")
            await assert_accessible(page, "reading-alone-axe")
            await page.reload()
            await expect(passage).to_contain_text("On day 0 the miller")
            await page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
            await assert_no_overflow(page)
            await take_screenshot(page, "reading-alone-phone")
            reminder = page.locator(".open-below")
            await page.evaluate("scrollTo(0, 0)")
            down, go_on = reminder.get_by_role("button", name="Read on"), page.get_by_role("button", name="Continue: ")
            await expect(down).to_be_visible()
            await down.focus()
            while await down.count():
                assert await page.evaluate(FILLED) == ["Read on"]
                before = await page.evaluate("scrollY")
                await page.keyboard.press("Enter")
                await page.wait_for_function("(before) => scrollY > before", arg=before)
                await wait_for_effects(page)
                assert await page.evaluate("scrollY") - before < PHONE[1], "no line is passed over"
            await expect(go_on).to_be_in_viewport(ratio=1)
            await expect(go_on).to_be_focused()
            assert await page.evaluate(FILLED) == ["Continue: The mill: “On day 10 the miller …”"]
            await page.keyboard.press("Enter")
            await expect(passage).to_contain_text("On day 19 the miller")
            await expect(page.locator("details.reading")).to_have_count(1)
            await expect(page.locator(".me")).to_have_count(0)
            await page.get_by_role("button", name="Continue", exact=True).click()
            await expect(page.get_by_text("You have read:")).to_be_visible()
            await expect(page.locator(".talk")).to_contain_text("You have read this part of your notes to its end")


async def _assert_read_aloud_from_its_place(page: Page) -> None:
    """The passage of the step is read from its first words; the whole document from where it was opened."""
    begins = _first_words()
    await page.get_by_role("button", name="Read aloud").click()
    while begins not in " ".join(await page.evaluate(SAID)):
        await page.evaluate("window.said.at(-1).onend()")
    await page.get_by_role("button", name="Stop reading").click()
    await _passage(page).get_by_role("button", name=f"{NOTES.name}, {PLACE}").click()
    await page.get_by_role("button", name="Open the document here").click()
    reader = page.get_by_role("dialog")
    await reader.get_by_role("button", name="Read aloud").click()
    here = " ".join((await reader.locator("[aria-current]").inner_text()).split())
    assert str((await page.evaluate(SAID))[-1])[:20] in here
    await page.keyboard.press("Escape")
    await page.wait_for_function("() => window.said.at(-1) === 'cancelled'")


def _passage(page: Page) -> Locator:
    return page.get_by_role("region", name="From your notes")


def _first_words() -> str:
    """The first words of the passage that the part begins with."""
    text = NOTES.read_text().replace("*", "").partition("The residence time is")
    return " ".join((text[1] + text[2]).split()[:8])


async def _grow_from_notes(grown: SproutServer, notes: bytes = NOTES.read_bytes()) -> str:
    """Begin to grow a path from the notes; the id of its run."""
    branch = await grown.post("/branches", {"title": "Water", "userId": DEFAULT_USER_ID})
    about = {"userId": DEFAULT_USER_ID, "type": "root", "title": "Water", "branchId": branch["id"]}
    root = await grown.post("/nodes", about)
    files = {"files": (NOTES.name, notes, "text/markdown")}
    (await grown.client.post(f"/api/nodes/{root['id']}/documents", files=files)).raise_for_status()
    return str((await grown.start_run(root["id"], small=True)).json()["id"])
