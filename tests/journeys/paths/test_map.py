"""The map of a path: its places are kept, and no view that nobody chose has a label too small to read (ui 4)."""

import re
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect
from sqlalchemy import update

from harness.browser import DESKTOP, PHONE, open_page
from harness.journeys.learner import open_course
from sprout.store.engine.database import open_database
from sprout.store.schema.columns import table_of
from sprout.store.schema.tables import Branch, Node
from tests.journeys.support import axe

REASON = "Added because you took “9%” and “9 of 100” for different things in two answers."
CONCEPT = "Turning percentages into counts of people"
PLACES = """() => Object.fromEntries([...document.querySelectorAll(".map .hit")].map(
  (node) => [node.dataset.id, node.style.transform]))"""
SMALL_LABELS = """() => [...document.querySelectorAll(".map svg.canvas text")].flatMap((label) => {
  const style = getComputedStyle(label);
  const px = parseFloat(style.fontSize) * label.getScreenCTM().a;
  return style.visibility === "visible" && px < 11.99 ? [`${label.textContent} ${px}`] : [];
})"""


CARD_PLACE = """() => {
  const [card, map] = [".node-card", ".map"].map((each) => document.querySelector(each).getBoundingClientRect());
  const name = document.querySelector(".node-card").getAttribute("aria-label");
  const nodes = [...document.querySelectorAll(".map .hit")];
  const node = nodes.find((each) => each.getAttribute("aria-label").startsWith(name));
  const mark = node.querySelector(".spot").getBoundingClientRect();
  return {
    inside: card.left >= map.left && card.right <= map.right && card.top >= map.top && card.bottom <= map.bottom,
    over: card.left < mark.right && card.right > mark.left && card.top < mark.bottom && card.bottom > mark.top,
  };
}"""
IS_BELOW_HEAD = """() => {
  const boxes = (selector) => [...document.querySelectorAll(selector)].map((each) => each.getBoundingClientRect());
  const lowest = Math.max(...boxes(".map-head :is(h1, p)").map((box) => box.bottom));
  return boxes(".map .hit").every((box) => box.top >= lowest);
}"""
IS_BESIDE = f"() => {{ const {{ inside, over }} = ({CARD_PLACE})(); return inside && !over; }}"


async def test_ui_4_places_are_kept_over_reloads_also_when_a_node_has_come_and_one_has_gone(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with open_course(tmp_path, bayes_url) as taught, open_page(browser, f"{taught.server.url}/docs") as page:
        concept, gone = taught.node(CONCEPT), taught.node("One in so many")["id"]
        url = f"{taught.path}/concepts/{concept['id']}"
        before = await _seen_and_stored(page, url, gone)
        added = {"type": "subconcept", "title": "A first look", "parentId": concept["id"]}
        await taught.server.post("/nodes", added | {key: concept[key] for key in ("branchId", "userId")})
        (await taught.server.client.delete(f"/api/nodes/{gone}")).raise_for_status()
        await page.goto(url)
        await expect(page.locator(".map .hit", has_text="A first look")).to_be_visible()
        after = await page.evaluate(PLACES)
        assert before.keys() - after.keys() == {gone}
        assert {node: after[node] for node in before if node != gone} == {
            node: place for node, place in before.items() if node != gone
        }


async def test_ui_4_the_whole_plant_stands_below_the_head_however_long_its_title(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    long = update(table_of(Branch)).values(
        title="What a positive test says about one person, and what it does not. " * 3
    )
    async with open_database(bayes_url) as database:
        await database.write_tx(lambda tx: tx.connection.execute(long))
    async with (
        open_course(tmp_path, bayes_url) as taught,
        open_page(browser, taught.path, size=(1280, 780)) as page,
    ):
        await expect(page.locator(".map .hit").first).to_be_visible()
        await page.wait_for_function(IS_BELOW_HEAD)


async def test_ui_4_the_card_of_a_node_opens_on_a_rest_or_a_click_beside_the_node_and_inside_the_view(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with open_database(bayes_url) as database:
        reasoned = update(table_of(Node)).values(reason=REASON)
        await database.write_tx(lambda tx: tx.connection.execute(reasoned))
    async with open_course(tmp_path, bayes_url) as taught, open_page(browser, taught.path) as page:
        card = page.locator(".node-card")
        for node in await page.locator(".map .hit").all():
            await node.hover()
            await expect(card).to_be_visible()
            assert await page.evaluate(CARD_PLACE) == {"inside": True, "over": False}
            await page.mouse.move(700, 120)
            await expect(card).to_have_count(0)
        first = page.locator(".map .hit").first
        await first.click()
        await expect(card.get_by_role("link", name="Open")).to_be_focused()
        await expect(card).to_contain_text("Ready, 8 parts, 64 min")
        await expect(first).to_contain_text("Ready, 8 parts, 64 min")
        await expect(card.get_by_role("link", name="I know this")).to_be_visible()
        await card.get_by_text("Why this is here").click()
        await expect(card.get_by_text(REASON)).to_be_visible()
        await page.wait_for_function(IS_BESIDE)  # it is placed again once its new size is known
        await axe.assert_accessible(page, "node-card")
        await page.mouse.click(700, 120)
        await expect(card).to_have_count(0)
        await first.click()
        concept = await first.get_attribute("data-id")
        await card.get_by_role("link", name="Open").click()
        await page.wait_for_url(f"**/concepts/{concept}")


async def test_ui_4_the_card_starts_what_comes_next_in_its_node_and_says_of_a_locked_one_what_it_waits_for(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with open_course(tmp_path, bayes_url) as taught, open_page(browser, taught.path) as page:
        card, filled = page.locator(".node-card"), page.locator(".btn.go:visible")
        nodes = page.locator(".map .hit")
        await nodes.filter(has_text="Weighing several clues").click()
        await expect(card).to_contain_text("LockedIt waits for “Degrees of belief")
        await expect(card.get_by_role("link", name=re.compile("^Start"))).to_have_count(0)
        await page.keyboard.press("Escape")
        await nodes.filter(has_text="Turning percentages into counts").click()
        start = card.get_by_role("link", name="Start, about 8 min")
        await expect(card).to_contain_text("Next: A percentage is a count out of a hundred")
        await expect(filled).to_have_text(await start.inner_text())
        assert await filled.get_attribute("href") == await start.get_attribute("href")
        await start.click()
        await page.wait_for_url("**/learn/*")


@pytest.mark.parametrize("size", [DESKTOP, (1100, 700), PHONE])
async def test_ui_4_no_label_is_below_12_px_at_a_scale_that_the_page_chooses(
    browser: Browser, tmp_path: Path, bayes_url: str, size: tuple[int, int]
) -> None:
    async with open_course(tmp_path, bayes_url) as taught, open_page(browser, taught.path, size=size) as page:
        if size == PHONE:
            await page.get_by_role("button", name="Map").click()
        await expect(page.locator(".map .hit").first).to_be_visible()
        assert await page.evaluate(SMALL_LABELS) == []
        await page.get_by_role("button", name="Show all").click()
        assert await page.evaluate(SMALL_LABELS) == []


async def _seen_and_stored(page: Page, url: str, node: str) -> dict[str, str]:
    """Where the nodes stand at the first visit, once that has been stored."""
    async with page.expect_response(lambda answer: node in (answer.request.post_data or "")) as stored:
        await page.goto(url)
    assert (await stored.value).status == 204
    places: dict[str, str] = await page.evaluate(PLACES)
    return places


async def test_ui_3_on_a_phone_the_map_opens_on_the_concept_of_the_next_step(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with (
        open_course(tmp_path, bayes_url) as taught,
        open_page(browser, taught.path, size=PHONE) as page,
    ):
        step = await taught.server.get("/next", branchId=taught.graph["branch"]["id"])
        await expect(page.locator(".docked .btn.go")).to_be_visible()
        await page.get_by_role("group", name="View").get_by_role("button", name="Map").click()
        node = page.locator(f'.map .hit[data-id="{step["concept"]["id"]}"]')
        await expect(node).to_be_in_viewport(ratio=1)
