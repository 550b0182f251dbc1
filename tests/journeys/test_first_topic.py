"""The first story: a topic grows before one's eyes."""

from datetime import datetime
from pathlib import Path

from playwright.async_api import Browser, Page

from sprout.offline.pace import Pace
from tests.browser import open_page
from tests.journeys.garden import COURSE, Told, garden
from tests.journeys.screen import ask, ended, more_nodes, panel, picture, same_as_graph, shown, without_doubles

ISSUE_PACE = Pace(1.0, 60)
LEISURELY = Pace(0.2, 200)  # so that a reload still falls in the middle
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
        garden(tmp_path, sqlite_url, pace=LEISURELY) as grown,
        open_page(browser, grown.url, motion=True) as page,
        open_page(browser, grown.url) as undisturbed,
    ):
        await ask(page, COURSE)
        await undisturbed.goto(page.url)
        counts = await _counts(page, 3)
        await picture(page, "growing")
        await page.reload()
        await more_nodes(page, counts[-1])
        await ended(page)
        await ended(undisturbed)
        await picture(page, "finished-reloaded")
        await picture(undisturbed, "finished-watched")

        seen, graph = await shown(page), await grown.graph()
        assert seen == await shown(undisturbed)
        assert "Done" in seen.activity
        same_as_graph(seen, graph)
        without_doubles(graph)


async def _counts(page: Page, times: int) -> list[int]:
    counts = [0]
    for _ in range(times):
        counts.append(await more_nodes(page, counts[-1]))
    return counts


async def test_the_first_subconcept_comes_before_the_path_agent_is_done(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    """At the pace of a real model; how long the first node took is printed (pytest -s), not asserted."""
    async with (
        garden(tmp_path, sqlite_url, pace=ISSUE_PACE) as grown,
        open_page(browser, grown.url, motion=True) as page,
    ):
        await page.evaluate(CLOCK)
        await ask(page, COURSE)
        took = await page.wait_for_function("() => window.firstNodeMs")
        await page.locator(".map .petals > *").first.wait_for(timeout=60_000)
        await panel(page).get_by_role("button", name="Stop").click()
        await ended(page, "Stopped by you")

        told = await grown.told((await grown.last_run())["id"])
        first_part = next(
            each.seq for each in told if each.kind == "node_created" and each.data["node"]["type"] == "subconcept"
        )
        assert first_part < max(each.seq for each in told if each.data["agent"] == "topic" and each.kind != "run_done")
        first_ms = await took.json_value()
        print(f"\nclick → first node: {first_ms:.0f} ms, of which the model {_model_ms(told):.0f} ms")  # noqa: T201 - a figure for people


def _model_ms(told: list[Told]) -> float:
    """From the path agent's start to the end of its first call."""
    start, call = (
        next(datetime.fromisoformat(each.data["at"]) for each in told if each.kind == kind)
        for kind in ("agent_start", "tool_call")
    )
    return (call - start).total_seconds() * 1000
