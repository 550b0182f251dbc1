"""The first story: a topic grows before one's eyes."""

import asyncio
from datetime import datetime
from pathlib import Path

from playwright.async_api import Browser, Route, expect

from harness.browser import open_page
from harness.journeys.sprout_server import COURSE, StoredEvent, start_server
from sprout.offline.pace import Pace
from tests.journeys.support.map_view import (
    assert_no_duplicates,
    assert_same_as_graph,
    panel,
    read_map,
    start_topic,
    take_screenshot,
    wait_for_end,
    wait_for_nodes,
)

ISSUE_PACE = Pace(1.0, 60)
LEISURELY = Pace(0.2, 200)  # so that nodes are seen one by one
CLOCK = """
addEventListener("click", (event) => {
  if (!event.target.closest("button[type=submit]")) return;
  const clickedMs = performance.now();
  new MutationObserver((_, watch) => {
    if (!document.querySelector(".map .seed, .map .hit")) return;
    watch.disconnect();
    requestAnimationFrame(() => { window.firstNodeMs = performance.now() - clickedMs; });
  }).observe(document, { childList: true, subtree: true });
}, true);
"""


async def test_nodes_arrive_one_after_the_other_and_a_reload_in_the_middle_changes_nothing(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    async with (
        start_server(tmp_path, sqlite_url, pace=LEISURELY) as grown,
        open_page(browser, grown.url, motion=True) as page,
        open_page(browser, grown.url) as undisturbed,
    ):
        grown.faults.hold_after(3)
        await start_topic(page, COURSE)
        await undisturbed.goto(page.url)
        count = await wait_for_nodes(page, 0)
        for answered in (5, 7):
            grown.faults.hold_after(answered)
            count = await wait_for_nodes(page, count)
        await take_screenshot(page, "growing")
        await page.reload()
        grown.faults.release()
        await wait_for_nodes(page, count)
        await wait_for_end(page)
        await wait_for_end(undisturbed)
        await take_screenshot(page, "finished-reloaded")
        await take_screenshot(undisturbed, "finished-watched")

        seen, graph = await read_map(page), await grown.graph()
        assert seen == await read_map(undisturbed)
        assert "Done" in seen.activity
        assert_same_as_graph(seen, graph)
        assert_no_duplicates(graph)


async def test_a_path_that_has_just_grown_does_not_say_that_nothing_is_left(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    answered = asyncio.Event()

    async def answer_later(route: Route) -> None:
        await answered.wait()
        await route.continue_()

    async with start_server(tmp_path, sqlite_url, pace=LEISURELY) as grown, open_page(browser, grown.url) as page:
        grown.faults.hold_after(3)
        await start_topic(page, COURSE)
        await wait_for_nodes(page, 0)
        async with page.expect_response("**/api/next?*"):
            await page.reload()
        await page.route("**/api/next?*", answer_later)
        grown.faults.release()
        await expect(page.get_by_text("Looking for your next step")).to_be_visible()
        answered.set()
        await expect(page.locator(".next-panel .btn.go")).to_contain_text("Start")


async def test_the_first_subconcept_comes_before_the_path_agent_is_done(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    """At the pace of a real model; how long the first node took is printed (pytest -s), not asserted."""
    async with (
        start_server(tmp_path, sqlite_url, pace=ISSUE_PACE) as grown,
        open_page(browser, grown.url, motion=True) as page,
    ):
        await page.evaluate(CLOCK)
        await start_topic(page, COURSE)
        took = await page.wait_for_function("() => window.firstNodeMs")
        await page.locator(".map .petals > *").first.wait_for(timeout=60_000)
        await panel(page).get_by_role("button", name="Stop").click()
        await wait_for_end(page, shows_run=False)
        await expect(page.locator(".run-line")).to_contain_text("Stopped by you")

        events = await grown.events_of((await grown.last_run())["id"])
        first_part = next(
            each.seq for each in events if each.kind == "node_created" and each.data["node"]["type"] == "subconcept"
        )
        assert first_part < max(
            each.seq for each in events if each.data["agent"] == "topic" and each.kind != "run_done"
        )
        first_ms = await took.json_value()
        print(f"\nclick → first node: {first_ms:.0f} ms, of which the model {_model_ms(events):.0f} ms")  # noqa: T201 - a figure for people


def _model_ms(events: list[StoredEvent]) -> float:
    """From the path agent's start to the end of its first call."""
    start, call = (
        next(datetime.fromisoformat(each.data["at"]) for each in events if each.kind == kind)
        for kind in ("agent_start", "tool_call")
    )
    return (call - start).total_seconds() * 1000
