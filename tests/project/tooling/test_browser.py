"""The browser of the tests notices what a page does wrong."""

from collections.abc import AsyncIterator

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

from harness.browser import chromium, open_page
from harness.servers.in_process import RunningServer, serve_app

BODIES = {
    "sound": "<p>hello</p><script>document.title = 'ready'</script>",
    "throws": "<script>null.x</script>",
    "logs": "<script>console.error('bad news')</script>",
    "calls-out": "<script>fetch('http://127.0.0.1:9/spy').catch(() => {})</script>",
}


@pytest.fixture
async def pages() -> AsyncIterator[RunningServer]:
    async def page(request: Request) -> HTMLResponse:
        body = BODIES.get(request.path_params["name"], "")
        return HTMLResponse(f"<!doctype html><link rel=icon href=data:,>{body}")

    async with serve_app(Starlette(routes=[Route("/{name}", page)])) as served:
        yield served


async def test_a_sound_page_can_be_used(pages: RunningServer) -> None:
    async with chromium() as browser, open_page(browser, f"{pages.url}/sound") as page:
        assert await page.title() == "ready"


@pytest.mark.parametrize(
    ("name", "fault"), [("throws", "thrown: "), ("logs", "bad news"), ("calls-out", "asked a foreign origin")]
)
async def test_a_page_that_misbehaves_fails_the_test(pages: RunningServer, name: str, fault: str) -> None:
    async with chromium() as browser:
        with pytest.raises(AssertionError, match=fault):
            async with open_page(browser, f"{pages.url}/{name}") as page:
                await page.wait_for_load_state("networkidle")


async def test_a_fault_that_the_test_provokes_can_be_allowed(pages: RunningServer) -> None:
    async with chromium() as browser, open_page(browser, f"{pages.url}/logs", allow=("bad news",)) as page:
        await page.wait_for_load_state("networkidle")
