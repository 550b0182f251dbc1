"""P4: a server that may have hardly more memory than it has refuses what is too much, says why, and goes on."""

import sys
from asyncio.subprocess import Process

import pytest

from faults.memory import starved

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits another process")


async def test_P4_a_server_without_memory_refuses_work_with_503_and_takes_it_once_there_is_some(
    cradle: Process,
) -> None:
    found = await starved(8, uploads=4, cradle=cradle)
    assert found.alive
    assert found.statuses[503] > 0
    assert found.broken == 0
    assert found.lines > 0, "the log survives, and says why"
    assert found.after == 201
    assert found.verdict.faults == []
