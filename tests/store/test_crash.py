"""A process killed at every step of a tool's effect leaves all of it or nothing (runs.md K7)."""

import asyncio
import json
import sys
from pathlib import Path

from sqlmodel import select

from sprout.events import AgentStart
from sprout.store.database import open_database
from sprout.store.files import Files
from sprout.store.library import SqlLibrary
from sprout.store.run_tables import GraphOperation, ToolCall
from sprout.store.runs import SqlRunStore
from tests.builders import a_run, a_topic

TOP = Path(__file__).parents[2]


async def test_K7_killed_at_any_step_a_write_and_the_end_of_its_call_are_both_there_or_neither(
    database_url: str, data_dir: Path
) -> None:
    async with open_database(database_url) as database:
        root = await a_topic(SqlLibrary(database, lambda _: None, files=Files(data_dir)))
        runs = SqlRunStore(database, lambda _: None)
        run = await runs.start(await runs.admit(a_run(root)), [AgentStart()])

    told = await deaths(database_url, run.id)
    assert told[-1].endswith("lived")
    assert len(told) > 16, "a step before and after each of eight statements or more"

    async with open_database(database_url) as database:
        library, runs = (
            SqlLibrary(database, lambda _: None, files=Files(data_dir)),
            SqlRunStore(database, lambda _: None),
        )
        saved = {node.title for node in await library.nodes(user_id=root.user_id, type="concept")}
        events = await runs.events(run.id)
        async with database.reading() as session:
            calls = (await session.exec(select(ToolCall))).all()
            records = (await session.exec(select(GraphOperation))).all()

    numbers = [f"{n}" for n in range(1, len(told) + 1)]
    assert {call.call_id for call in calls} == {f"call {n}" for n in numbers}, "each was begun, and that was kept"
    ended = {call.call_id.removeprefix("call ") for call in calls if call.completed_at is not None}
    assert saved == {f"Concept {n}" for n in ended}
    assert {record.call_id for record in records} == {f"call {n}" for n in ended}
    created = [json.loads(one.data)["node"]["title"] for one in events if one.kind == "node_created"]
    assert sorted(created) == sorted(saved)
    assert [one.seq for one in events] == list(range(1, len(events) + 1))
    assert ended == set(numbers[-2:]), "of those killed, only the one that was publishing had committed"


async def deaths(database_url: str, run_id: str) -> list[str]:
    """What the crash story says: one line per process, all killed but the last."""
    story = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.store.crash_story", database_url, run_id),
        cwd=TOP,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    said, complaints = await story.communicate()
    assert story.returncode == 0, complaints.decode()
    return said.decode().splitlines()
