"""Failures in the middle of a lesson: the page, the server's process, the network, the model."""

import re
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from harness.browser import open_page
from harness.journeys.learner import (
    GrownCourse,
    checkpoint,
    conversation,
    open_course,
    right_answer,
    submit_answer,
    wait_for_question,
    wrong_answers,
)
from harness.journeys.sprout_server import Row
from sprout.offline.faults.scenarios import Fault
from sprout.offline.pace import Pace
from tests.journeys.support.map_view import take_screenshot
from tests.journeys.support.processes import CONNECTION_ERRORS, OFFLINE_ERRORS, server_at, start_process
from tests.project.commands import kill

PER_CENT = "A percentage is a count out of a hundred"
SLOWLY = Fault("slow", pace=Pace(0.2, 30))
LIVE = ".msg[aria-live=off]"
HELD_STREAM = """
window.held = null;
const { addEventListener } = EventSource.prototype;
EventSource.prototype.addEventListener = function (kind, hear) {
  addEventListener.call(this, kind, (event) => (held ? held.push(() => hear(event)) : hear(event)));
};
"""
RELEASED = """() => {
  const button = document.querySelector(".cp button[type=submit]");
  const seen = [];
  new MutationObserver(() => seen.push(button.disabled)).observe(button, { attributeFilter: ["disabled"] });
  const next = (resolve) => {
    if (!held.length) return resolve(seen);
    held.shift()();
    requestAnimationFrame(() => requestAnimationFrame(() => next(resolve)));
  };
  return new Promise(next);
}"""
SOON: Row = {"loop": {"overload_retries": 1, "overload_base_s": 0.05, "rate_limit_retries": 1}}


async def _said(page: Page) -> list[str]:
    """Messages of the conversation, once the tutor is silent."""
    await wait_for_question(page)
    await expect(page.locator(LIVE)).to_have_count(0)
    return await page.locator(".talk .msg, .talk .me, .cp .q").all_inner_texts()


async def _answering(page: Page, text: str) -> None:
    """Answer, and come back while the tutor is speaking."""
    await page.locator("#answer").fill(text)
    await checkpoint(page).get_by_role("button", name="Answer").press("Enter")
    await page.locator(LIVE).wait_for()


async def test_V2_a_reload_and_a_second_tab_in_mid_turn_end_in_the_same_picture(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with (
        open_course(tmp_path, bayes_url) as taught,
        open_page(browser, taught.lesson(PER_CENT)) as page,
    ):
        asked = await wait_for_question(page)
        async with open_page(browser, page.url) as second, open_page(browser, page.url) as reloaded:
            assert await wait_for_question(second) == asked == await wait_for_question(reloaded)
            taught.server.faults.set_fault(SLOWLY)
            await _answering(page, wrong_answers(asked)[0])
            await second.locator(LIVE).wait_for()
            await reloaded.reload()
            await expect(reloaded.locator("#answer")).to_be_attached()
            await expect(conversation(page)).to_contain_text("That is not right yet")
            pictures = [await _said(each) for each in (page, second, reloaded)]
            assert pictures[0] == pictures[1] == pictures[2]
            assert len(pictures[0]) == len(set(pictures[0])), "nothing stands twice"
            await expect(second.locator(".talk > .vh[role=status]")).to_have_text("The tutor has answered")


async def test_events_that_come_after_their_reply_lock_no_button_again(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with (
        open_course(tmp_path, bayes_url) as taught,
        open_page(browser, f"{taught.server.url}/docs") as page,
    ):
        await page.context.add_init_script(HELD_STREAM)
        await page.goto(taught.lesson(PER_CENT))
        await wait_for_question(page)
        await page.evaluate("held = []")
        await checkpoint(page).get_by_role("button", name="I don’t know").click()
        await expect(page.locator(".me")).to_have_count(1)
        await expect(checkpoint(page).get_by_role("button", name="Answer")).to_be_enabled()
        assert await page.evaluate("held.length") > 0
        assert await page.evaluate(RELEASED) == []


async def test_a_killed_server_costs_no_typed_word_and_the_turn_goes_on_by_itself(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with start_process(tmp_path, port="0", tokens_per_s=30, SPROUT_DATABASE_URL=bayes_url) as (running, url):
        async with server_at(url) as grown:
            address = GrownCourse(grown, await grown.graph()).lesson(PER_CENT)
        async with open_page(browser, address, allow=CONNECTION_ERRORS) as page:
            asked = await wait_for_question(page)
            await page.locator("#side").fill("And what is a")
            await _answering(page, wrong_answers(asked)[0])
            await kill(running)
            await expect(page.get_by_role("status").get_by_text("Connection lost.").last).to_be_visible()
            await expect(page.locator("#answer")).to_have_value(wrong_answers(asked)[0])
            await take_screenshot(page, "lesson-server-killed")
            async with start_process(tmp_path, port=url.rpartition(":")[2], SPROUT_DATABASE_URL=bayes_url):
                await expect(conversation(page)).to_contain_text("That is not right yet", timeout=60_000)
                await expect(page.get_by_role("alert")).to_have_count(0)
                await expect(checkpoint(page)).to_contain_text("Hint for the gap")
                await expect(page.locator("#side")).to_have_value("And what is a")
                await expect(page.locator("#answer")).to_have_value("")
                assert await page.locator(".me").count() == 1, "the answer was given once"
                await take_screenshot(page, "lesson-server-back")
                await submit_answer(page, right_answer(asked))
                assert await wait_for_question(page) != asked


async def test_a_lost_network_is_said_and_the_turn_that_ended_meanwhile_is_shown(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with (
        open_course(tmp_path, bayes_url) as taught,
        open_page(browser, taught.lesson(PER_CENT), allow=OFFLINE_ERRORS) as page,
    ):
        asked = await wait_for_question(page)
        async with open_page(browser, page.url) as undisturbed:
            await wait_for_question(undisturbed)
            taught.server.faults.set_fault(SLOWLY)
            await _answering(page, wrong_answers(asked)[0])
            await page.context.set_offline(True)
            await expect(page.get_by_role("status").get_by_text("Offline.")).to_be_visible()
            await expect(conversation(undisturbed)).to_contain_text("That is not right yet")
        await page.locator("#side").fill("A question in mind")
        await page.context.set_offline(False)
        await expect(conversation(page)).to_contain_text("That is not right yet")
        await expect(checkpoint(page)).to_contain_text("Hint for the gap")
        await expect(page.locator("#side")).to_have_value("A question in mind")
        assert await page.locator(".me").count() == 1
        taught.server.faults.clear()
        await submit_answer(page, right_answer(asked))
        assert await wait_for_question(page) != asked


@pytest.mark.parametrize(
    ("fault", "words"),
    [(Fault("overloaded"), "overloaded"), (Fault("server_error"), "a failure of its own")],
    ids=["529", "500"],
)
async def test_a_turn_that_fails_says_why_keeps_what_was_typed_and_works_once_it_can(
    browser: Browser, tmp_path: Path, bayes_url: str, fault: Fault, words: str
) -> None:
    async with (
        open_course(tmp_path, bayes_url, **SOON) as taught,
        open_page(browser, taught.lesson(PER_CENT)) as page,
    ):
        asked = await wait_for_question(page)
        before = await _said(page)
        taught.server.faults.set_fault(fault)
        await page.locator("#answer").fill(right_answer(asked))
        await page.locator("#answer").press("Control+Enter")
        alert = checkpoint(page).get_by_role("alert")
        await expect(alert).to_contain_text(words)
        await expect(alert).not_to_contain_text(re.compile("Question", re.IGNORECASE))
        await expect(page.locator("#answer")).to_have_value(right_answer(asked))
        await expect(page.locator("#answer")).to_be_focused()
        await expect(page.locator(".talk > .vh[role=status]")).to_have_text("")
        await take_screenshot(page, f"lesson-failed-{fault.scenario.replace('_', '-')}")
        await page.reload()
        await expect(page.locator("#answer")).to_have_value(right_answer(asked))
        assert await _said(page) == before
        taught.server.faults.clear()
        await checkpoint(page).get_by_role("button", name="Answer").press("Enter")
        await page.wait_for_function("(before) => document.querySelector('.cp .q')?.innerText !== before", arg=asked)
        await expect(page.get_by_role("alert")).to_have_count(0)


async def test_a_lesson_that_cannot_begin_says_why_and_begins_when_it_can(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with open_course(tmp_path, bayes_url, **SOON) as taught:
        taught.server.faults.set_fault("bad_key")
        async with open_page(browser, taught.lesson(PER_CENT)) as page:
            alert = page.get_by_role("alert").filter(has_text="ANTHROPIC_API_KEY")
            await expect(alert).to_be_visible()
            await take_screenshot(page, "lesson-not-begun")
            taught.server.faults.clear()
            await alert.get_by_role("button", name="Try again").click()
            await wait_for_question(page)
            await expect(page.get_by_role("alert")).to_have_count(0)
