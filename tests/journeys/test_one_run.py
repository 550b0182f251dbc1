"""One run, seen by two and stopped by one: nothing is made twice."""

from pathlib import Path

from playwright.async_api import Browser, expect

from sprout.offline.pace import Pace
from tests.browser import open_page
from tests.journeys.garden import COURSE, garden
from tests.journeys.screen import ask, ended, more_nodes, panel, picture, same_as_graph, shown, without_doubles

UNHURRIED = Pace(0.1, 200)  # so that much is left where somebody stops it
SILENT = Pace(600.0, 200)


async def test_two_browsers_see_the_same_and_asking_again_joins_the_run(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    async with garden(tmp_path, sqlite_url) as grown, open_page(browser, grown.url) as first:
        await ask(first, COURSE, short=True)
        async with open_page(browser, first.url) as second:
            await more_nodes(first, 0)
            (path,) = await grown.paths()
            again = await grown.grow_on(path["rootId"], small=True)
            assert (again.status_code, again.json()["id"]) == (200, path["activeRunId"])
            await ended(first)
            await ended(second)

            assert await shown(first) == await shown(second)
            graph = await grown.graph()
            assert [run["id"] for run in graph["runs"]] == [path["activeRunId"]]
            same_as_graph(await shown(first), graph)
            without_doubles(graph)


async def test_a_stopped_run_says_so_and_growing_the_rest_goes_on_with_what_is_there(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    async with garden(tmp_path, sqlite_url, pace=UNHURRIED) as grown, open_page(browser, grown.url) as page:
        await ask(page, COURSE)
        await more_nodes(page, 3)
        await panel(page).get_by_role("button", name="Stop").click()
        await ended(page, "Stopped by you. What was saved is kept.")
        await picture(page, "stopped")
        before = await grown.graph()
        assert (before["runs"][0]["state"], before["runs"][0]["reason"]) == ("cancelled", "cancelled")
        same_as_graph(await shown(page), before)

        await panel(page).get_by_role("button", name="Grow the rest").click()
        await expect(panel(page).get_by_role("button", name="Stop")).to_be_visible()
        await ended(page)
        after = await grown.graph()
        assert [run["state"] for run in after["runs"]] == ["completed", "cancelled"]
        assert {node["id"] for node in before["nodes"]} < {node["id"] for node in after["nodes"]}
        same_as_graph(await shown(page), after)
        without_doubles(after)


async def test_a_run_that_is_stopped_before_it_made_anything_offers_to_grow_the_path_and_not_its_rest(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    async with garden(tmp_path, sqlite_url, pace=SILENT) as grown, open_page(browser, grown.url) as page:
        await ask(page, COURSE)
        await panel(page).get_by_role("button", name="Stop").click()
        await expect(panel(page).get_by_text("Stopped by you.", exact=True)).to_be_visible()
        await expect(page.get_by_role("button", name="Grow this path")).to_have_count(2)  # on the map, and beside it
        await panel(page).get_by_role("button", name="Grow this path").click()
        await expect(panel(page).get_by_role("button", name="Stop")).to_be_visible()
