"""What breaks in the middle: the server's process, the network."""

import re
from pathlib import Path

from playwright.async_api import Browser, expect

from tests.browser import open_page
from tests.house.commands import killed
from tests.journeys.garden import COURSE, garden
from tests.journeys.heard import heard, listen
from tests.journeys.processes import LOST, OFFLINE, garden_at, process
from tests.journeys.screen import ask, ended, more_nodes, picture, same_as_graph, shown, without_doubles


async def test_a_killed_server_is_waited_for_and_the_run_goes_on_by_itself(browser: Browser, tmp_path: Path) -> None:
    async with process(tmp_path, port="0") as (running, url):
        async with open_page(browser, url, allow=LOST) as page:
            await ask(page, COURSE)
            await more_nodes(page, 8)
            await listen(page)
            await killed(running)
            await expect(page.get_by_role("status").get_by_text("Connection lost.").last).to_be_visible()
            await picture(page, "server-killed")
            port = url.rpartition(":")[2]
            async with process(tmp_path, port=port):
                await ended(page)
                await picture(page, "server-back")
                assert not [words for words in await heard(page) if re.search(r"\d s", words)]  # no seconds that tick
                async with garden_at(url) as grown:
                    after = await grown.graph()
                    assert [run["state"] for run in after["runs"]] == ["completed"]
                    assert after["runs"][0]["resumes"] == 1
                    same_as_graph(await shown(page), after)
                    without_doubles(after)


async def test_a_lost_network_loses_nothing(browser: Browser, tmp_path: Path, sqlite_url: str) -> None:
    async with garden(tmp_path, sqlite_url) as grown, open_page(browser, grown.url, allow=OFFLINE) as page:
        await ask(page, COURSE)
        async with open_page(browser, page.url) as undisturbed:
            count = await more_nodes(page, 3)
            await page.context.set_offline(True)
            await expect(page.get_by_role("status").get_by_text("Offline.")).to_be_visible()
            await more_nodes(undisturbed, count + 5)
            await picture(page, "offline")
            await page.context.set_offline(False)
            await expect(page.get_by_role("status").get_by_text(re.compile("Back online"))).to_be_visible()
            await picture(page, "back-online")
            await ended(page)
            await ended(undisturbed)
            assert await shown(page) == await shown(undisturbed)
            same_as_graph(await shown(page), await grown.graph())


async def test_a_run_that_ends_while_the_network_is_away_is_shown_to_its_end(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    async with garden(tmp_path, sqlite_url) as grown, open_page(browser, grown.url, allow=OFFLINE) as page:
        await ask(page, COURSE, short=True)
        await more_nodes(page, 0)
        await page.context.set_offline(True)
        run = await grown.last_run()
        await grown.told(run["id"])
        await page.context.set_offline(False)
        await ended(page)
        same_as_graph(await shown(page), await grown.graph())
