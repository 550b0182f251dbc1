"""One run, seen by two and stopped by one: nothing is made twice."""

from pathlib import Path

from playwright.async_api import Browser, expect

from harness.browser import open_page
from harness.journeys.sprout_server import COURSE, start_server
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

SILENT = Pace(600.0, 200)


async def test_two_browsers_see_the_same_and_asking_again_joins_the_run(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    async with start_server(tmp_path, sqlite_url) as grown, open_page(browser, grown.url) as first:
        grown.faults.hold_after(1)
        await start_topic(first, COURSE, short=True)
        async with open_page(browser, first.url) as second:
            await wait_for_nodes(first, 0)
            (path,) = await grown.paths()
            again = await grown.start_run(path["rootId"], small=True)
            assert (again.status_code, again.json()["id"]) == (200, path["activeRunId"])
            grown.faults.release()
            await wait_for_end(first)
            await wait_for_end(second)

            assert await read_map(first) == await read_map(second)
            graph = await grown.graph()
            assert [run["id"] for run in graph["runs"]] == [path["activeRunId"]]
            assert_same_as_graph(await read_map(first), graph)
            assert_no_duplicates(graph)


async def test_a_stopped_run_says_so_and_growing_the_rest_goes_on_with_what_is_there(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    async with start_server(tmp_path, sqlite_url) as grown, open_page(browser, grown.url) as page:
        grown.faults.hold_after(3)
        await start_topic(page, COURSE)
        await wait_for_nodes(page, 3)
        await panel(page).get_by_role("button", name="Stop").click()
        await expect(page.get_by_text("Stopped by you. Everything saved so far is kept.")).to_be_visible()
        await take_screenshot(page, "stopped")
        before = await grown.graph()
        assert (before["runs"][0]["state"], before["runs"][0]["reason"]) == ("cancelled", "cancelled")
        assert_same_as_graph(await read_map(page), before)

        grown.faults.release()
        await page.get_by_role("button", name="Grow the rest").click()
        await expect(panel(page).get_by_role("button", name="Stop")).to_be_visible()
        await wait_for_end(page)
        after = await grown.graph()
        assert [run["state"] for run in after["runs"]] == ["completed", "cancelled"]
        assert {node["id"] for node in before["nodes"]} < {node["id"] for node in after["nodes"]}
        assert_same_as_graph(await read_map(page), after)
        assert_no_duplicates(after)


async def test_a_run_that_is_stopped_before_it_made_anything_offers_to_grow_the_path_and_not_its_rest(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    async with start_server(tmp_path, sqlite_url, pace=SILENT) as grown, open_page(browser, grown.url) as page:
        await start_topic(page, COURSE)
        await panel(page).get_by_role("button", name="Stop").click()
        await expect(panel(page).get_by_text("Stopped by you.", exact=True)).to_be_visible()
        await page.get_by_role("button", name="Grow this path").click()  # on the map alone
        await expect(panel(page).get_by_role("button", name="Stop")).to_be_visible()
