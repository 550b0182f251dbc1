"""A served web application: one for all tests that do not mind each other, and one of its own for the others."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from harness.servers.web import Web, a_static_folder, serving_web


@pytest.fixture(scope="session")
async def web(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Web]:
    """Shared: a test finds what others have left, and may not stop the server or break its parts."""
    folder = tmp_path_factory.mktemp("web")
    async with serving_web(folder, a_static_folder(folder)) as running:
        yield running


@pytest.fixture
async def own_web(tmp_path: Path) -> AsyncIterator[Web]:
    """Empty, and for one test alone."""
    async with serving_web(tmp_path, a_static_folder(tmp_path)) as running:
        yield running
