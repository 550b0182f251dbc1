"""Diagnostic and lesson pass axe in both themes, wide and narrow; nothing scrolls sideways; no mouse is needed."""

from pathlib import Path

from playwright.async_api import Browser, Page, expect

from harness.browser import open_page
from harness.journeys.learner import (
    checkpoint,
    compare,
    open_course,
    right_answer,
    submit_answer,
    wait_for_next,
    wait_for_question,
)
from tests.journeys.support import axe
from tests.journeys.support.announcements import announcements, start_listening
from tests.journeys.support.focus_order import walk_focus_stops

COUNTS, TREE = "Turning percentages into counts of people", "Drawing the splits as a tree"
CALL = "A call: name, brackets, inputs"
NARROWEST = 320
TOLD = (
    "Loading your lesson",
    "The tutor is getting ready",
    "Thinking",
    "Reading your answer",
    "The tutor has answered",
    "Point ",
    "2 of 2 compared.",
    "3 of 3 compared.",
)
MOST_TABS = 40
LARGEST_ROUNDS = 12


async def test_a_diagnostic_and_its_results_are_accessible(browser: Browser, tmp_path: Path, bayes_url: str) -> None:
    async with open_course(tmp_path, bayes_url) as taught, open_page(browser, taught.diagnostic(COUNTS)) as page:
        await page.get_by_role("radio").first.wait_for()
        await page.keyboard.press("2")
        await axe.assert_accessible(page, "diagnostic-choice")
        await page.get_by_role("button", name="Report a problem").click()
        await page.get_by_role("dialog").wait_for()
        await axe.assert_accessible(page, "contest")
        await page.keyboard.press("Escape")
        await page.get_by_role("button", name="Answer").click()
        await expect(page.get_by_text("Question 2 of 7")).to_be_visible()
        while await page.get_by_role("radio").count():
            await _not_known(page)
        await page.get_by_role("button", name="Answer").click()
        await page.get_by_role("alert").wait_for()
        await axe.assert_accessible(page, "diagnostic-open")
        while await page.locator("#asked").count():
            await _not_known(page)
        await expect(page.locator(".rs-changes .pulse")).to_have_count(0)
        await axe.assert_accessible(page, "results")


async def _not_known(page: Page) -> None:
    before = await page.locator("#asked").inner_text()
    await page.get_by_role("button", name="I don’t know").click()
    await wait_for_next(page, before)


async def test_a_lesson_is_accessible_with_each_kind_of_checkpoint_and_at_its_end(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with open_course(tmp_path, bayes_url) as taught, open_page(browser, taught.lesson(TREE)) as page:
        for name in ("gap", "choice", "drawing", "words"):
            asked = await wait_for_question(page)
            await axe.assert_accessible(page, f"lesson-{name}")
            await walk_focus_stops(page)
            if name == "words":
                await page.locator("#answer").fill("The percentages have different wholes.")
                await page.keyboard.press("Control+Enter")
                await page.locator(".cmp").wait_for()
                await axe.assert_accessible(page, "lesson-compare")
                await walk_focus_stops(page)
                await compare(checkpoint(page), "Partly")
            else:
                await submit_answer(page, right_answer(asked))
        for _ in range(LARGEST_ROUNDS):
            if await page.get_by_text("This lesson is finished.").count():
                break
            await submit_answer(page, right_answer(await wait_for_question(page)))
        await page.get_by_text("This lesson is finished.").wait_for()
        await axe.assert_accessible(page, "lesson-finished")


async def test_a_lesson_on_code_is_accessible_with_help_and_a_side_question(
    browser: Browser, tmp_path: Path, python_url: str
) -> None:
    async with open_course(tmp_path, python_url) as taught, open_page(browser, taught.lesson(CALL)) as page:
        await wait_for_question(page)
        while not await checkpoint(page).get_by_label("Your code").count():
            await submit_answer(page, right_answer(await wait_for_question(page)))
        await submit_answer(page, "print(round(price))")
        await page.locator("#side").fill("What is a name?")
        await page.get_by_role("button", name="Ask", exact=True).click()
        await expect(page.locator(".notes .say")).to_have_count(1)
        await wait_for_question(page)
        await axe.assert_accessible(page, "lesson-code")


async def test_a_whole_lesson_goes_by_keyboard_alone(browser: Browser, tmp_path: Path, bayes_url: str) -> None:
    async with open_course(tmp_path, bayes_url) as taught, open_page(browser, taught.path) as page:
        await page.goto(taught.lesson(TREE))
        await start_listening(page)
        await wait_for_question(page)
        for _ in range(LARGEST_ROUNDS):
            if await page.get_by_text("This lesson is finished.").count():
                break
            asked = await wait_for_question(page)
            if await checkpoint(page).get_by_role("radio").count():
                names = await checkpoint(page).locator(".opt .say").all_inner_texts()
                await page.keyboard.press(str(names.index(right_answer(asked)) + 1))
                await page.keyboard.press("Enter")
            else:
                await _tab_to(page, "#answer")
                await page.keyboard.type(right_answer(asked))
                await page.keyboard.press("Control+Enter")
                await expect(page.locator(".tu [aria-busy]")).to_have_count(0)
                if await page.locator(".cmp").count():
                    await _compare_by_keyboard(page)
            await page.wait_for_function(
                "(before) => document.querySelector('.cp .q')?.innerText !== before", arg=asked
            )
            await expect(page.locator(".tu [aria-busy]")).to_have_count(0)
        await expect(page.get_by_role("region", name="This lesson is finished.")).to_be_focused()
        assert [words for words in await announcements(page) if not words.startswith(TOLD)] == []
        await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")
        await expect(page.locator("h1")).not_to_have_text(TREE)


async def _compare_by_keyboard(page: Page) -> None:
    """Say of every criterion that the answer meets it."""
    for number in range(await page.locator(".cmp-point").count()):
        await _tab_to(page, f".cmp-point:nth-of-type({number + 1}) .cmp-marks input")
        await page.keyboard.press("Space")
    await _tab_to(page, ".cmp .btn.go")
    await page.keyboard.press("Enter")


async def _tab_to(page: Page, selector: str) -> None:
    """Press Tab until the focus is there."""
    for _ in range(MOST_TABS):
        if await page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
            return
        await page.keyboard.press("Tab")
    raise AssertionError(f"{MOST_TABS} times Tab do not lead to {selector}")
