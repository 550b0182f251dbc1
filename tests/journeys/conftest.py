"""One browser for all journeys of a process; every page of it has a profile of its own."""

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser, expect

from tests.browser import WAIT_MS, chromium


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    expect.set_options(timeout=WAIT_MS)
    async with chromium() as browser:
        yield browser
