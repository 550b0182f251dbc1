"""A process killed at every step of a tool's effect leaves all of it or nothing (runs.md K7)."""

import json
from dataclasses import dataclass
from pathlib import Path

from sqlmodel import select

from harness.builders import RecordingDispatcher
from harness.database.kills import a_running_run, kill_in_tool_calls
from sprout.runs.state import Run
from sprout.store.documents.local_storage import LocalStorage
from sprout.store.engine.database import open_database
from sprout.store.paths.paths import SqlPaths
from sprout.store.runs.repository import SqlRunStore
from sprout.store.schema.run_tables import GraphOperation, ToolCall


async def test_K7_killed_at_any_step_a_write_and_the_end_of_its_call_are_both_there_or_neither(
    database_url: str, data_dir: Path
) -> None:
    run = await a_running_run(database_url, data_dir)
    lines = await kill_in_tool_calls(database_url, run.id, calls=1)
    assert lines[-1].endswith("lived")
    assert len(lines) > 16, "a step before and after each of eight statements or more"

    stored = await what_is_kept(database_url, data_dir, run)
    numbers = [f"{n}" for n in range(1, len(lines) + 1)]
    assert stored.begun == {f"{n}.0" for n in numbers}, "each was begun, and that was kept"
    assert stored.ended == {f"{n}.0" for n in numbers[-2:]}, (
        "of those killed, only the one that published had committed"
    )


async def test_K7_what_is_committed_together_is_there_together_or_not_at_all(sqlite_url: str, data_dir: Path) -> None:
    run = await a_running_run(sqlite_url, data_dir)
    lines = await kill_in_tool_calls(sqlite_url, run.id, calls=2)
    assert lines[-1].endswith("lived")
    assert len(lines) > 36, "a step before and after each of sixteen statements and two savepoints"

    stored = await what_is_kept(sqlite_url, data_dir, run)
    numbers = [f"{n}" for n in range(1, len(lines) + 1)]
    assert stored.begun == {f"{n}.{call}" for n in numbers for call in range(2)}
    assert stored.ended == {f"{n}.{call}" for n in numbers[-3:] for call in range(2)}, (
        "two were killed as they published"
    )


@dataclass(frozen=True)
class Kept:
    """The names of the calls that are there."""

    begun: set[str]
    ended: set[str]


async def what_is_kept(database_url: str, data_dir: Path, run: Run) -> Kept:
    """The calls that left something: of those that ended all of it, in numbers without a gap, of the others nothing."""
    async with open_database(database_url) as database:
        paths = SqlPaths(database, lambda _: None, storage=LocalStorage(data_dir))
        saved = {node.title for node in await paths.nodes(user_id=run.user_id, type="concept")}
        events = await SqlRunStore(database, lambda _: None, RecordingDispatcher()).events(run.id)
        async with database.open_read_session() as session:
            calls = (await session.exec(select(ToolCall))).all()
            records = (await session.exec(select(GraphOperation))).all()
    ended = {call.call_id.removeprefix("call ") for call in calls if call.completed_at is not None}
    assert saved == {f"Concept {name}" for name in ended}
    assert {record.call_id for record in records} == {f"call {name}" for name in ended}
    created = [json.loads(one.data)["node"]["title"] for one in events if one.kind == "node_created"]
    assert sorted(created) == sorted(saved)
    assert [one.seq for one in events] == list(range(1, len(events) + 1))
    return Kept({call.call_id.removeprefix("call ") for call in calls}, ended)
