"""Runs that end before their work is done: the page says which limit it was and what to do, over the API too."""

from pathlib import Path

from playwright.async_api import Browser, Page, expect

from harness.browser import DESKTOP, PHONE, open_page
from harness.journeys.learner import IMMEDIATE
from harness.journeys.sprout_server import COURSE, QUICK_PACE, Row, SproutServer, start_server, titles
from harness.models.closes_later import ClosesLater
from tests.journeys.support.fake_runs import a_row
from tests.journeys.support.fake_server import start_fake_server
from tests.journeys.support.map_view import panel, start_topic, take_screenshot, wait_for_end

KEPT = "Everything saved so far is kept."


def topic_with(**numbers: float) -> Row:
    return {"agents": {"topic": numbers}}


async def detail(grown: SproutServer) -> Row:
    run = await grown.last_run()
    found: Row = await grown.get(f"/runs/{run['id']}")
    return found


async def assert_run_says(page: Page, grown: SproutServer, run_id: str, words: str) -> None:
    """The run's own page, as somebody finds it later."""
    await page.goto(f"{grown.url}/runs/{run_id}")
    await expect(page.get_by_role("heading", name=words)).to_be_visible()
    await expect(panel(page)).to_contain_text(KEPT)


async def test_M3_a_path_at_its_limit_of_steps_says_so_and_continues_on_request(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    async with (
        start_server(
            tmp_path, sqlite_url, pace=IMMEDIATE, offline_model=ClosesLater(), **topic_with(max_iterations=1)
        ) as grown,
        open_page(browser, grown.url) as page,
    ):
        await start_topic(page, COURSE)
        await wait_for_end(page, "Stopped at its limit of 1 step")
        path_url = page.url
        await expect(panel(page)).to_contain_text(KEPT)
        await take_screenshot(page, "ended-at-steps")
        run = await detail(grown)
        assert (run["state"], run["reason"]) == ("completed", "max_iterations")
        assert run["reachedLimit"] == {"unit": "iterations", "amount": 1}
        assert run["ending"] == (
            "The run reached its limit of 1 step. What it saved is kept. Start it again to continue, or raise "
            "SPROUT_AGENTS__TOPIC__MAX_ITERATIONS."
        )
        assert run["transitions"] == ["next_turn", "max_iterations"]
        await assert_run_says(page, grown, run["id"], "Stopped at its limit of 1 step")
        await take_screenshot(page, "ended-at-steps-run")
        await page.goto(path_url)
        async with page.expect_response(f"**/api/runs/{run['id']}/retry") as retried:
            await panel(page).get_by_role("button", name="Continue").click()
        again = await (await retried.value).json()
        await grown.events_of(again["id"])
        assert (await grown.last_run())["id"] == again["id"] != run["id"]


async def test_M3_a_path_at_its_budget_says_which_one_in_the_language_of_the_page(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    async with (
        start_server(
            tmp_path, sqlite_url, pace=IMMEDIATE, offline_model=ClosesLater(), **topic_with(max_run_tokens=4_000)
        ) as grown,
        open_page(browser, grown.url) as page,
    ):
        await start_topic(page, COURSE)
        await wait_for_end(page, "Stopped at its budget of 4,000 tokens")
        path_url = page.url
        assert titles(await grown.graph(), "concept")
        run = await detail(grown)
        assert (run["state"], run["reason"]) == ("completed", "budget")
        assert run["reachedLimit"] == {"unit": "tokens", "amount": 4_000}
        assert run["transitions"][-1] == "budget"
        async with open_page(browser, path_url, locale="de-DE") as german:
            aside = german.get_by_role("complementary").filter(has_text="Beim Budget von 4.000 Tokens angehalten")
            await expect(aside).to_contain_text("Was bisher gespeichert wurde, bleibt.")
            await expect(aside.get_by_role("button", name="Weitermachen")).to_be_visible()
            await take_screenshot(german, "ended-at-budget-de")


async def test_M3_a_budget_that_leaves_no_concept_fails_the_run_and_says_so(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    async with (
        start_server(tmp_path, sqlite_url, pace=IMMEDIATE, **topic_with(max_run_tokens=300)) as grown,
        open_page(browser, grown.url) as page,
    ):
        await start_topic(page, COURSE)
        await wait_for_end(page, "Failed")
        await expect(page.get_by_role("alert").first).to_contain_text("Stopped at its budget of 300 tokens")
        await expect(page.get_by_role("alert").first).to_contain_text("Raise the limit in the server’s settings")
        await take_screenshot(page, "ended-at-budget-bare")
        run = await detail(grown)
    assert (run["state"], run["reason"], run["error"]["code"]) == ("failed", "budget", "budget")
    assert run["reachedLimit"] == {"unit": "tokens", "amount": 300}
    assert run["transitions"] == ["budget"]
    assert run["ending"] == run["error"]["message"]
    assert "SPROUT_AGENTS__TOPIC__MAX_RUN_TOKENS" in run["ending"]


async def test_M3_each_early_ending_has_its_words_on_the_page(browser: Browser) -> None:
    endings = [
        ("soft_limit", {"unit": "seconds", "amount": 900}, "Stopped at its time limit of 15 minutes"),
        ("budget", {"unit": "usd", "amount": 0.5}, "Stopped at its budget of $0.50"),
        ("refusal", None, "The model declined to answer"),
        ("stuck", None, "Stopped because it was going in circles"),
    ]
    async with start_fake_server() as sprout:
        for reason, limit, _ in endings:
            row = a_row(reason, "completed", reason=reason, reachedLimit=limit, offers=["retry"])
            sprout.add_run(row)
        async with open_page(browser, sprout.url) as page:
            for reason, _, words in endings:
                await page.goto(f"{sprout.url}/runs/{reason}")
                await expect(page.get_by_role("heading", name=words)).to_be_visible()
                await expect(panel(page)).to_contain_text(f"{words}{KEPT}")
                await expect(panel(page).get_by_role("button", name="Continue")).to_be_visible()


async def test_I8_a_path_whose_parts_the_budget_did_not_pay_for_says_so_and_offers_to_grow_the_rest(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    numbers: Row = {
        "model": "claude-opus-5",
        "fallback_model": "claude-opus-5",
        "budgets": {"learner_usd_per_day": 0.35},
    }
    async with start_server(tmp_path, sqlite_url, pace=QUICK_PACE, **numbers) as grown:
        await grown.events_of(await grown.start_path(COURSE, small=False))
        graph, run = await grown.graph(), await grown.last_run()
        parents = {node["parentId"] for node in graph["nodes"] if node["type"] == "subconcept"}
        bare = [node for node in graph["nodes"] if node["type"] == "concept" and node["id"] not in parents]
        assert run["state"] == "completed"
        assert bare
        path = f"{grown.url}/paths/{graph['branch']['id']}"
        for size in (DESKTOP, PHONE):
            async with open_page(browser, path, size=size) as page:
                notice = page.locator(".unfinished")
                await expect(notice).to_contain_text("no parts yet: the budget was spent before they could be made")
                await expect(notice.get_by_role("button", name="Grow the rest")).to_be_visible()
                await expect(page.get_by_text("Not finished: its agent failed").first).to_be_attached()
                await page.goto(f"{path}/concepts/{bare[0]['id']}")
                await expect(notice).to_contain_text("1 concept has no parts yet: the budget was spent")
                async with page.expect_response("**/api/agents/topics/*/run?wait=false") as asked:
                    await notice.get_by_role("button", name="Grow the rest").click()
                assert (await asked.value).status in (200, 202)
                await grown.events_of((await (await asked.value).json())["id"])
