"""Today: one filled button for what comes next, what was gained, and a plant with a leaf for each learned part."""

import re
import shutil
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect
from sqlalchemy import select, update

from harness.browser import PHONE, open_page
from harness.journeys.learner import IMMEDIATE, assert_no_overflow
from harness.journeys.sprout_server import start_server
from sprout.clock import utc_now
from sprout.store.engine.database import open_database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of
from sprout.store.schema.review_tables import ReviewCard
from tests.journeys.accessibility.test_languages import SHOWN, only_english
from tests.journeys.support import axe
from tests.journeys.support.learning_history import RIGHT, a_path, insert_history

AGO = timedelta(days=40)
DUE = 3
FILLED = ".btn.go:visible"

_cards, _progress = table_of(ReviewCard), table_of(tables.Progress)
_answers, _messages = table_of(tables.Answer), table_of(tables.ChatMessage)


@pytest.fixture(scope="module")
async def learned(tmp_path_factory: pytest.TempPathFactory, empty_sqlite: Path) -> Path:
    """The file of a database in which much was learned weeks ago, and three parts are due."""
    file = tmp_path_factory.mktemp("learned") / "sprout.sqlite3"
    shutil.copyfile(empty_sqlite, file)
    await insert_history(f"sqlite:///{file}")
    async with open_database(f"sqlite:///{file}") as database:
        await database.write_tx(_move_back)
    return file


@pytest.fixture
def learned_url(tmp_path: Path, learned: Path) -> str:
    """A copy of it for one test."""
    shutil.copyfile(learned, tmp_path / "sprout.sqlite3")
    return f"sqlite:///{tmp_path / 'sprout.sqlite3'}"


def _move_back(tx: WriteTransaction) -> None:
    """Let all of it be forty days old; the cards beyond the first three come in a week."""
    for number, card in enumerate(tx.connection.execute(select(_cards).order_by(_cards.c.creation)).all()):
        at = {name: getattr(card, name) - AGO for name in ("learned_at", "seen_at", "due_at")}
        later = {} if number < DUE else {"due_at": utc_now() + timedelta(days=7)}
        tx.connection.execute(update(_cards).where(_cards.c.id == card.id).values(at | later))
    for table, name in ((_progress, "completed_at"), (_answers, "created_at"), (_messages, "created_at")):
        for row in tx.connection.execute(select(table.c.id, table.c[name]).where(table.c[name].is_not(None))).all():
            earlier = {name: getattr(row, name) - AGO}
            tx.connection.execute(update(table).where(table.c.id == row.id).values(earlier))


async def _review_all(page: Page) -> None:
    while await page.get_by_label("Your answer").count():
        await page.get_by_label("Your answer").fill(RIGHT)
        await page.keyboard.press("Control+Enter")
        await expect(page.locator(".rv-foot .btn.go")).to_be_focused()
        await page.keyboard.press("Enter")
        await expect(page.locator(".rv-after")).to_have_count(0)


async def test_a_day_goes_from_reviews_to_the_lesson_with_one_filled_button_at_a_time(
    browser: Browser, tmp_path: Path, learned_url: str
) -> None:
    async with start_server(tmp_path, learned_url, pace=IMMEDIATE) as grown, open_page(browser, grown.url) as page:
        day = await grown.get("/today")
        assert day["due"]["today"] == DUE
        await expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("minutes for today$"))
        await expect(page.locator(FILLED)).to_have_text(re.compile(f"^Review {DUE}$"))
        lesson = page.locator(".plan li").nth(1)
        await expect(lesson).to_contain_text(day["next"]["node"]["title"])
        for path in day["paths"]:
            bed = page.get_by_role("article").filter(has_text=path["branch"]["title"])
            await expect(bed.locator("svg path[class*=leaf]")).to_have_count(len(path["leaves"]))
            await expect(bed).to_contain_text(f"{len(path['leaves'])} of {path['parts']} parts learned")
        await expect(page.get_by_text("What you learn from now on is counted here.")).to_be_visible()

        await page.get_by_role("link", name=f"Review {DUE}").click()
        await page.wait_for_url("**/review")
        await expect(page.get_by_label("Your answer")).to_be_visible()
        await _review_all(page)
        await expect(page.locator(FILLED)).to_have_text(re.compile("^(Start|Continue), about"))
        await page.get_by_role("link", name="To today").click()
        await expect(page.get_by_text("Nothing to review. One lesson, about")).to_be_visible()
        await expect(page.locator(FILLED)).to_have_count(1)
        await expect(page.locator(FILLED)).to_contain_text(re.compile("Start|Continue"))
        await expect(page.get_by_text("3 of 3 reviews remembered")).to_be_visible()

        await page.get_by_role("link", name="Paths", exact=True).first.click()
        await expect(page.get_by_role("table")).to_be_visible()
        await expect(page.get_by_label("Topic, question or exam")).to_be_visible()
        await expect(page.locator(FILLED)).to_have_count(1)


async def test_ui_1_what_is_due_stands_beside_today_on_each_path_and_over_all_paths(
    browser: Browser, tmp_path: Path, learned_url: str
) -> None:
    async with (
        start_server(tmp_path, learned_url, pace=IMMEDIATE) as grown,
        open_page(browser, f"{grown.url}/paths") as page,
    ):
        (due,) = (await grown.get("/reviews/due"))["paths"]
        row = page.get_by_role("row").filter(has_text=due["title"])
        today = page.get_by_role("navigation", name="Main").get_by_role("link", name="Today").first
        await expect(page.get_by_role("columnheader", name="Reviews")).to_be_visible()
        await expect(row).to_contain_text(f"{DUE} due")
        await expect(page.get_by_role("row").filter(has_text="None due")).to_have_count(1)
        await expect(page.get_by_role("heading", name=f"{DUE} to review, over all paths")).to_be_visible()
        await expect(today).to_contain_text(f"{DUE} due")
        await page.goto(f"{grown.url}/review")
        await expect(page.get_by_label("Your answer")).to_be_visible()
        await _review_all(page)
        await page.get_by_role("link", name="To today").click()
        await expect(page.get_by_text("Nothing to review. One lesson, about")).to_be_visible()
        await expect(today).to_have_text("Today")


@pytest.mark.parametrize(
    ("address", "asked", "shown"),
    [("", "/today", ".plan"), ("/review", "/reviews/due", "#rv-words, .opts"), ("/paths", "/branches/summary", ".pt")],
)
async def test_a_screen_that_could_not_be_fetched_says_so_and_comes_by_itself_when_the_network_is_back(
    browser: Browser, tmp_path: Path, learned_url: str, address: str, asked: str, shown: str
) -> None:
    async with (
        start_server(tmp_path, learned_url, pace=IMMEDIATE) as grown,
        open_page(browser, f"{grown.url}/docs", allow=("Failed to load resource",)) as page,
    ):
        await page.route(f"**/api{asked}", lambda route: route.abort())
        await page.goto(f"{grown.url}{address}")
        fault = page.get_by_role("alert").filter(has_text="Sprout’s server isn’t responding")
        await expect(fault.get_by_role("button", name="Try again")).to_be_visible()
        await page.unroute(f"**/api{asked}")
        await page.context.set_offline(True)
        await expect(page.get_by_role("status").get_by_text("Offline.")).to_be_visible()
        await page.context.set_offline(False)
        await expect(page.locator(shown).first).to_be_visible()
        await expect(fault).to_have_count(0)


async def test_a_day_that_is_done_looks_done_and_offers_to_learn_ahead(
    browser: Browser, tmp_path: Path, learned_url: str
) -> None:
    async with open_database(learned_url) as database:
        await database.write_tx(_learn_one_today)
    async with (
        start_server(tmp_path, learned_url, pace=IMMEDIATE) as grown,
        open_page(browser, f"{grown.url}/review") as page,
    ):
        await expect(page.get_by_label("Your answer")).to_be_visible()
        await _review_all(page)
        await page.goto(grown.url)
        await expect(page.get_by_role("heading", name="Done for today", level=1)).to_be_visible()
        await expect(page.locator(FILLED)).to_have_count(0)
        await expect(page.get_by_role("heading", name="3 reviewed")).to_be_visible()
        await expect(page.get_by_role("heading", name="Learned: ")).to_have_count(1)
        await expect(page.get_by_role("heading", name="Tomorrow: ")).to_have_count(1)
        await expect(page.get_by_role("link", name=re.compile("^Learn ahead, "))).to_have_count(2)
        await axe.assert_accessible(page, "today-done")


async def test_a_day_whose_part_was_learned_by_an_answer_of_yesterday_says_that_it_is_done_not_that_all_is_learned(
    browser: Browser, tmp_path: Path, learned_url: str
) -> None:
    async with open_database(learned_url) as database:
        await database.write_tx(_learn_one_today)
        await database.write_tx(lambda tx: tx.connection.execute(update(_cards).values(due_at=utc_now() + AGO)))
    async with start_server(tmp_path, learned_url, pace=IMMEDIATE) as grown, open_page(browser, grown.url) as page:
        day = await grown.get("/today")
        assert (day["done"], day["day"]["minutes"], day["next"]["kind"]) == (True, 0, "lesson")
        await expect(page.get_by_role("heading", name="Done for today", level=1)).to_be_visible()
        await expect(page.locator(".day-size")).to_have_text("What comes next is better after a night.")


def _learn_one_today(tx: WriteTransaction) -> None:
    wanted = select(_progress.c.id).join(table_of(tables.Node), table_of(tables.Node).c.id == _progress.c.node_id)
    parts = wanted.where(table_of(tables.Node).c.type == "subconcept", _progress.c.completed_at.is_not(None))
    row = tx.connection.execute(parts.order_by(_progress.c.creation.desc()).limit(1)).scalar_one()
    tx.connection.execute(update(_progress).where(_progress.c.id == row).values(completed_at=utc_now()))


async def test_ui_1_a_path_that_is_not_begun_offers_to_find_where_one_starts(
    browser: Browser, tmp_path: Path, learned_url: str
) -> None:
    async with start_server(tmp_path, learned_url, pace=IMMEDIATE) as grown:
        asks, asks_nothing = a_path("SQL from the ground"), a_path("Bayesian reasoning")
        for concept in asks_nothing["concepts"]:
            concept["questions"] = []
        for title, plan in (("Asks", asks), ("Asks nothing", asks_nothing)):
            await grown.post("/graphs", {**plan, "title": title, "misconceptions": []})
        async with open_page(browser, grown.url) as page:
            asked: list[str] = []
            page.on("request", lambda request: asked.append(request.url))
            await page.reload()
            bed = page.get_by_role("article").filter(has=page.get_by_role("heading", name="Asks", exact=True))
            await expect(bed).to_contain_text("Not started")
            other = page.get_by_role("article").filter(has=page.get_by_role("heading", name="Asks nothing"))
            await expect(other.get_by_role("link", name=re.compile("^Start, "))).to_be_visible()
            await expect(page.locator(FILLED)).to_have_count(1)
            assert [url for url in asked if re.search("api/.*(placement|misconceptions)", url)] == []
            await bed.get_by_role("link", name=re.compile(r"^Find where you start, \d min")).click()
            await page.wait_for_url("**/start")
            await page.get_by_role("button", name="I don’t know").click()
            await expect(page.get_by_text("1 answered")).to_be_visible()
            await page.goto(grown.url)
            await bed.get_by_role("link", name="More questions to find where you start").click()
            await expect(page.get_by_text("1 answered")).to_be_visible()


async def test_V6_after_a_review_of_misses_no_path_says_that_nothing_is_due_but_that_parts_come_back(
    browser: Browser, tmp_path: Path, learned_url: str
) -> None:
    async with (
        start_server(tmp_path, learned_url, pace=IMMEDIATE) as grown,
        open_page(browser, f"{grown.url}/review") as page,
    ):
        await expect(page.get_by_label("Your answer")).to_be_visible()
        while await page.get_by_label("Your answer").count():
            await page.get_by_role("button", name="I don’t know").click()
            await expect(page.locator(".rv-foot .btn.go")).to_be_focused()
            await page.keyboard.press("Enter")
            await expect(page.locator(".rv-after")).to_have_count(0)
        missed = [path for path in (await grown.get("/today"))["paths"] if path["missedToday"]]
        assert sum(path["missedToday"] for path in missed) == DUE
        await page.goto(grown.url)
        for path in missed:
            bed = page.get_by_role("article").filter(has_text=path["branch"]["title"])
            await expect(bed).to_contain_text(f"parts learned, {path['missedToday']} come")
            await expect(bed).not_to_contain_text("none due")


async def test_today_is_accessible_and_fits_a_phone(browser: Browser, tmp_path: Path, learned_url: str) -> None:
    async with start_server(tmp_path, learned_url, pace=IMMEDIATE) as grown, open_page(browser, grown.url) as page:
        await expect(page.locator(FILLED)).to_have_count(1)
        await axe.assert_accessible(page, "today")


async def test_today_in_german_has_no_english_word_and_fits_a_phone(
    browser: Browser, tmp_path: Path, learned_url: str
) -> None:
    async with (
        start_server(tmp_path, learned_url, pace=IMMEDIATE) as grown,
        open_page(browser, grown.url, locale="de", size=PHONE) as page,
    ):
        await expect(page.get_by_role("heading", name="Deine Lernpfade")).to_be_visible()
        await assert_no_overflow(page)
        shown = await page.evaluate(SHOWN)
        assert [part for part in only_english() if part in shown] == []
