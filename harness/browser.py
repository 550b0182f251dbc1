"""A real Chromium for tests: pages that fail the test when the page itself reports a fault."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Literal
from urllib.parse import urlsplit

from playwright.async_api import Browser, ConsoleMessage, Error, Page, Request, async_playwright

from harness.services import CHROMIUM, require

DESKTOP = (1440, 900)
PHONE = (360, 740)
WAIT_MS = 30_000
REPORT_VIOLATIONS = """
document.addEventListener("securitypolicyviolation", (event) => {
  const by = event.blockedURI || event.sourceFile;
  console.error(`policy ${event.effectiveDirective} broken by ${by} in ${location.pathname}`);
});
"""


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """The browser of this machine, headless; without one the test is skipped, or fails where it is required."""
    require("browser")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM)
        try:
            yield browser
        finally:
            await browser.close()


@asynccontextmanager
async def open_page(
    browser: Browser,
    url: str,
    *,
    size: tuple[int, int] = DESKTOP,
    scheme: Literal["light", "dark"] = "light",
    motion: bool = False,
    locale: str = "en-US",
    allow: tuple[str, ...] = (),
) -> AsyncIterator[Page]:
    """The page at `url` in a profile of its own, without animations unless `motion` is wanted.

    Leaving the block raises AssertionError when the page threw, logged an error, broke its content security policy,
    or asked a foreign origin for anything; `allow` names parts of messages that are expected, such as a status that
    a test provokes.
    """
    width, height = size
    context = await browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme=scheme,
        reduced_motion="no-preference" if motion else "reduce",
        locale=locale,
    )
    context.set_default_timeout(WAIT_MS)
    await context.add_init_script(REPORT_VIOLATIONS)
    faults: list[str] = []
    try:
        page = await context.new_page()
        _record_faults(page, urlsplit(url).netloc, faults)
        await page.goto(url)
        yield page
    finally:
        for each in context.pages:  # a request that is still held ends with its page
            await each.unroute_all(behavior="ignoreErrors")
        await context.close()
    unexpected = [fault for fault in faults if not any(part in fault for part in allow)]
    assert not unexpected, unexpected


def _record_faults(page: Page, origin: str, faults: list[str]) -> None:
    def thrown(error: Error) -> None:
        faults.append(f"thrown: {error.stack or error.message}")

    def record_message(message: ConsoleMessage) -> None:
        if message.type == "error":
            faults.append(f"logged: {message.text} ({message.location['url']})")

    def asked(request: Request) -> None:
        address = urlsplit(request.url)
        if address.scheme in ("http", "https") and address.netloc != origin:
            faults.append(f"asked a foreign origin: {request.url}")

    page.on("pageerror", thrown)
    page.on("console", record_message)
    page.on("request", asked)
