"""A teacher's class in a browser: made, given a path, read as a matrix and as lists, by keyboard, in both themes."""

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from playwright.async_api import Browser, Page, expect

from harness.browser import DESKTOP, PHONE, open_page
from harness.servers.signed_in import PASSWORD, SignInServer, serving_sign_in
from sprout.accounts.principal import AccountRole
from tests.journeys.support import axe
from tests.journeys.support.map_view import take_screenshot
from tests.store.accounts.class_page import RIGHT, STAYS, WRONG, a_path

EXPECTED = ("Failed to load resource",)  # the 401 before signing in
CLASS = "Statistics, year 10b"
REFRESH_MS = 30_000


@pytest.fixture
async def server(tmp_path: Path, sqlite_url: str) -> AsyncIterator[SignInServer]:
    async with serving_sign_in(tmp_path, sqlite_url) as server:
        await server.add_person("tess", AccountRole.TEACHER)
        await server.add_person("anna")
        yield server


async def sign_in(page: Page, name: str) -> None:
    await page.get_by_label("Name", exact=True).fill(name)
    await page.get_by_label("Password").fill(PASSWORD)
    await page.get_by_role("button", name="Sign in", exact=True).click()


async def rows_of(browser: httpx2.AsyncClient, path: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await browser.get(path)).raise_for_status().json()
    return found


async def join(server: SignInServer, code: str, nickname: str) -> httpx2.AsyncClient:
    """A learner without an account, in a browser of their own."""
    browser = await server.browser()
    joined = await browser.post("/api/sign-in/class", json={"code": code, "nickname": nickname})
    assert joined.status_code == 201
    return browser


async def answer_all(browser: httpx2.AsyncClient, concept: str, text: str) -> None:
    """Answer the questions of a concept of one's copy, all of them so."""
    nodes = await rows_of(browser, "/api/nodes?type=concept")
    (node,) = [one for one in nodes if one["title"] == concept]
    (diagnostic,) = [one for one in await rows_of(browser, "/api/assessments") if one["targetNodeId"] == node["id"]]
    address = f"/api/assessments/{diagnostic['id']}"
    for question in await rows_of(browser, f"{address}/questions"):
        given = {"questionId": question["id"], "answerText": text}
        assert (await browser.post(f"{address}/answers", json=given)).status_code == 201


async def make_class(page: Page) -> str:
    """Create the class and its code on the page; the code."""
    await page.get_by_role("link", name="Classes").click()
    await expect(page.get_by_role("heading", name="You have no classes yet")).to_be_visible()
    await axe.assert_accessible(page, "classes-empty")
    await page.get_by_label("Name of the new class").fill(CLASS)
    await page.get_by_role("button", name="Create class").click()
    await expect(page.get_by_role("heading", name=CLASS)).to_be_visible()
    await expect(page.get_by_role("heading", name="No one has joined yet")).to_be_visible()
    await page.get_by_role("button", name="Create a code").click()
    await page.get_by_label("Places").fill("30")
    await page.get_by_role("button", name="Create a code").click()
    box = page.get_by_role("region", name="Join code")
    await expect(box).to_contain_text("30 places left")
    return (await box.locator(".cl-code").inner_text()).replace(" ", "")


async def give_path(page: Page) -> None:
    await page.get_by_role("button", name="Give out a path").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Which path").select_option("Numbers")
    await dialog.get_by_label("Until").fill("2027-01-15")
    await dialog.get_by_role("button", name="Give it out").click()
    await expect(dialog.get_by_role("status")).to_contain_text("2 learners have a copy")
    await dialog.get_by_role("button", name="Close").click()
    await expect(page.get_by_role("region", name="Given paths")).to_contain_text("Numbers")


async def test_a_teacher_makes_a_class_and_sees_where_its_learners_are_stuck(
    browser: Browser, server: SignInServer
) -> None:
    tess = await server.sign_in("tess")
    assert (await tess.post("/api/graphs", json=a_path())).status_code == 201
    async with open_page(browser, server.origin, allow=EXPECTED) as page:
        await page.clock.install()
        await sign_in(page, "tess")
        code = await make_class(page)
        mila, ben = [await join(server, code, name) for name in ("Mila", "Ben")]
        await page.reload()
        await expect(page.get_by_role("heading", name="No path is given out yet")).to_be_visible()
        await give_path(page)
        await answer_all(mila, "Counting", WRONG)
        await answer_all(ben, "Counting", RIGHT)
        await page.clock.fast_forward(REFRESH_MS)  # the page follows by itself

        grid = page.get_by_role("grid")
        heads = grid.get_by_role("columnheader").get_by_role("button")
        await expect(heads).to_contain_text(["Most stuck first", "Counting", "Sharing", "Odds", "Here last", "Due"])
        await expect(grid.get_by_role("row", name="Mila")).to_contain_text("Today")
        names = grid.locator("tbody th")
        await expect(names).to_have_text(["Mila", "Ben"])
        await expect(page.get_by_text("2 learners, 3 concepts. 2 were here this week, 1 is stuck")).to_be_visible()
        stuck = grid.get_by_role("button", name=re.compile("^Mila, Counting: .*stuck"))
        await expect(stuck).to_be_visible()
        await axe.assert_accessible(page, "class")

        mix_ups = page.get_by_role("region", name="Mix-ups in this class")
        await expect(mix_ups.get_by_role("listitem")).to_contain_text([f"“{STAYS}”"])
        await expect(mix_ups).to_contain_text("1 of 2 hold it")
        await mix_ups.get_by_role("button", name="Send a contrast question").click()
        await expect(mix_ups).to_contain_text("Sent today: 0 of 1 answered, 0 no longer hold it")
        await expect(mix_ups.get_by_role("button")).to_have_count(0)

        await grid.get_by_role("button", name=re.compile("sort by name")).click()
        await expect(names).to_have_text(["Ben", "Mila"])
        await expect(grid.get_by_role("columnheader").first).to_have_attribute("aria-sort", "ascending")
        await page.get_by_label("Only who is stuck").check()
        await expect(names).to_have_text(["Mila"])
        await page.get_by_label("Only who is stuck").uncheck()

        for _ in ("from Z to A", "most stuck first"):
            await grid.get_by_role("button", name=re.compile("sort by name")).click()
        await heads.last.focus()
        await page.keyboard.press("Tab")
        await expect(names.first.get_by_role("button")).to_be_focused()
        for key in ("ArrowDown", "ArrowRight", "ArrowUp"):
            await page.keyboard.press(key)
        await expect(stuck).to_be_focused()
        await page.keyboard.press("Enter")
        report = page.get_by_role("dialog", name="Mila: Counting")
        await expect(report.get_by_text("Stuck: two of the last three answers were wrong.")).to_be_visible()
        await expect(report.locator(".cl-answers li")).to_have_count(4)
        for _ in range(10):  # once the focus is back, a key opens it at once
            await page.keyboard.press("Escape")
            await expect(stuck).to_be_focused()
            await page.keyboard.press("Enter")
            await expect(report.locator(".cl-answers li")).to_have_count(4)
        await axe.assert_accessible(page, "class-concept")
        await page.keyboard.press("Escape")

        await page.get_by_text("Limit what it may cost").click()
        await page.get_by_label("Dollars a day").fill("2.5")
        await page.get_by_role("button", name="Save").click()
        await expect(page.get_by_text("The limits are saved.")).to_be_visible()
        await page.get_by_role("button", name="Do without the model").click()
        await expect(page.get_by_role("button", name="Use the model of this server")).to_be_visible()
        await expect(page.get_by_label("Dollars a day")).to_have_value("2.5")
        await axe.assert_accessible(page, "class-budget")

        await page.get_by_text("Learners and cards").click()
        await page.get_by_role("button", name="New card for Mila").click()
        await page.get_by_role("button", name="Make the card").click()
        card = page.get_by_role("dialog", name="Card of Mila")
        await expect(card.get_by_role("img")).to_be_visible()
        await take_screenshot(page, "class-card-1440")
        assert (await mila.get("/api/account")).status_code == 401
        await page.keyboard.press("Escape")
        await page.get_by_role("button", name="Remove Ben").click()
        await page.get_by_role("dialog").get_by_role("button", name="Remove").click()
        await expect(names).to_have_text(["Mila"])

        await page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
        await expect(page.get_by_role("grid")).to_have_count(0)
        await expect(page.get_by_role("button", name="Counting 1 stuck")).to_be_visible()
        await page.get_by_role("button", name="Learners", exact=True).click()
        await page.get_by_role("button", name=re.compile("^Mila")).first.click()
        await expect(page.get_by_role("dialog", name="Mila")).to_contain_text("In progress, stuck")
        await take_screenshot(page, "class-learner-360")
        await page.keyboard.press("Escape")
        await page.set_viewport_size({"width": DESKTOP[0], "height": DESKTOP[1]})

        await page.get_by_role("link", name="Classes").click()
        await page.get_by_role("button", name=f"Archive {CLASS}").click()
        await expect(page.get_by_text("1 learner, archived")).to_be_visible()
        await axe.assert_accessible(page, "classes")
        await page.get_by_role("button", name=f"Delete {CLASS}").click()
        await page.get_by_role("button", name="Delete the class").click()
        await expect(page.get_by_role("heading", name="You have no classes yet")).to_be_visible()


async def test_a_learner_has_no_classes_in_the_navigation(browser: Browser, server: SignInServer) -> None:
    async with open_page(browser, server.origin, allow=EXPECTED) as page:
        await sign_in(page, "anna")
        await expect(page.get_by_role("link", name="Progress")).to_be_visible()
        async with page.expect_response("**/api/account"):
            await page.reload()
        await expect(page.get_by_role("link", name="Progress")).to_be_visible()
        await expect(page.get_by_role("link", name="Classes")).to_have_count(0)
