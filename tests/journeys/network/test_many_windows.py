"""More windows than a browser has connections for one server, and a proxy that holds streams back."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from playwright.async_api import Browser, Error, Page, Request, WebError, expect

from harness.browser import open_page
from harness.journeys.sprout_server import COURSE, Row, SproutServer, start_server
from sprout.learning.paths.repository import DEFAULT_USER_ID
from tests.journeys.support.map_view import (
    assert_same_as_graph,
    read_map,
    start_topic,
    take_screenshot,
    wait_for_end,
    wait_for_nodes,
)
from tests.web.stream.test_proxy import behind_nginx

WINDOWS = 7
HOLDING = 3
HOLDS_BACK = "proxy_ignore_headers X-Accel-Buffering; proxy_buffers 8 256k; proxy_busy_buffers_size 512k;"


@asynccontextmanager
async def windows(first: Page, count: int) -> AsyncIterator[list[Page]]:
    """So many windows of one profile, all in sight; leaving the block raises what a page threw."""
    thrown: list[Error] = []

    def noted(failed: WebError) -> None:
        thrown.append(failed.error)

    first.context.on("weberror", noted)
    yield [first, *[await first.context.new_page() for _ in range(count - 1)]]
    assert thrown == []


async def bare_path(grown: SproutServer) -> Row:
    """The topic of a path on which nothing has grown."""
    branch = await grown.post("/branches", {"title": COURSE, "userId": DEFAULT_USER_ID})
    topic = {"userId": DEFAULT_USER_ID, "type": "root", "title": COURSE, "branchId": branch["id"]}
    root: Row = await grown.post("/nodes", topic)
    return root


def holds_open(request: Request) -> bool:
    return "/api/events" in request.url and "follow=false" not in request.url


async def test_N14_seven_windows_in_sight_all_load_and_all_see_a_run_as_it_goes(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    async with (
        start_server(tmp_path, sqlite_url) as grown,
        open_page(browser, grown.url) as first,
        windows(first, WINDOWS) as pages,
    ):
        root = await bare_path(grown)
        streaming: set[Page] = set()
        first.context.on("request", lambda request: streaming.add(request.frame.page) if holds_open(request) else None)
        for page in pages:
            await page.goto(f"{grown.url}/paths/{root['branchId']}")
            await expect(page.locator("h1")).to_contain_text(COURSE)
        assert [await page.evaluate("document.visibilityState") for page in pages] == ["visible"] * WINDOWS
        assert len(streaming) == HOLDING

        await grown.start_run(root["id"], small=True)
        await asyncio.gather(*(wait_for_end(page) for page in pages))
        await take_screenshot(pages[-1], "seventh-window")
        seen = [await read_map(page) for page in pages]
        assert seen == [seen[0]] * WINDOWS
        assert_same_as_graph(seen[0], await grown.graph())


async def test_N14_a_window_that_goes_leaves_its_place_to_one_that_had_none(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    async with (
        start_server(tmp_path, sqlite_url) as grown,
        open_page(browser, grown.url) as first,
        windows(first, HOLDING + 1) as pages,
    ):
        for page in pages[1:-1]:
            async with page.expect_request(holds_open):
                await page.goto(grown.url)
        last = pages[-1]
        async with last.expect_request(lambda request: "follow=false" in request.url):
            await last.goto(grown.url)
        async with last.expect_request(holds_open):
            await pages[1].close()


async def test_N13_where_a_proxy_holds_streams_back_the_page_asks_for_what_there_is(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    async with (
        start_server(tmp_path, sqlite_url) as grown,
        behind_nginx(grown.url, tmp_path, HOLDS_BACK) as address,
        open_page(browser, address) as page,
    ):
        await start_topic(page, COURSE, short=True)
        await wait_for_nodes(page, 0)
        await wait_for_end(page)
        await take_screenshot(page, "held-back")
        assert_same_as_graph(await read_map(page), await grown.graph())
