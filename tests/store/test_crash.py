"""A process killed at every step of a tool's effect leaves all of it or nothing (runs.md K7)."""

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path

from sqlmodel import select

from sprout.runs.state import Run
from sprout.store.database import open_database
from sprout.store.files import Files
from sprout.store.library import SqlLibrary
from sprout.store.run_tables import GraphOperation, ToolCall
from sprout.store.runs import SqlRunStore
from tests.builders import NotedWakeUps, a_run, a_topic, started
from tests.warm import warm_python

TOP = Path(__file__).parents[2]


async def test_K7_killed_at_any_step_a_write_and_the_end_of_its_call_are_both_there_or_neither(
    database_url: str, data_dir: Path
) -> None:
    run = await a_running_run(database_url, data_dir)
    told = await deaths(database_url, run.id, calls=1)
    assert told[-1].endswith("lived")
    assert len(told) > 16, "a step before and after each of eight statements or more"

    kept = await what_is_kept(database_url, data_dir, run)
    numbers = [f"{n}" for n in range(1, len(told) + 1)]
    assert kept.begun == {f"{n}.0" for n in numbers}, "each was begun, and that was kept"
    assert kept.ended == {f"{n}.0" for n in numbers[-2:]}, "of those killed, only the one that published had committed"


async def test_K7_what_is_committed_together_is_there_together_or_not_at_all(sqlite_url: str, data_dir: Path) -> None:
    run = await a_running_run(sqlite_url, data_dir)
    told = await deaths(sqlite_url, run.id, calls=2)
    assert told[-1].endswith("lived")
    assert len(told) > 36, "a step before and after each of sixteen statements and two savepoints"

    kept = await what_is_kept(sqlite_url, data_dir, run)
    numbers = [f"{n}" for n in range(1, len(told) + 1)]
    assert kept.begun == {f"{n}.{call}" for n in numbers for call in range(2)}
    assert kept.ended == {f"{n}.{call}" for n in numbers[-3:] for call in range(2)}, "two were killed as they published"


@dataclass(frozen=True)
class Kept:
    """The names of the calls that are there."""

    begun: set[str]
    ended: set[str]


async def a_running_run(database_url: str, data_dir: Path) -> Run:
    async with open_database(database_url) as database:
        root = await a_topic(SqlLibrary(database, lambda _: None, files=Files(data_dir)))
        runs = SqlRunStore(database, lambda _: None, NotedWakeUps())
        return await started(runs, a_run(root))


async def what_is_kept(database_url: str, data_dir: Path, run: Run) -> Kept:
    """The calls that left something: of those that ended all of it, in numbers without a gap, of the others nothing."""
    async with open_database(database_url) as database:
        library = SqlLibrary(database, lambda _: None, files=Files(data_dir))
        saved = {node.title for node in await library.nodes(user_id=run.user_id, type="concept")}
        events = await SqlRunStore(database, lambda _: None, NotedWakeUps()).events(run.id)
        async with database.reading() as session:
            calls = (await session.exec(select(ToolCall))).all()
            records = (await session.exec(select(GraphOperation))).all()
    ended = {call.call_id.removeprefix("call ") for call in calls if call.completed_at is not None}
    assert saved == {f"Concept {name}" for name in ended}
    assert {record.call_id for record in records} == {f"call {name}" for name in ended}
    created = [json.loads(one.data)["node"]["title"] for one in events if one.kind == "node_created"]
    assert sorted(created) == sorted(saved)
    assert [one.seq for one in events] == list(range(1, len(events) + 1))
    return Kept({call.call_id.removeprefix("call ") for call in calls}, ended)


async def deaths(database_url: str, run_id: str, *, calls: int) -> list[str]:
    """What the crash story says: one line per process, all killed but the last."""
    story = await asyncio.create_subprocess_exec(
        *(warm_python(), "-m", "tests.store.crash_story", database_url, run_id, str(calls)),
        cwd=TOP,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    said, complaints = await story.communicate()
    assert story.returncode == 0, complaints.decode()
    return said.decode().splitlines()
