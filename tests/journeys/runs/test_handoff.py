"""Runs that need the learner: what they ask, what can be done, and that the page follows by itself."""

from pathlib import Path

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from harness.browser import PHONE, open_page
from tests.journeys.support import axe
from tests.journeys.support.fake_runs import FakeServerState, Row, a_question, a_row
from tests.journeys.support.fake_server import start_fake_server
from tests.journeys.support.map_view import panel, show_run, take_screenshot

WHICH = "Your notes and chapter 8 place the Calvin cycle differently. Which should the path follow?"
CHOICES = ["Follow the chapter: in the stroma", "Follow my notes: in the thylakoid"]
REFUSED = ("status of 409", "status of 404", "status of 503")
OVERHANG = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def handoff(page: Page) -> Locator:
    return page.get_by_role("region", name="What to do with this run")


def waiting(sprout: FakeServerState, run_id: str = "r1") -> None:
    sprout.add_run(a_row(run_id, offers=["cancel"]))
    sprout.publish(run_id, "tool_call", agent="topic", callId="c", tool="save_concept", input={"title": "Leaves"})
    done: Row = {"summary": "saved", "ok": True, "durationMs": 12, "attempts": 1}
    sprout.publish(run_id, "tool_result", agent="topic", callId="c", tool="save_concept", **done)
    sprout.ask_learner(run_id, a_question("question", WHICH, CHOICES))


async def test_F1_a_run_that_begins_to_wait_asks_on_every_screen_and_goes_on_once_answered(browser: Browser) -> None:
    async with start_fake_server() as sprout:
        sprout.add_run(a_row("r1", offers=["cancel"]))
        async with open_page(browser, f"{sprout.url}/paths/path") as page, open_page(browser, sprout.url) as home:
            await expect(panel(page).get_by_role("button", name="Stop")).to_be_visible()
            sprout.ask_learner("r1", a_question("question", WHICH, CHOICES))
            await expect(handoff(page)).to_contain_text(WHICH)
            await expect(handoff(page)).to_contain_text("4 of about 7 concepts")
            await expect(page.get_by_role("status").filter(has_text="Sprout has a question")).to_have_count(1)
            await expect(home.get_by_role("link", name="Sprout has a question")).to_be_visible()
            await take_screenshot(page, "handoff-path")
            await take_screenshot(home, "handoff-home")
            await page.goto(f"{sprout.url}/paths/path/concepts/light")
            await page.get_by_role("link", name="Sprout has a question").click()
            await page.wait_for_url("**/runs/r1")
            await expect(page.get_by_role("heading", name=WHICH)).to_be_focused()
            await take_screenshot(page, "handoff-run")
            await handoff(page).get_by_role("button", name=CHOICES[0]).click()
            await expect(handoff(page)).to_have_count(0)
            await expect(panel(page)).to_contain_text("Resumed with your answer (1)")
            await expect(home.get_by_role("link", name="Sprout has a question")).to_have_count(0)
            assert sprout.requests == [("r1", "answer", {"answer": CHOICES[0]})]


async def test_W1_words_of_ones_own_are_an_answer_and_survive_a_refusal(browser: Browser) -> None:
    async with start_fake_server() as sprout:
        waiting(sprout)
        async with open_page(browser, f"{sprout.url}/runs/r1", allow=REFUSED) as page:
            field = handoff(page).get_by_label("In your own words")
            await field.fill("Both, with a note")
            sprout.refusals["answer"] = 503
            await page.keyboard.press("Enter")
            await expect(handoff(page).get_by_role("alert")).to_contain_text("refused with 503")
            await expect(field).to_have_value("Both, with a note")
            sprout.refusals["answer"] = 409
            await handoff(page).get_by_role("button", name="Answer and continue").click()
            await expect(handoff(page).get_by_role("alert")).to_contain_text("This question is closed")
            await expect(field).to_have_value("Both, with a note")
            await take_screenshot(page, "handoff-refused")
            await handoff(page).get_by_role("button", name="Answer and continue").click()
            await expect(page.get_by_role("heading", name="This run is in progress")).to_be_visible()
            assert sprout.requests[-1] == ("r1", "answer", {"answer": "Both, with a note"})


async def test_an_answer_given_elsewhere_closes_the_panel_and_the_focus_stays_on_the_page(browser: Browser) -> None:
    async with start_fake_server() as sprout:
        waiting(sprout)
        async with open_page(browser, f"{sprout.url}/paths/path") as page:
            await handoff(page).get_by_label("In your own words").fill("I was about to")
            sprout.resume_run("r1", "answered")
            await expect(handoff(page)).to_have_count(0)
            await expect(page.locator("#main")).to_be_focused()
            await expect(panel(page).get_by_role("button", name="Stop")).to_be_visible()


async def test_K6_a_call_in_doubt_shows_the_call_and_takes_its_result(browser: Browser) -> None:
    choices = ["It happened", "It did not, do it", "Stop here"]
    call = {"tool": "post_to_calendar", "input": {"day": "<b>Monday</b>"}}
    async with start_fake_server() as sprout:
        sprout.add_run(a_row("r1"))
        sprout.ask_learner("r1", a_question("in_doubt", "Did this happen before the server stopped?", choices, **call))
        async with open_page(browser, f"{sprout.url}/runs/r1") as page:
            await expect(handoff(page)).to_contain_text("post to calendar was called with")
            await expect(handoff(page)).to_contain_text("<b>Monday</b>")
            await expect(handoff(page).get_by_label("In your own words")).to_have_count(0)
            await handoff(page).get_by_label("Its result").fill("entry 7")
            await take_screenshot(page, "handoff-in-doubt")
            await handoff(page).get_by_role("button", name=choices[0]).click()
            await expect(handoff(page)).to_have_count(0)
            assert sprout.requests == [("r1", "answer", {"answer": choices[0], "result": "entry 7"})]


async def test_a_permission_is_given_or_refused_by_its_two_choices_alone_from_the_keyboard_too(
    browser: Browser,
) -> None:
    choices = ["Allow this once", "Do not allow"]
    call = {"tool": "delete_concept", "input": {"title": "Leaves"}}
    async with start_fake_server() as sprout:
        sprout.add_run(a_row("r1"))
        sprout.ask_learner("r1", a_question("permission", "May this be run?", choices, **call))
        async with open_page(browser, f"{sprout.url}/runs/r1") as page:
            await expect(handoff(page)).to_contain_text("delete concept will be called with")
            await expect(handoff(page).get_by_role("textbox")).to_have_count(0)
            await take_screenshot(page, "handoff-permission")
            await expect(page.get_by_role("heading", name="May this be run?")).to_be_focused()
            for _ in range(3):  # the input, which can be scrolled, and the two choices
                await page.keyboard.press("Tab")
            await expect(handoff(page).get_by_role("button", name=choices[1])).to_be_focused()
            await page.keyboard.press("Enter")
            await expect(handoff(page)).to_have_count(0)
            assert sprout.requests == [("r1", "answer", {"answer": choices[1]})]


async def test_K4_a_run_that_was_cut_off_is_resumed_by_a_person(browser: Browser) -> None:
    async with start_fake_server() as sprout:
        sprout.add_run(a_row("r1", cutOff=True, offers=["resume", "discard", "cancel"]))
        async with open_page(browser, f"{sprout.url}/paths/path") as page:
            await expect(handoff(page).get_by_role("heading", name="This run was interrupted")).to_be_visible()
            names = await handoff(page).locator(".handoff-foot button").all_inner_texts()
            assert names == ["Continue the run", "Discard this run", "Stop it"]
            await take_screenshot(page, "handoff-cut-off")
            await handoff(page).get_by_role("button", name="Continue the run").click()
            await expect(handoff(page)).to_have_count(0)
            await expect(panel(page)).to_contain_text("Resumed at your request (1)")


async def test_F1_a_failed_run_is_tried_again_as_a_new_one_and_a_discarded_one_is_listed_no_more(
    browser: Browser,
) -> None:
    error = {"code": "bad_key", "message": "Claude refused this key. Copy it again.", "retryable": False}
    async with start_fake_server() as sprout:
        sprout.add_run(a_row("r0"))
        sprout.end_run("r0", "timed_out", offers=["retry", "discard"])
        sprout.add_run(a_row("r1"))
        sprout.end_run("r1", "failed", error=error, offers=["retry", "discard"])
        async with open_page(browser, f"{sprout.url}/runs/r0") as page:
            await expect(page.get_by_role("heading", name="This run exceeded the time limit")).to_be_visible()
            await handoff(page).get_by_role("button", name="Discard this run").click()
            await page.get_by_role("dialog").get_by_role("button", name="Discard this run").click()
            await page.wait_for_url("**/paths/path")
            await expect(handoff(page).get_by_role("alert")).to_contain_text("Claude refused this key")
            await take_screenshot(page, "handoff-failed")
            await panel(page).get_by_role("button", name="Activity on this path").click()
            await expect(page.locator(".run-list li")).to_have_count(1)
            await take_screenshot(page, "runs-of-path")
            await handoff(page).get_by_role("button", name="Try again").click()
            await expect(handoff(page)).to_have_count(0)
            await expect(panel(page).get_by_role("button", name="Stop")).to_be_visible()


async def test_a_queued_run_says_how_many_are_before_it_and_is_cancelled_at_once(browser: Browser) -> None:
    async with start_fake_server() as sprout:
        sprout.add_run(a_row("r1", "queued", position=2, offers=["cancel"]))
        async with open_page(browser, f"{sprout.url}/paths/path") as page:
            await expect(panel(page)).to_contain_text("2 runs ahead")
            sprout.rows["r1"]["position"] = 0
            sprout.publish("r1", "run_queued", agent="topic", position=0)
            await expect(panel(page)).to_contain_text("Next in line")
            await take_screenshot(page, "queued")
            await panel(page).get_by_role("button", name="Stop").click()
            await expect(panel(page)).to_contain_text("Stopped by you")


async def test_older_runs_come_a_page_at_a_time(browser: Browser) -> None:
    async with start_fake_server() as sprout:
        for number in range(25):
            sprout.add_run(a_row(f"r{number}", discarded=number == 3))
            sprout.end_run(f"r{number}")
        async with open_page(browser, f"{sprout.url}/paths/path") as page:
            await show_run(page)
            await panel(page).get_by_role("button", name="Activity on this path").click()
            lines = page.locator(".run-list li")
            await expect(lines).to_have_count(20)
            await panel(page).get_by_role("button", name="Older").click()
            await expect(lines).to_have_count(24)
            await expect(panel(page).get_by_role("button", name="Older")).to_have_count(0)
            await lines.nth(23).get_by_role("link").click()
            await page.wait_for_url("**/runs/r0")
            await expect(page.get_by_role("heading", name="This run is complete")).to_be_visible()


async def test_V2_a_stream_that_breaks_in_mid_sentence_goes_on_without_a_seam(browser: Browser) -> None:
    lost = ("ERR_INCOMPLETE_CHUNKED_ENCODING",)
    block: Row = {"agent": "topic", "blockId": "b"}
    async with start_fake_server() as sprout:
        sprout.add_run(a_row("r1", offers=["cancel"]))
        async with open_page(browser, f"{sprout.url}/paths/path", allow=lost) as page:
            await expect(panel(page).get_by_role("button", name="Stop")).to_be_visible()
            sprout.publish_ephemeral("r1", "agent_reasoning_delta", text="Leaves take ", **block)
            await expect(panel(page)).to_contain_text("Leaves take")
            sprout.cut_streams()
            sprout.publish("r1", "agent_reasoning", text="Leaves take in light.", **block)
            await expect(panel(page)).to_contain_text("Leaves take in light.")
            sprout.add_run(a_row("r2", lane="topic:other", branchId="other"))
            sprout.ask_learner("r2", a_question("question", "Of another path?", None))
            await expect(page.get_by_role("link", name="Sprout has a question")).to_be_visible()
            await expect(panel(page).locator(".think")).to_have_text("Leaves take in light.")


@pytest.mark.parametrize("size", [(1440, 900), PHONE])
async def test_the_panel_passes_axe_and_never_scrolls_sideways(
    browser: Browser, tmp_path: Path, size: tuple[int, int]
) -> None:
    async with start_fake_server() as sprout:
        waiting(sprout)
        async with open_page(browser, f"{sprout.url}/runs/r1", size=size) as page:
            for url in ("/runs/r1", "/paths/path", ""):
                await page.goto(f"{sprout.url}{url}")
                if url == "/paths/path" and size == PHONE:
                    await page.get_by_role("button", name="Activity").click()
                shown = handoff(page) if url else page.get_by_role("link", name="Sprout has a question")
                await expect(shown).to_be_visible()
                assert await axe.violations(page) == []
                assert await page.evaluate(OVERHANG) <= 0
                name = f"handoff-{size[0]}{url.replace('/', '-')}"
                await take_screenshot(page, f"{name}-dark")
                await page.emulate_media(color_scheme="light")
                await take_screenshot(page, f"{name}-light")
