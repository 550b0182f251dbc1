"""Reviews: what was learned comes back, is answered by keyboard or thumb, left and taken up, and done for today."""

import asyncio
import re
import shutil
from datetime import timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from playwright.async_api import Browser, Page, Route, expect
from sqlalchemy import select, update

from harness.browser import PHONE, open_page
from harness.journeys.learner import IMMEDIATE, assert_no_overflow
from harness.journeys.sprout_server import start_server
from sprout.clock import utc_now
from sprout.store.engine.database import open_database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.schema.columns import table_of
from sprout.store.schema.review_tables import ReviewCard
from sprout.store.schema.tables import Question
from tests.journeys.accessibility.test_languages import SHOWN, only_english
from tests.journeys.learning.test_read_aloud import A_VOICE, SAID
from tests.journeys.support import axe
from tests.journeys.support.learning_history import RIGHT, WRONG, insert_history

AGO = timedelta(days=40)
REFUSED = ("status of 409",)
TIMES = ("learned_at", "due_at", "seen_at")

WHY = "Three take away one is two."

_cards = table_of(ReviewCard)


@pytest.fixture(scope="module")
async def learned(tmp_path_factory: pytest.TempPathFactory, empty_sqlite: Path) -> Path:
    """The file of a database in which much was learned forty days ago."""
    file = tmp_path_factory.mktemp("learned") / "sprout.sqlite3"
    shutil.copyfile(empty_sqlite, file)
    await insert_history(f"sqlite:///{file}")
    async with open_database(f"sqlite:///{file}") as database:
        await database.write_tx(_move_cards_back)
    return file


@pytest.fixture
def learned_url(tmp_path: Path, learned: Path) -> str:
    """A copy of it for one test."""
    shutil.copyfile(learned, tmp_path / "sprout.sqlite3")
    return f"sqlite:///{tmp_path / 'sprout.sqlite3'}"


def _move_cards_back(tx: WriteTransaction) -> None:
    for card in tx.connection.execute(select(_cards)).all():
        earlier = {name: getattr(card, name) - AGO for name in TIMES}
        tx.connection.execute(update(_cards).where(_cards.c.id == card.id).values(earlier))


async def _give(page: Page, text: str) -> None:
    await page.get_by_label("Your answer").fill(text)
    await page.get_by_role("button", name="Answer", exact=False).first.click()
    await expect(page.locator(".rv-after")).to_be_visible()


async def _next_question(page: Page, before: str) -> None:
    await expect(page.locator(".rv-count span")).not_to_have_text(before)


async def _assert_german(page: Page) -> None:
    await assert_no_overflow(page)
    shown = await page.evaluate(SHOWN)
    assert [part for part in only_english() if part in shown] == []


async def test_what_is_due_is_reviewed_from_the_home_by_keyboard_until_the_day_is_done(
    browser: Browser, tmp_path: Path, learned_url: str
) -> None:
    async with start_server(tmp_path, learned_url, pace=IMMEDIATE) as grown, open_page(browser, grown.url) as page:
        due = await grown.get("/reviews/due")
        count = due["today"]
        assert count > 3
        await page.get_by_role("link", name=f"Review {count}").click()
        await page.wait_for_url("**/review")
        await expect(page.get_by_text(f"0 of {count} done")).to_be_visible()

        await page.get_by_label("Your answer").fill(RIGHT)
        await page.keyboard.press("Control+Enter")
        await expect(page.get_by_role("status").filter(has_text="Right.")).to_be_visible()
        await expect(page.get_by_role("button", name="Good")).to_be_focused()
        assert await page.locator(".rv-grades .btn").all_inner_texts() != []
        await expect(page.get_by_text("Your choice brings the next question.")).to_be_visible()
        await page.keyboard.press("4")
        await expect(page.get_by_text(f"1 of {count} done")).to_be_visible()
        await expect(page.get_by_label("Your answer")).to_be_focused()

        await page.get_by_label("Your answer").fill(WRONG)
        await page.keyboard.press("Control+Enter")
        await expect(page.get_by_text("Comes back today")).to_be_visible()
        await expect(page.locator(".rv-answers .right")).to_contain_text(RIGHT)
        await expect(page.get_by_role("link", name="Open the lesson")).to_be_visible()
        await expect(page.locator(".rv-segments .back")).to_have_count(1)
        await page.keyboard.press("Enter")
        await expect(page.get_by_label("Your answer")).to_be_focused()

        await page.reload()
        await expect(page.get_by_text(f"2 of {count + 1} done")).to_be_visible()
        while await page.get_by_label("Your answer").count():
            done = await page.locator(".rv-count span").inner_text()
            await page.get_by_label("Your answer").fill(RIGHT)
            await page.keyboard.press("Control+Enter")
            await _next_question(page, done)
            await expect(page.locator(".rv-foot .btn.go")).to_be_focused()
            await page.keyboard.press("Enter")
            await expect(page.locator(".rv-after")).to_have_count(0)
        await expect(page.get_by_role("heading", name="All reviewed")).to_be_visible()
        await expect(page.get_by_text(f"{count} of {count + 1} recalled.")).to_be_visible()
        after = await grown.get("/reviews/due")
        assert (after["today"], after["sessionId"]) == (0, None)
        await expect(page.locator(".btn.go")).to_have_text(re.compile("^Start, about"))
        await page.get_by_role("link", name="To today").click()
        await expect(page.get_by_text(f"{count} of {count + 1} reviews remembered")).to_be_visible()
        began = (await grown.get("/today"))["week"]["days"][0]["date"]
        cleared = [one for one in await grown.get("/misconceptions") if one["clearedBy"]]
        of_the_week = [one["statement"] for one in cleared if one["clearedBy"]["at"] >= began]
        assert of_the_week, "the reviews have cleared one"
        await expect(page.get_by_role("region", name="The last seven days")).to_contain_text(
            f"{len(of_the_week)} mix-up{'s' if len(of_the_week) > 1 else ''} cleared: “{of_the_week[0]}”"
        )


@pytest.mark.parametrize(("locale", "words"), [("en-US", "Reading your answer"), ("de-DE", "Liest deine Antwort")])
async def test_while_an_answer_is_read_the_page_says_so_until_the_verdict_is_there(
    browser: Browser, tmp_path: Path, learned_url: str, locale: str, words: str
) -> None:
    read = asyncio.Event()

    async def held(route: Route) -> None:
        await read.wait()
        await route.continue_()

    async with (
        start_server(tmp_path, learned_url, pace=IMMEDIATE) as grown,
        open_page(browser, f"{grown.url}/review", size=PHONE, locale=locale) as page,
    ):
        await page.route("**/answers", held)
        await page.locator("#rv-words").fill(RIGHT)
        await page.locator("#rv-words").press("Control+Enter")
        notice = page.get_by_role("status").filter(has_text=words)
        await expect(notice).to_be_in_viewport(ratio=1)
        await expect(page.locator(".rv-q")).to_have_attribute("aria-busy", "true")
        await expect(page.locator(".rv-acts [aria-busy]")).to_have_count(1)
        assert await axe.violations(page) == []
        read.set()
        await expect(page.locator(".rv-grades .btn.go")).to_be_focused()
        await expect(notice).to_have_count(0)


async def test_a_review_goes_on_where_another_window_has_left_it(
    browser: Browser, tmp_path: Path, learned_url: str
) -> None:
    async with start_server(tmp_path, learned_url, pace=IMMEDIATE) as grown:
        review = f"{grown.url}/review"
        async with open_page(browser, review) as page, open_page(browser, review, allow=REFUSED) as other:
            for window in (page, other):
                await expect(window.get_by_label("Your answer")).to_be_visible()
            await _give(page, RIGHT)
            await other.get_by_label("Your answer").fill(WRONG)
            await other.keyboard.press("Control+Enter")
            await expect(other.get_by_role("alert")).to_contain_text("answered already")
            await expect(other.locator(".rv-count span")).to_contain_text(re.compile("^1 of"))
            summary = await grown.get("/reviews/due")
            assert summary["doneToday"] == 1


async def test_what_is_half_written_in_a_review_is_there_after_a_reload_and_gone_once_it_was_sent(
    browser: Browser, tmp_path: Path, learned_url: str
) -> None:
    async with (
        start_server(tmp_path, learned_url, pace=IMMEDIATE) as grown,
        open_page(browser, f"{grown.url}/review") as page,
    ):
        await page.get_by_label("Your answer").fill(WRONG)
        await page.reload()
        await expect(page.get_by_label("Your answer")).to_have_value(WRONG)
        await page.keyboard.press("Control+Enter")
        await expect(page.locator(".rv-after")).to_be_visible()
        assert await page.evaluate("Object.keys(localStorage).filter((key) => key.includes('draft'))") == []
        await page.keyboard.press("Enter")
        await expect(page.get_by_label("Your answer")).to_have_value("")


async def test_a_review_is_accessible_fits_a_phone_and_reads_its_reason_aloud(
    browser: Browser, tmp_path: Path, learned_url: str
) -> None:
    async with open_database(learned_url) as database:
        solved = update(table_of(Question)).values(solution=[WHY])
        await database.write_tx(lambda tx: tx.connection.execute(solved))
    async with (
        start_server(tmp_path, learned_url, pace=IMMEDIATE) as grown,
        open_page(browser, f"{grown.url}/docs") as page,
    ):
        await page.add_init_script(A_VOICE)
        await page.goto(f"{grown.url}/review")
        await expect(page.get_by_label("Your answer")).to_be_visible()
        await axe.assert_accessible(page, "review-question")
        await _give(page, RIGHT)
        await axe.assert_accessible(page, "review-right")
        await page.get_by_role("button", name="Read aloud").click()
        await page.evaluate("window.said.at(-1).onend()")
        assert WHY in await page.evaluate(SAID)
        await page.get_by_role("button", name="Good").click()
        await expect(page.get_by_label("Your answer")).to_be_visible()
        await _give(page, WRONG)
        await axe.assert_accessible(page, "review-missed")


async def test_a_review_in_german_has_no_english_word_and_fits_a_phone(
    browser: Browser, tmp_path: Path, learned_url: str
) -> None:
    async with (
        start_server(tmp_path, learned_url, pace=IMMEDIATE) as grown,
        open_page(browser, f"{grown.url}/review", locale="de", size=PHONE) as page,
    ):
        await expect(page.get_by_label("Deine Antwort")).to_be_visible()
        await _assert_german(page)
        foot = await page.locator(".rv-foot").bounding_box()
        last = await page.locator(".rv-foot .btn").last.bounding_box()
        assert foot is not None
        assert last is not None
        assert last["x"] + last["width"] <= foot["x"] + foot["width"]
        await page.get_by_label("Deine Antwort").fill(RIGHT)
        await page.get_by_role("button", name="Antworten").click()
        await expect(page.get_by_role("button", name="Gut")).to_be_visible()
        await _assert_german(page)


async def test_the_size_of_a_day_and_the_retention_are_settings(
    browser: Browser, tmp_path: Path, learned_url: str
) -> None:
    async with (
        start_server(tmp_path, learned_url, pace=IMMEDIATE) as grown,
        open_page(browser, f"{grown.url}/settings") as page,
    ):
        reviews = page.get_by_role("region", name="Reviews")
        await reviews.get_by_text("20 min").click()
        await expect(reviews.get_by_role("radio", name="20 min")).to_be_checked()
        await reviews.get_by_text("95 %", exact=True).click()
        await expect(reviews.get_by_role("radio", name="95 %")).to_be_checked()
        costs = reviews.get_by_role("list", name="What each choice takes, with what you have learned so far")
        await expect(costs.get_by_role("listitem")).to_have_text(
            [re.compile(rf"^{percent} % takes about \d+ reviews? a (day|week)\.$") for percent in (80, 85, 90, 95)]
        )
        feed = await reviews.get_by_role("link", name="Calendar file").get_attribute("href")
        assert feed == f"{grown.url}/api/reviews/calendar.ics?language=en"
        await reviews.get_by_label("A new day begins at").select_option("0")
        await page.wait_for_function("fetch('/api/reviews/settings').then((r) => r.json()).then((s) => !s.dayStartsAt)")
        kept = await grown.get("/reviews/settings")
        assert (kept["minutes"], kept["retention"], kept["dayStartsAt"]) == (20, 0.95, 0)
        for zone in ("Pacific/Kiritimati", "Pacific/Pago_Pago"):  # 25 hours apart: never the same date
            async with page.expect_response("**/api/reviews/settings"):
                await reviews.get_by_label("Time zone of your days").select_option(zone)
            async with open_page(browser, grown.url) as today:
                date = utc_now().astimezone(ZoneInfo(zone)).strftime("%A, %B %-d")
                await expect(today.locator(".day p.eyebrow")).to_have_text(date)
        await axe.assert_accessible(page, "review-settings")


NOTICES = """
window.told = [];
window.Notification = class { constructor(title, options) { window.told.push(title, options.silent); } };
Notification.requestPermission = async () => {
  sessionStorage.setItem('asked', 'yes');
  return Notification.permission;
};
Object.defineProperty(Notification, 'permission', {
  get: () => sessionStorage.getItem('asked') ? 'granted' : 'default',
});
"""
HIDE = """
Object.defineProperty(document, 'hidden', { value: true, configurable: true });
document.dispatchEvent(new Event('visibilitychange'));
"""


async def test_who_wants_it_is_told_once_a_day_that_reviews_are_due_and_nobody_else(
    browser: Browser, tmp_path: Path, learned_url: str
) -> None:
    async with (
        start_server(tmp_path, learned_url, pace=IMMEDIATE) as grown,
        open_page(browser, f"{grown.url}/settings") as page,
    ):
        due = await grown.get("/reviews/due")
        await page.add_init_script(NOTICES)
        await page.reload()
        switch = page.get_by_role("checkbox", name="Tell me when reviews are due")
        await expect(switch).not_to_be_checked()
        await page.evaluate(HIDE)
        assert await page.evaluate("told") == [], "it is off until it is asked for"
        await switch.check()
        await page.reload()
        await expect(switch).to_be_checked()
        await page.evaluate(HIDE)
        await page.wait_for_function("() => told.length > 0")
        await page.evaluate(HIDE)
        assert await page.evaluate("told") == [f"{due['today']} to review, about {due['minutes']} min", True]
        await switch.uncheck()
        await page.reload()
        await expect(switch).not_to_be_checked()
        assert await page.evaluate("localStorage.getItem('sprout.notice')") is None
