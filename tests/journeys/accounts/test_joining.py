"""Joining a class in a browser: with a code and a nickname, coming back with the card, and what a teacher gives."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import httpx2
import pytest
from playwright.async_api import Browser, Page, Route, expect

from harness.browser import PHONE, open_page
from harness.servers.signed_in import PASSWORD, SignInServer, serving_sign_in
from sprout.accounts.principal import AccountRole
from sprout.clock import utc_now
from sprout.yaml_loader import load_yaml
from tests.journeys.support import axe
from tests.journeys.support.map_view import take_screenshot

EXAMPLE = Path(__file__).parents[3] / "examples" / "fractions.yaml"
EXPECTED = ("Failed to load resource",)  # the 401 of one who is not signed in
MM = 96 / 25.4


@dataclass(frozen=True)
class School:
    """A teacher with a class, to which a path is given that is to be learned by tomorrow."""

    server: SignInServer
    teacher: httpx2.AsyncClient
    code: str
    branch_id: str


@pytest.fixture
async def school(tmp_path: Path, sqlite_url: str) -> AsyncIterator[School]:
    async with serving_sign_in(tmp_path, sqlite_url) as server:
        await server.add_person("tess", AccountRole.TEACHER)
        await server.add_person("anna")
        teacher = await server.sign_in("tess")
        made = (await teacher.post("/api/classes", json={"name": "Statistics 10b"})).json()
        address = f"/api/classes/{made['id']}"
        code = (await teacher.post(f"{address}/code", json={})).json()["code"]["code"]
        path = await teacher.post("/api/graphs", json=load_yaml(EXAMPLE.read_text(encoding="utf-8")))
        branch_id = path.json()["branch"]["id"]
        tomorrow = (utc_now() + timedelta(days=1)).date().isoformat()
        await teacher.post(f"{address}/paths", json={"branchId": branch_id, "dueOn": tomorrow})
        yield School(server, teacher, code, branch_id)


async def join(page: Page, code: str) -> None:
    await page.get_by_label("Class code").press_sequentially(code.lower())
    await expect(page.get_by_label("Class code")).to_have_value(f"{code[:4]} {code[4:]}")
    await expect(page.get_by_text("Statistics 10b, with tess")).to_be_visible()
    await page.get_by_label("Nickname").fill("Mila")


def answer_after(event: asyncio.Event) -> Callable[[Route], Awaitable[None]]:
    """A server that answers a request once something has happened."""

    async def answer(route: Route) -> None:
        await event.wait()
        await route.continue_()

    return answer


async def test_a_pupil_joins_keeps_the_card_and_comes_back_with_it(browser: Browser, school: School) -> None:
    origin = school.server.origin
    async with open_page(browser, origin, allow=EXPECTED) as page:
        await join(page, school.code)
        await axe.assert_accessible(page, "join")
        await page.get_by_role("button", name="Join", exact=True).click()
        await expect(page.get_by_role("heading", name="Your card, Mila")).to_be_focused()
        words = await page.locator(".pc .words b").inner_text()
        assert len(words.split()) == 5
        await axe.assert_accessible(page, "card")
        await page.emulate_media(media="print")
        await expect(page.get_by_role("heading", name="Your card, Mila")).to_be_hidden()
        box = await page.locator(".pc").bounding_box()
        assert box is not None
        assert abs(box["width"] - 85 * MM) < 1
        await page.emulate_media(media="screen")
        await page.get_by_role("button", name="I have it").click()
        await page.wait_for_url(re.compile(r"/learn/"))

    asked: list[str] = []
    async with open_page(browser, f"{origin}/join", size=PHONE, scheme="dark", allow=EXPECTED) as page:
        page.on("request", lambda request: asked.append(request.url))
        await expect(page.get_by_label("Class code")).to_be_visible()
        await expect(page.get_by_label("Password")).to_be_hidden()
        await take_screenshot(page, "join-dark-360")
        await page.goto(f"{origin}/card#{words.replace(' ', '-')}")
        await expect(page.get_by_role("button", name="Come in")).to_be_focused()
        assert page.url == f"{origin}/card"
        await take_screenshot(page, "card-scanned-dark-360")
        await page.keyboard.press("Enter")
        await expect(page.get_by_text("From tess, Statistics 10b, by tomorrow")).to_be_visible()
        await take_screenshot(page, "given-path-dark-360")
    async with open_page(browser, origin, allow=EXPECTED) as page:
        page.on("request", lambda request: asked.append(request.url))
        await page.get_by_role("button", name="type its five words").click()
        await page.get_by_label("The five words of your card").fill(words.upper().replace(" ", "-"))
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("link", name="Progress")).to_be_visible()
    assert not [url for url in asked if words.split()[0] in url]


async def test_who_keeps_the_card_before_the_first_step_is_known_comes_to_it_all_the_same(
    browser: Browser, school: School
) -> None:
    pressed = asyncio.Event()
    async with open_page(browser, school.server.origin, allow=EXPECTED) as page:
        await page.route("**/api/next?*", answer_after(pressed))
        await join(page, school.code)
        await page.get_by_role("button", name="Join", exact=True).click()
        await page.get_by_role("button", name="I have it").click()
        pressed.set()
        await page.wait_for_url(re.compile(r"/learn/"))


async def test_who_types_a_class_code_is_not_called_away_by_the_form_beside_it(
    browser: Browser, school: School
) -> None:
    begun, code = asyncio.Event(), school.code
    async with open_page(browser, school.server.origin, allow=EXPECTED) as page:
        await page.route("**/api/sign-in", answer_after(begun))
        await page.reload()
        await page.get_by_label("Class code").press_sequentially(code[:4])
        begun.set()
        await expect(page.get_by_label("Password")).to_be_visible()
        await page.keyboard.type(code[4:])
        await expect(page.get_by_label("Class code")).to_have_value(f"{code[:4]} {code[4:]}")


async def test_what_a_teacher_adds_is_offered_on_the_path_and_taken_over(browser: Browser, school: School) -> None:
    server, teacher = school.server, school.teacher
    async with open_page(browser, f"{server.origin}/join#{school.code}", locale="de-DE", allow=EXPECTED) as page:
        await expect(page.get_by_text("Statistics 10b, bei tess")).to_be_visible()
        await take_screenshot(page, "join-german")
        await page.get_by_label("Name", exact=True).fill("anna")
        await page.get_by_label("Passwort").fill(PASSWORD)
        await page.get_by_role("button", name="Anmelden", exact=True).click()
        await expect(page.get_by_role("link", name="Fortschritt")).to_be_visible()
    async with open_page(browser, f"{server.origin}/settings", allow=EXPECTED) as page:
        await page.get_by_label("Name", exact=True).fill("anna")
        await page.get_by_label("Password").fill(PASSWORD)
        await page.get_by_role("button", name="Sign in", exact=True).click()
        classes = page.get_by_role("region", name="Classes")
        await expect(classes.get_by_text("You have joined none.")).to_be_visible()
        await classes.get_by_label("Class code").fill(school.code)
        await classes.get_by_role("button", name="Join").click()
        await expect(classes.get_by_text("You have joined Statistics 10b.")).to_be_visible()

        (root,) = (await teacher.get("/api/nodes", params={"branchId": school.branch_id, "type": "root"})).json()
        added = {"type": "concept", "title": "Percentages", "desc": "Parts of a hundred.", "parentId": root["id"]}
        made = await teacher.post("/api/nodes", json={**added, "branchId": school.branch_id})
        made.raise_for_status()
        await page.goto(f"{server.origin}/paths")
        await page.get_by_role("link", name="Fractions").first.click()
        notice = page.get_by_role("region", name="tess has changed this path")
        await expect(notice.get_by_text("Percentages")).to_be_visible()
        await axe.assert_accessible(page, "path-update")
        await notice.get_by_role("button", name="Later").click()
        await page.get_by_role("button", name="Show", exact=True).click()
        await notice.get_by_role("button", name="Accept").click()
        await expect(page.get_by_text("Your path has it now.")).to_be_visible()
        await expect(page.locator(".map")).to_contain_text("Percentages")

        await page.goto(f"{server.origin}/settings")
        await classes.get_by_role("link", name="What your teacher sees in Statistics 10b").click()
        await expect(page.get_by_text("What tess sees of you in Statistics 10b")).to_be_visible()
        concepts = page.get_by_role("list", name="Concepts of Fractions").get_by_role("listitem")
        await expect(concepts.filter(has_text="A fraction as equal parts")).to_contain_text("Ready")
        await axe.assert_accessible(page, "what-the-teacher-sees")
        await page.get_by_role("link", name="Settings").first.click()
        await classes.get_by_role("button", name="Leave Statistics 10b").click()
        await axe.assert_accessible(page, "leave-class")
        await page.get_by_role("button", name="Leave the class").click()
        await expect(classes.get_by_text("You have joined none.")).to_be_visible()
        await expect(classes.get_by_role("heading")).to_be_focused()
