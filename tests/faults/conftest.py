"""Where the servers of these tests come from: everything is imported once."""

from asyncio.subprocess import Process
from collections.abc import AsyncIterator

import pytest

from faults.harness.server import nursery


@pytest.fixture(scope="session")
async def cradle() -> AsyncIterator[Process]:
    async with nursery() as process:
        yield process
