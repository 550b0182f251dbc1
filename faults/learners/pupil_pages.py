"""Pages of pupils in a real browser, which they have open while they learn."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from playwright.async_api import Page, expect

from faults.learners.pupil import Pupil
from harness.browser import chromium, open_page
from harness.servers.signed_in import PASSWORD

EXPECTED = ("Failed to load resource",)  # the 401 before signing in
PATIENCE_MS = 60_000  # all of a class do it at once


@asynccontextmanager
async def open_pages(origin: str, count: int) -> AsyncIterator[Sequence[Page]]:
    """So many pages, each in a profile of its own. Raises AssertionError where one of them reports a fault."""
    async with AsyncExitStack() as stack:
        if not count:
            yield []
            return
        browser = await stack.enter_async_context(chromium())
        yield [await stack.enter_async_context(open_page(browser, origin, allow=EXPECTED)) for _ in range(count)]


async def sign_in_on(page: Page, pupil: Pupil) -> None:
    """Sign in on the page, whose session the pupil goes on with."""
    await page.get_by_label("Name", exact=True).fill(pupil.name)
    await page.get_by_label("Password").fill(PASSWORD)
    await page.get_by_role("button", name="Sign in", exact=True).click()
    await expect(page.get_by_role("link", name="Progress")).to_be_visible(timeout=PATIENCE_MS)
    for cookie in await page.context.cookies():
        pupil.browser.cookies.set(cookie["name"], cookie["value"])
    await pupil.recognise()


async def open_given_path(page: Page, pupil: Pupil) -> None:
    """Open the page of the given path; what it shows is read."""
    await page.goto(str(pupil.browser.base_url.join(f"/paths/{pupil.branch_id}")))
    await expect(page.get_by_role("heading", level=1, name=pupil.path_title)).to_be_visible(timeout=PATIENCE_MS)
    pupil.read.append(await page.locator("body").inner_text())
