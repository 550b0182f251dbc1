"""What breaks in the middle: the server's process, the network."""

import asyncio
import re
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
from playwright.async_api import Browser, expect

from tests.browser import open_page
from tests.house.commands import START_S, address, started
from tests.journeys.garden import COURSE, Garden, Weather, garden
from tests.journeys.screen import ask, ended, more_nodes, picture, same_as_graph, shown, without_doubles

LOST = ("ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE")
OFFLINE = ("ERR_INTERNET_DISCONNECTED", "ERR_NETWORK_CHANGED")


async def test_a_killed_server_is_waited_for_and_the_run_goes_on_by_itself(browser: Browser, tmp_path: Path) -> None:
    async with _process(tmp_path, port="0") as (process, url):
        async with open_page(browser, url, allow=LOST) as page:
            await ask(page, COURSE)
            await more_nodes(page, 8)
            process.kill()
            await process.wait()
            await expect(page.get_by_role("status").get_by_text("Connection lost.")).to_be_visible()
            await picture(page, "server-killed")
            port = url.rpartition(":")[2]
            async with _process(tmp_path, port=port):
                await ended(page)
                await picture(page, "server-back")
                async with _at(url) as grown:
                    after = await grown.graph()
                    assert [run["state"] for run in after["runs"]] == ["completed"]
                    assert after["runs"][0]["resumes"] == 1
                    same_as_graph(await shown(page), after)
                    without_doubles(after)


@asynccontextmanager
async def _process(folder: Path, *, port: str) -> AsyncIterator[tuple[Process, str]]:
    """`sprout serve` in a process of its own, on the built-in model, with the address that it printed."""
    settings = {"SPROUT_OFFLINE_TOKENS_PER_S": "700", "SPROUT_LOG_LEVEL": "error"}
    process = await started("serve", "--port", port, folder=folder, **settings)
    try:
        async with asyncio.timeout(START_S):
            url = await address(process)
        yield process, url
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


@asynccontextmanager
async def _at(url: str) -> AsyncIterator[Garden]:
    async with httpx2.AsyncClient(base_url=url, timeout=30) as web:
        yield Garden(url, Weather(), web)


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
