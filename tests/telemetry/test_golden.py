"""Log of whole runs, played on the offline model server (traps.md 86)."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.offline.api.messages_api import OfflineModel
from sprout.offline.faults.scenarios import Fault
from sprout.offline.reply import Body
from sprout.offline.script import Reply, Scripted, TextOut, ToolOut
from sprout.runs.state import RunState
from sprout.store.engine.database import Database
from sprout.telemetry.metrics import Metrics
from sprout.telemetry.observer import RunObserver
from sprout.telemetry.run_log import RunLogger
from tests.runs.live_app import live_app
from tests.telemetry.observed_runs import entries, written_log

CANARY = "the mitochondrion told me a secret"
FIGURES = ("reason", "state", "kind", "attempt", "of", "tool", "escalation", "error")


class Grower:
    """Saves two concepts, each with a child run; every word of it is a canary."""

    def __init__(self) -> None:
        self._grown = False

    def answer(self, body: Body) -> Reply:
        if body.get("tools") and not self._grown:
            self._grown = True
            saves = [ToolOut("save", {"title": f"{CANARY} {number}"}) for number in (1, 2)]
            return Reply([TextOut(CANARY), *saves])
        return Reply([TextOut(CANARY)])


def without_ids(line: dict[str, Any]) -> str:
    """A line without what differs from run to run: its name, who, and its own figures."""
    figures = (f"{name}={line[name]}" for name in FIGURES if name in line)
    return " ".join([line["event"], line.get("agent", "-"), *figures])


async def lines_of(database: Database, folder: Path, model: OfflineModel) -> list[str]:
    """The log of one run of the topic agent and its children."""
    observer = RunObserver(Metrics(), RunLogger())
    with written_log(level="DEBUG") as stream:
        async with live_app(database, model, folder, observer=observer) as life:
            run = (await life.runs.start("topic", node=life.root, user_id=DEFAULT_USER_ID)).run
            await life.runs.wait_until_released(run.id)
    assert CANARY not in stream.getvalue()
    return [without_ids(line) for line in entries(stream)]


async def test_a_run_with_two_children(database: Database, data_dir: Path) -> None:
    lines = await lines_of(database, data_dir, Grower())
    assert lines[0] == "agent_run.started topic"
    assert lines[-1] == "agent_run.completed topic reason=end_turn state=completed"
    assert sorted(lines[1:-1]) == [
        "agent_run.completed subconcept reason=end_turn state=completed",
        "agent_run.completed subconcept reason=end_turn state=completed",
        "agent_run.started subconcept",
        "agent_run.started subconcept",
    ]


@pytest.mark.parametrize(
    ("script", "lines"),
    [
        (
            [Fault("overloaded"), Fault("rate_limited"), Reply([TextOut(CANARY)])],
            [
                "agent_run.started topic",
                "agent.model.retry topic kind=overloaded attempt=1 of=10",
                "agent.model.retry topic kind=rate_limited attempt=1 of=3",
                "agent_run.completed topic reason=end_turn state=completed",
            ],
        ),
        (
            [Fault("cut", reply=Reply([TextOut(CANARY * 20)])), Reply([TextOut(CANARY)])],
            [
                "agent_run.started topic",
                "agent.model.retry topic kind=cut attempt=1 of=10",
                "agent_run.completed topic reason=end_turn state=completed",
            ],
        ),
        (
            [Fault("bad_key")],
            ["agent_run.started topic", "agent_run.failed topic reason=bad_key state=failed"],
        ),
        (
            [Reply([ToolOut(CANARY, {"title": CANARY})]), Reply([TextOut(CANARY)])],
            ["agent_run.started topic", "agent_run.completed topic reason=end_turn state=completed"],
        ),
    ],
    ids=["retries", "cut", "bad-key", "unknown-tool"],
)
async def test_each_scenario_has_its_lines(
    database: Database, data_dir: Path, script: Sequence[Any], lines: list[str]
) -> None:
    assert await lines_of(database, data_dir, Scripted(script)) == lines


async def test_a_bug_in_a_tool_is_told_by_type_and_place_only(database: Database, data_dir: Path) -> None:
    async def breaks() -> None:
        raise ValueError(CANARY)

    observer = RunObserver(Metrics(), RunLogger())
    script = [Reply([ToolOut("save", {"title": CANARY})]), Reply([TextOut(CANARY)])]
    with written_log(level="DEBUG") as stream:
        async with live_app(database, Scripted(script), data_dir, before_save=breaks, observer=observer) as life:
            run = (await life.runs.start("topic", node=life.root, user_id=DEFAULT_USER_ID)).run
            await life.runs.wait_until_released(run.id)
    assert CANARY not in stream.getvalue()
    broke = next(line for line in entries(stream) if line["event"] == "agent.tool.broke")
    assert broke["tool"] == "save"
    assert broke["error"] == "ValueError"
    assert "test_golden.py" in broke["frames"]


async def test_what_a_stop_of_the_server_cuts_off_is_told_too(database: Database, data_dir: Path) -> None:
    metrics = Metrics()
    with written_log() as stream:
        async with live_app(
            database, Scripted([Fault("stall")]), data_dir, observer=RunObserver(metrics, RunLogger())
        ) as life:
            run = (await life.runs.start("topic", node=life.root, user_id=DEFAULT_USER_ID)).run
            async for batch in life.runs.follow(run.id):
                if any(one.kind == "agent_start" for one in batch):
                    break
            store = life.store
    cut_off = await store.run(run.id)
    assert (cut_off.state, cut_off.cut_off) == (RunState.RUNNING, True)
    assert [without_ids(line) for line in entries(stream)] == ["agent_run.started topic"]
    assert b"sprout_runs{" not in metrics.exposition()[0]
