"""An event loop that a bad tool holds up: told with its stack, and no lease is lost by it (faults.md P11)."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sprout.config import load_settings
from sprout.loop.tools import Tool, tool
from sprout.offline.reply import Reply, TextOut, ToolOut
from sprout.runs.state import RunState
from sprout.store.engine.database import Database
from sprout.telemetry.watchdog import watch_event_loop
from tests.runs.live_app import live_app
from tests.runs.scripted_agents import TurnScript, an_agent
from tests.telemetry.observed_runs import entries, written_log

LOOK = Reply([ToolOut("look", {"at": "leaves"})])
LAST = Reply([TextOut("That is all.")])
LONGEST_S = 60.0
BLOCKED_S = 5.0


@contextmanager
def watching_for(event: str) -> Iterator[threading.Event]:
    """Set once a line of the log says so, in whichever thread it is written."""
    seen, root = threading.Event(), logging.getLogger()

    class Seen(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.msg == event:
                seen.set()

    handler = Seen()
    root.addHandler(handler)
    try:
        yield seen
    finally:
        root.removeHandler(handler)


async def test_P11_a_tool_that_holds_up_the_loop_is_told_of_with_its_place_and_its_run_goes_on(
    database: Database, data_dir: Path
) -> None:
    with watching_for("loop.stalled") as stalled, written_log() as stream:
        async with (
            watch_event_loop(limit_s=0.3),
            live_app(database, TurnScript(LOOK, LAST), data_dir, agents=[an_agent(a_blocking_look(stalled))]) as life,
        ):
            run_id = await life.start()
            await life.streamed(run_id)
            run = await life.store.run(run_id)
    lines = entries(stream)
    assert any("test_watchdog.py" in one["frames"] and "look" in one["frames"] for one in of(lines, "loop.stalled"))
    assert of(lines, "agent_run.lease_lost") == []
    assert (run.state, run.epoch) == (RunState.COMPLETED, 1)


def test_P11_a_lease_lasts_longer_than_two_beats_and_a_loop_that_is_held_up_for_five_seconds() -> None:
    numbers = load_settings().runs
    assert numbers.lease_s > 2 * numbers.heartbeat_s + BLOCKED_S


def of(lines: list[dict[str, object]], event: str) -> list[dict[str, str]]:
    return [{name: str(value) for name, value in line.items()} for line in lines if line["event"] == event]


def a_blocking_look(until: threading.Event) -> Tool:
    @tool()
    async def look(at: str) -> str:
        """Look at something, and let nothing else happen meanwhile."""
        until.clear()  # a busy machine may have held the loop up before
        assert until.wait(LONGEST_S)
        return "green"

    return look
