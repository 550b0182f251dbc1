"""P4: a server that may have hardly more memory than it has refuses what is too much, says why, and goes on."""

import sys
from asyncio.subprocess import Process

import pytest

from faults.crashes.out_of_memory import starve_server

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits another process")


async def test_P4_a_server_without_memory_refuses_work_with_503_and_takes_it_once_there_is_some(
    fork_server: Process,
) -> None:
    found = await starve_server(8, uploads=4, fork_server=fork_server)
    assert found.alive
    assert found.statuses[503] > 0
    assert found.broken == 0
    assert found.lines > 0, "the log survives, and says why"
    assert found.runs_after == 201
    assert found.verdict.faults == []
