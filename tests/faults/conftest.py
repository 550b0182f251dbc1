"""Fork server for the servers of these tests: everything is imported once."""

from asyncio.subprocess import Process
from collections.abc import AsyncIterator

import pytest

from harness.servers.server_process import start_fork_server


@pytest.fixture(scope="session")
async def fork_server() -> AsyncIterator[Process]:
    async with start_fork_server() as process:
        yield process
