"""A diagnostic from the first question to what it changed, and back again."""

import re
from pathlib import Path

from playwright.async_api import Browser, Page, expect

from harness.browser import PHONE, open_page
from harness.journeys.learner import (
    answer_diagnostic,
    compare,
    open_course,
    right_answer,
    wait_for_next,
)
from tests.journeys.support.map_view import take_screenshot

SMALLEST_TARGET = 44
COUNTS = "Turning percentages into counts of people"
CHOOSING = "Yes or no: letting a program choose"
BRIDGE = "Step by step: A comparison gives True or False"
# Wrong on what a comparison gives and on “==”, which builds on it; right on all that is hard.
SLIPS = {"8 >= 8": "`False`", "Which line asks": "`level = 5`"}


async def test_a_diagnostic_goes_by_keyboard_alone_and_a_reload_keeps_the_draft_and_the_place(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with open_course(tmp_path, bayes_url) as taught, open_page(browser, taught.diagnostic(COUNTS)) as page:
        await expect(page.get_by_text("Question 1 of 7")).to_be_visible()
        await expect(page.locator("#asked")).to_be_focused()
        await page.keyboard.press("2")
        await expect(page.get_by_role("radio").nth(1)).to_be_checked()
        await page.keyboard.press("3")
        await page.reload()
        await expect(page.get_by_role("radio").nth(2)).to_be_checked()
        await page.keyboard.press("1")
        await _enter(page)
        await expect(page.get_by_text("Question 2 of 7")).to_be_visible()
        await expect(page.get_by_role("radio", checked=True)).to_have_count(0)
        await page.keyboard.press("Enter")  # nothing is chosen, and the focus is on the question: nothing is sent
        await page.keyboard.press("4")
        await _enter(page)

        await expect(page.get_by_text("Question 3 of 7")).to_be_visible()
        await page.keyboard.press("Tab")
        await expect(page.get_by_label("Your answer")).to_be_focused()
        await page.keyboard.type("0.4")
        await page.reload()
        await expect(page.get_by_text("Question 3 of 7")).to_be_visible()
        await expect(page.get_by_label("Your answer")).to_have_value("0.4")
        await take_screenshot(page, "diagnostic-open")
        await page.get_by_label("Your answer").focus()
        await _enter(page, "Control+Enter")

        await _press(page, "I don’t know")
        await _press(page, "Skip")
        await expect(page.get_by_text("Question 6 of 7")).to_be_visible()
        await page.get_by_role("button", name="Answer").click()
        await expect(page.get_by_role("alert")).to_contain_text("Write an answer")
        await expect(page.get_by_label("Your answer")).to_be_focused()
        await page.keyboard.type(right_answer(await page.locator("#asked").inner_text()))
        await _enter(page, "Control+Enter")
        await page.keyboard.press("Tab")
        await page.keyboard.type("800")
        await _enter(page, "Control+Enter")

        await expect(page.get_by_role("heading", name="Your answers")).to_be_visible()
        items = page.locator(".rs-item")
        await expect(items).to_have_count(7)
        await expect(items.nth(2)).to_contain_text("Right")
        await expect(items.nth(3)).to_contain_text("Left open")
        await expect(items.nth(4)).to_contain_text("Skipped")
        await expect(items.nth(6)).to_contain_text("Not yet")
        await expect(page.locator(".rs-changes .pulse")).to_have_count(0)
        await expect(items.nth(5)).to_contain_text("For you to compare")
        await expect(page.locator(".rs-sum")).to_contain_text("1 answer is for you to compare, below.")
        await expect(page.locator(".rs-sum")).to_contain_text(
            "2 questions were left open. They aren’t marked; they only change what your path brings next."
        )
        await expect(items.nth(5).locator(".pair")).to_contain_text("Your answerIn the headline")
        await expect(items.nth(6).locator(".rs-why")).to_contain_text("30 + 48 = 78")
        await expect(page.locator(".rs-why")).to_have_count(6)
        await take_screenshot(page, "results")
        await compare(items.nth(5), "Says it")
        await expect(items.nth(5).locator(".rs-why")).to_contain_text("A percentage belongs to its whole.")
        await expect(items.nth(5)).to_contain_text("Compared.")
        await expect(items.nth(5)).to_contain_text("the whole in the headlinemet")
        await page.reload()
        await expect(page.locator(".rs-item").nth(5)).to_contain_text("the whole in the headlinemet")
        await expect(page.locator(".cmp")).to_have_count(0)


async def _enter(page: Page, key: str = "Enter") -> None:
    before = await page.locator("#asked").inner_text()
    await page.keyboard.press(key)
    await wait_for_next(page, before)


async def _press(page: Page, name: str) -> None:
    before = await page.locator("#asked").inner_text()
    await page.get_by_role("button", name=name).focus()
    await page.keyboard.press("Enter")
    await wait_for_next(page, before)
    await expect(page.locator("#asked")).to_be_focused()


async def test_who_does_not_know_has_left_the_question_open_whether_by_the_button_or_in_words(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with open_course(tmp_path, bayes_url) as taught, open_page(browser, taught.diagnostic(COUNTS)) as page:
        await page.locator("#asked").wait_for()
        typed = iter(("I don't know", "i dont know.", "I DON’T KNOW!", "I don’t know"))
        while await page.locator("#asked").count():
            if await page.get_by_role("radio").count():
                await _press(page, "I don’t know")
            else:
                await answer_diagnostic(page, next(typed))
        await expect(page.locator(".rs-changes .pulse")).to_have_count(0)
        outcomes = page.locator(".rs-item .chip")
        await expect(outcomes).to_have_text(["Left open"] * 7)
        await expect(page.locator(".rs-sum")).to_have_text(
            "No answer marked"
            "7 questions were left open. They aren’t marked; they only change what your path brings next."
        )
        await expect(page.locator(".rs-said small")).to_have_text(["The answer"] * 7)


async def test_on_a_phone_sure_of_this_is_ticked_by_its_words(browser: Browser, tmp_path: Path, bayes_url: str) -> None:
    async with (
        open_course(tmp_path, bayes_url) as taught,
        open_page(browser, taught.diagnostic(COUNTS), size=PHONE, scheme="dark") as page,
    ):
        sure = page.get_by_role("checkbox", name="I’m sure of this")
        await page.locator(".sure").get_by_text("I’m sure of this").click()
        await expect(sure).to_be_checked()
        box = await page.locator(".sure").bounding_box()
        assert box is not None
        assert box["height"] >= SMALLEST_TARGET
        await take_screenshot(page, "diagnostic-phone-sure")


async def test_a_misconception_brings_a_change_with_its_reason_that_can_be_undone_and_brought_back(
    browser: Browser, tmp_path: Path, python_url: str
) -> None:
    async with open_course(tmp_path, python_url) as taught, open_page(browser, taught.diagnostic(CHOOSING)) as page:
        before = await taught.server.graph()
        await page.locator("#asked").wait_for()
        while await page.locator("#asked").count():
            prompt = await page.locator("#asked").inner_text()
            slip = next((answer for word, answer in SLIPS.items() if word in prompt), None)
            await answer_diagnostic(page, slip or right_answer(prompt))
        change = page.locator(".changes li").filter(has_text=BRIDGE)
        await expect(change).to_contain_text("Added because in two answers")
        await expect(page.locator(".rs-changes .pulse")).to_have_count(0)
        await take_screenshot(page, "results-changed")
        grown = await taught.server.graph()
        assert _titles(grown) == {*_titles(before), BRIDGE}

        await change.get_by_role("button", name="Undo", exact=True).click()
        await expect(change.get_by_role("button", name="Restore", exact=True)).to_be_visible()
        assert _titles(await taught.server.graph()) == _titles(before)
        await change.get_by_role("button", name="Restore", exact=True).click()
        await expect(change.get_by_role("button", name="Undo", exact=True)).to_be_visible()
        again = await taught.server.graph()
        assert (_titles(again), _wires(again)) == (_titles(grown), _wires(grown))

        await change.get_by_role("button", name="Undo", exact=True).click()
        await change.get_by_role("button", name="Restore", exact=True).click()
        await expect(change.get_by_role("button", name="Undo", exact=True)).to_be_visible()
        runs = len(again["runs"])
        await page.reload()
        await expect(change).to_be_visible()
        await expect(page.locator(".rs-changes .pulse")).to_have_count(0)
        assert len((await taught.server.graph())["runs"]) == runs, "the same answers are fitted to once"
        await page.get_by_role("link", name="Back to the concept").click()
        await page.wait_for_url(re.compile(r"/concepts/[^/]+$"))
        bridge = page.locator(f".map .hit[aria-label^='{BRIDGE}']")
        await expect(bridge).to_have_count(1)
        beside = page.get_by_role("complementary", name="About")
        await expect(beside).to_contain_text("Added because in two answers")
        await page.locator(".map .hit[aria-label^='== asks']").click()
        await expect(beside).to_contain_text("1 missed, without help")
        await take_screenshot(page, "concept-fitted")

        await beside.get_by_role("button", name="Undo", exact=True).press("Enter")
        await expect(beside.get_by_role("button", name="Restore", exact=True)).to_be_focused()
        await expect(bridge).to_have_count(0)
        undone = await taught.server.graph()
        assert (_titles(undone), _wires(undone)) == (_titles(before), _wires(before))


def _titles(graph: dict[str, list[dict[str, str]]]) -> set[str]:
    return {node["title"] for node in graph["nodes"]}


def _wires(graph: dict[str, list[dict[str, str]]]) -> set[tuple[str, str]]:
    return {(edge["sourceNodeId"], edge["targetNodeId"]) for edge in graph["edges"]}


async def test_a_contested_question_is_looked_at_again_and_one_can_go_on(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with open_course(tmp_path, bayes_url) as taught, open_page(browser, taught.diagnostic(COUNTS)) as page:
        await page.get_by_role("button", name="Report a problem").click()
        dialog = page.get_by_role("dialog")
        await dialog.get_by_label("In a sentence").fill("There are two ways to read it")
        await page.keyboard.press("1")  # writing in the dialog chooses nothing behind it
        await take_screenshot(page, "contest")
        await dialog.get_by_role("button", name="Send report").click()
        await expect(dialog.get_by_role("status")).not_to_be_empty()
        await dialog.get_by_role("button", name="Continue").click()
        await expect(dialog).to_have_count(0)
        await expect(page.get_by_role("radio", checked=True)).to_have_count(0)
        await expect(page.locator("#asked")).to_be_visible()
