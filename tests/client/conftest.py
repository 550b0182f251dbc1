"""One served web application and one browser for all clients."""

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser

from harness.browser import chromium
from harness.servers.web import Web, a_static_folder, serving_web


@pytest.fixture(scope="session")
async def web(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Web]:
    folder = tmp_path_factory.mktemp("web")
    async with serving_web(folder, a_static_folder(folder)) as running:
        yield running


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    async with chromium() as browser:
        yield browser
