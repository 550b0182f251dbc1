"""A class page on paper: 35 learners and 60 concepts, whole, legible, black on white, without controls."""

from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from playwright.async_api import Browser, expect

from harness.browser import open_page
from harness.servers.signed_in import PASSWORD, SignInServer, serving_sign_in, unlimited
from sprout.accounts.principal import AccountRole
from tests.journeys.support.map_view import OUTPUT

LEARNERS, CONCEPTS = 35, 60
EXPECTED = ("Failed to load resource",)  # the 401 before signing in
TITLES = [f"Conditional odds {number:02}" for number in range(CONCEPTS)]
NAMES = [f"Learner {number:02}" for number in range(LEARNERS)]
A4_WIDTH_PT, A4_HEIGHT_PT = 842, 595
LEAST_CAPITAL_PT = 4.5  # of letters of 6.5 pt, as in the notes of a book
PAPER_PX = (1047, 718)  # A4 across without its margins
CLIPPED = """[...document.querySelectorAll("thead tr:first-child th:not(.pl)")].filter((head) => {
  const text = document.createRange();
  text.selectNodeContents(head);
  const [line, column] = [text.getBoundingClientRect(), head.getBoundingClientRect()];
  return line.left < column.left - 0.5 || line.right > column.right + 0.5;
}).map((head) => head.textContent)"""
ONLY_ON_SCREEN = ("Settings", "Progress", "Export", "Give out a path", "Join code", "Learners and cards", "Find a")


def a_path() -> dict[str, Any]:
    """Sixty concepts in a row."""
    return {
        "sprout_path": 1,
        "title": "Chance",
        "topic": {"title": "Chance"},
        "concepts": [{"title": title, "subconcepts": [{"title": f"{title} by hand"}]} for title in TITLES],
        "edges": [{"from": a, "to": b} for a, b in pairwise(TITLES)],
    }


@pytest.fixture
async def server(tmp_path: Path, sqlite_url: str) -> AsyncIterator[SignInServer]:
    async with serving_sign_in(tmp_path, sqlite_url, take_token=unlimited) as server:
        await server.add_person("tess", AccountRole.TEACHER)
        yield server


async def large_class(server: SignInServer) -> str:
    """The id of a class in which everybody has a copy of the path."""
    tess = await server.sign_in("tess")
    path = (await tess.post("/api/graphs", json=a_path())).raise_for_status().json()["branch"]
    class_id: str = (await tess.post("/api/classes", json={"name": "Year 10b"})).raise_for_status().json()["id"]
    made = await tess.post(f"/api/classes/{class_id}/code", json={"uses": LEARNERS})
    code = made.raise_for_status().json()["code"]["code"]
    for name in NAMES:
        joined = await (await server.browser()).post("/api/sign-in/class", json={"code": code, "nickname": name})
        joined.raise_for_status()
    given = await tess.post(f"/api/classes/{class_id}/paths", json={"branchId": path["id"]})
    given.raise_for_status()
    await server.accounts.path_giver.give_lacking()
    return class_id


async def test_a_class_of_35_with_60_concepts_prints_whole_and_legibly(browser: Browser, server: SignInServer) -> None:
    address = f"{server.origin}/classes/{await large_class(server)}"
    async with open_page(browser, address, scheme="dark", allow=EXPECTED) as page:
        await page.get_by_label("Name", exact=True).fill("tess")
        await page.get_by_label("Password").fill(PASSWORD)
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("grid").locator("tbody tr")).to_have_count(LEARNERS)
        await page.emulate_media(media="print")
        await page.set_viewport_size({"width": PAPER_PX[0], "height": PAPER_PX[1]})
        assert await page.evaluate(CLIPPED) == [], "no head of a column is cut along its lines"
        printed = pypdfium2.PdfDocument(await page.pdf(prefer_css_page_size=True))
    pictures = [sheet.render(scale=2).to_pil() for sheet in printed]
    OUTPUT.mkdir(parents=True, exist_ok=True)
    for number, picture in enumerate(pictures, start=1):
        picture.save(OUTPUT / f"class-print-{number}.png")
        darkest, lightest = picture.convert("L").getextrema()
        assert (darkest < 60, lightest) == (True, 255), "black on white, also where the screen is dark"
    assert len(printed) <= 2
    assert_whole_and_legible(printed)


def assert_whole_and_legible(printed: pypdfium2.PdfDocument) -> None:
    """Assert that all names and titles are there, inside the paper, and large enough."""
    names = set[str]()
    for sheet in printed:
        width, height = sheet.get_size()
        assert (round(width), round(height)) == (A4_WIDTH_PT, A4_HEIGHT_PT), "as wide as paper is"
        text = sheet.get_textpage()
        said = text.get_text_range()
        boxes = [text.get_charbox(at) for at in range(text.count_chars()) if text.get_text_range(at, 1).strip()]
        cut = [box for box in boxes if box[0] < 0 or box[1] < 0 or box[2] > width or box[3] > height]
        assert not cut, "nothing stands beyond the edge"
        for name in NAMES:
            place = text.search(name).get_next()
            if place is not None:
                _, bottom, _, top = text.get_charbox(place[0])
                assert top - bottom >= LEAST_CAPITAL_PT, f"{name} is large enough to be read"
        assert [one for one in TITLES if one not in said] == [], "every sheet says which column is which"
        assert [one for one in ONLY_ON_SCREEN if one in said] == []
        names |= {one for one in (*NAMES, "Year 10b") if one in said}
    assert names == {*NAMES, "Year 10b"}
