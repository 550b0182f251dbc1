"""Placement: a learner finds where they start, leaves it and takes it up, and overrules what was found."""

import re
from pathlib import Path

from playwright.async_api import Browser, Page, expect

from harness.browser import PHONE, open_page
from harness.journeys.learner import assert_no_overflow, open_course, right_answer
from tests.journeys.accessibility.test_languages import SHOWN, only_english
from tests.journeys.support import axe

KNOWN = "Turning percentages into counts of people"
KNOWN_TOO = "Degrees of belief: saying how sure you are"
MOSTLY = 6  # of its eight parts
PART = "A percentage is a count out of a hundred"


async def _answer(page: Page) -> None:
    """Answer the open question: right where it is about a concept that the learner knows."""
    before = await page.locator(".rv-count span").inner_text()
    if not (await page.locator(".rv-of").inner_text()).startswith((KNOWN, KNOWN_TOO)):
        await page.get_by_role("button", name="I don’t know").click()
    else:
        await _answer_right(page)
    gone = "before => document.querySelector('.rv-count span')?.textContent !== before"
    await page.wait_for_function(gone, arg=before)


async def _answer_right(page: Page) -> None:
    answer = right_answer(await page.locator(".rv-q .say-lg").inner_text())
    options = page.locator(".opt")
    if await options.count():
        texts = [text.strip() for text in await page.locator(".opt .say").all_inner_texts()]
        await page.keyboard.press(str(texts.index(answer) + 1))
        await page.keyboard.press("Enter")
    else:
        await page.locator("#rv-words").fill(answer)
        await page.keyboard.press("Control+Enter")


async def test_P1_a_learner_finds_where_they_start_leaves_it_takes_it_up_and_overrules_a_part(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with open_course(tmp_path, bayes_url) as taught, open_page(browser, taught.path) as page:
        panel = page.get_by_role("complementary", name="Next")
        await expect(panel).to_contain_text("What you know already is marked")
        await panel.get_by_role("link", name="Find out").click()
        await page.wait_for_url("**/start")
        await _answer(page)
        await expect(page.get_by_text("1 answered")).to_be_visible()

        await page.get_by_role("link", name="Finish later").click()
        await panel.get_by_role("link", name="More questions", exact=True).click()
        await expect(page.get_by_text("1 answered")).to_be_visible()
        await axe.assert_accessible(page, "placement-question")
        await expect(page.get_by_text("“I don’t know” says that it is new to you; “Skip” leaves")).to_be_visible()
        field = page.get_by_label("Your answer")
        while not await field.count():
            await _answer(page)
        await expect(field).to_have_accessible_description(re.compile("^(A number|A word)"))
        while await page.locator(".rv-q").count():
            await _answer(page)

        await expect(page.get_by_role("heading", level=1)).to_be_focused()
        await expect(page.get_by_role("heading", level=1)).to_contain_text("You know")
        concept = page.locator(".pl-concept").filter(has=page.get_by_role("heading", name=KNOWN))
        summary = concept.locator("summary span")
        found = await summary.inner_text()
        known = int(found.split()[0])
        assert known >= MOSTLY, found
        inferred = await page.get_by_text("Known, not asked").count()
        assert inferred > 0, "a third of the questions cannot ask about all"
        await expect(page.get_by_text(f"Nothing was asked about {inferred} of them")).to_be_visible()
        on_map = page.get_by_role("region", name="Map").get_by_role("button", name=KNOWN)
        await expect(on_map).to_have_accessible_name(re.compile(f"{known} of 8"))
        await axe.assert_accessible(page, "placement-result")

        overruled = concept.get_by_role("button", name="I don’t know this").first
        part = (await overruled.get_attribute("aria-label") or "").partition(": ")[2]
        await overruled.click()
        await expect(summary).to_have_text(f"{known - 1} of 8 known")
        await expect(on_map).to_have_accessible_name(re.compile(f"{known - 1} of 8"))
        await page.get_by_role("button", name=f"Undo: {part}").click()
        await expect(summary).to_have_text(found)

        await page.get_by_role("link", name="Back to the path").click()
        await panel.get_by_role("link", name="Find where you start").click()
        await expect(page.get_by_role("heading", level=1)).to_contain_text("You know")


async def test_P1a_i_know_this_asks_two_questions_on_a_phone_and_says_what_came_of_it(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with (
        open_course(tmp_path, bayes_url) as taught,
        open_page(browser, taught.path, size=PHONE, scheme="dark", locale="de-DE") as page,
    ):
        await expect(page.locator(".phone .find-start")).to_contain_text("wo du anfängst")
        await page.goto(f"{taught.path}/concepts/{taught.node(KNOWN)['id']}")
        await page.locator("a.know").first.click()
        await page.wait_for_url("**/start/*")
        await expect(page.get_by_text("0 beantwortet, höchstens 2")).to_be_visible()
        await assert_no_overflow(page)
        await _answer_right(page)
        await expect(page.get_by_text("1 beantwortet, höchstens 2")).to_be_visible()
        await _answer_right(page)
        await expect(page.get_by_role("heading", level=1)).to_contain_text("Du kannst „")
        await assert_no_overflow(page)
        await axe.assert_accessible(page, "placement-check")
        shown = await page.evaluate(SHOWN)
        assert [part for part in only_english() if part in shown] == []
        await page.reload()
        await expect(page.get_by_role("heading", level=1)).to_contain_text("Du kannst „")


async def test_P1a_what_is_not_shown_stays_on_the_path_unless_the_learner_says_otherwise(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with open_course(tmp_path, bayes_url) as taught:
        url = f"{taught.path}/start/{taught.node(PART)['id']}"
        async with open_page(browser, url) as page:
            await page.get_by_role("button", name="I don’t know").click()
            await expect(page.get_by_role("heading", level=1)).to_contain_text("stays on your path")
            await page.get_by_role("button", name=f"I know this: {PART}").click()
            await expect(page.get_by_text("You say you know it.")).to_be_visible()
        progress = (await taught.server.graph())["progress"]
        assert taught.node(PART)["id"] in {row["nodeId"] for row in progress if row["completedAt"]}
