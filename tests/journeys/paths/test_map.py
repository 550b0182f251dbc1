"""The map of a path: its places are kept, and no view that nobody chose has a label too small to read (ui 4)."""

from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from harness.browser import DESKTOP, PHONE, open_page
from harness.journeys.learner import open_course

CONCEPT = "Turning percentages into counts of people"
PLACES = """() => Object.fromEntries([...document.querySelectorAll(".map .hit")].map(
  (node) => [node.dataset.id, node.style.transform]))"""
SMALL_LABELS = """() => [...document.querySelectorAll(".map svg.canvas text")].flatMap((label) => {
  const style = getComputedStyle(label);
  const px = parseFloat(style.fontSize) * label.getScreenCTM().a;
  return style.visibility === "visible" && px < 11.99 ? [`${label.textContent} ${px}`] : [];
})"""


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
