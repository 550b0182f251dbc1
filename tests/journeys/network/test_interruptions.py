"""Failures in the middle of a page's work: the server's process, the network."""

import re
from pathlib import Path

from playwright.async_api import Browser, expect

from harness.browser import open_page
from harness.journeys.learner import open_course
from harness.journeys.sprout_server import COURSE, start_server
from tests.journeys.support.announcements import announcements, start_listening
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
from tests.journeys.support.processes import CONNECTION_ERRORS, OFFLINE_ERRORS, server_at, start_process
from tests.project.commands import kill


async def test_a_killed_server_is_waited_for_and_the_run_goes_on_by_itself(browser: Browser, tmp_path: Path) -> None:
    async with start_process(tmp_path, port="0", tokens_per_s=300) as (running, url):
        async with open_page(browser, url, allow=CONNECTION_ERRORS) as page:
            await start_topic(page, COURSE)
            await wait_for_nodes(page, 8)
            await start_listening(page)
            await kill(running)
            await expect(page.get_by_role("status").get_by_text("Connection lost.").last).to_be_visible()
            await take_screenshot(page, "server-killed")
            port = url.rpartition(":")[2]
            async with start_process(tmp_path, port=port):
                await wait_for_end(page)
                await take_screenshot(page, "server-back")
                assert not [
                    words for words in await announcements(page) if re.search(r"\d s", words)
                ]  # no seconds that tick
                async with server_at(url) as grown:
                    after = await grown.graph()
                    assert [run["state"] for run in after["runs"]] == ["completed"]
                    assert after["runs"][0]["resumes"] == 1
                    assert_same_as_graph(await read_map(page), after)
                    assert_no_duplicates(after)


async def test_a_lost_network_loses_nothing(browser: Browser, tmp_path: Path, sqlite_url: str) -> None:
    async with start_server(tmp_path, sqlite_url) as grown, open_page(browser, grown.url, allow=OFFLINE_ERRORS) as page:
        grown.faults.hold_after(2)
        await start_topic(page, COURSE)
        async with open_page(browser, page.url) as undisturbed:
            count = await wait_for_nodes(page, 3)
            await page.context.set_offline(True)
            await expect(page.get_by_role("status").get_by_text("Offline.")).to_be_visible()
            grown.faults.release()
            await wait_for_nodes(undisturbed, count + 5)
            await take_screenshot(page, "offline")
            await page.context.set_offline(False)
            await expect(page.get_by_role("status").get_by_text(re.compile("Back online"))).to_be_visible()
            await take_screenshot(page, "back-online")
            await wait_for_end(page)
            await wait_for_end(undisturbed)
            assert await read_map(page) == await read_map(undisturbed)
            assert_same_as_graph(await read_map(page), await grown.graph())


async def test_a_run_that_ends_while_the_network_is_away_is_shown_to_its_end(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    async with start_server(tmp_path, sqlite_url) as grown, open_page(browser, grown.url, allow=OFFLINE_ERRORS) as page:
        grown.faults.hold_after(1)
        await start_topic(page, COURSE, short=True)
        await wait_for_nodes(page, 0)
        await page.context.set_offline(True)
        grown.faults.release()
        run = await grown.last_run()
        await grown.events_of(run["id"])
        await page.context.set_offline(False)
        await wait_for_end(page)
        assert_same_as_graph(await read_map(page), await grown.graph())


async def test_a_panel_whose_code_or_words_were_lost_on_the_way_comes_once_they_can(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with open_course(tmp_path, bayes_url) as grown:
        for lost in (re.compile(r"/views/run/activity_panel\.js$"), re.compile(r"/i18n/en\.run\.js$")):
            async with open_page(browser, grown.server.url, allow=OFFLINE_ERRORS) as page:
                await page.route(lost, lambda route: route.abort("internetdisconnected"))
                await page.goto(grown.path)
                await page.locator(".run-line .link").click()
                await page.wait_for_event("requestfailed", lambda request, lost=lost: lost.search(request.url))
                await page.unroute(lost)
                await expect(panel(page)).to_contain_text("Done")
