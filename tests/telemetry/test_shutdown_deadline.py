"""A shutdown that something holds up: the process ends all the same, and says what it waited for."""

import json
import subprocess
import sys

import pytest

WITHIN_S = 60
HELD_UP = """
import asyncio, threading, time
from sprout.telemetry.logs import configure_logging
from sprout.telemetry.shutdown_deadline import ShutdownDeadline

async def wait_for_a_server():
    await asyncio.Event().wait()

def keep_a_thread():
    time.sleep(600)

async def main():
    configure_logging("warning", "json")
    ShutdownDeadline(asyncio.get_running_loop(), within_s=0.05).begin()
    {held_up_by}

asyncio.run(main())
"""


@pytest.mark.parametrize(
    ("held_up_by", "waiting", "frame"),
    [
        ("await asyncio.create_task(wait_for_a_server(), name='request')", "task request", "wait_for_a_server"),
        ("await asyncio.to_thread(keep_a_thread)", "thread asyncio_0", "keep_a_thread"),
        ("keep_a_thread()", "thread MainThread", "keep_a_thread"),
    ],
    ids=["task", "thread", "event loop"],
)
def test_X5_a_process_that_is_held_up_ends_and_names_what_it_waited_for(
    held_up_by: str, waiting: str, frame: str
) -> None:
    program = HELD_UP.format(held_up_by=held_up_by)
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=WITHIN_S, check=False)
    said = [json.loads(line) for line in ended.stderr.decode().splitlines()]
    assert ended.returncode == 1
    assert {line["event"] for line in said} == {"shutdown.overdue"}
    assert [frame in line["frames"] for line in said if line["kind"] == waiting] == [True]
