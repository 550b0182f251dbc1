"""The Chromium of this machine, on all of its cores."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from playwright.async_api import Browser, async_playwright

from harness.services import CHROMIUM


@asynccontextmanager
async def benchmark_browser() -> AsyncIterator[Browser]:
    """Headless; a browser is many processes, so the client's one core is not for it alone."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, range(os.cpu_count() or 1))
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM)
        try:
            yield browser
        finally:
            await browser.close()
