"""Processes killed at every step of a write: what each left to the next, on one database.

A story is a program that starts child after child, each killed one step later than the one before, until one lives.
"""

import asyncio
from pathlib import Path

from harness.builders import RecordingDispatcher, a_run, a_topic, start_run
from harness.prefork.python import prefork_python
from sprout.runs.state import Run
from sprout.store.documents.local_storage import LocalStorage
from sprout.store.engine.database import open_database
from sprout.store.paths.paths import SqlPaths
from sprout.store.runs.repository import SqlRunStore

ROOT = Path(__file__).parents[2]


async def kill_in_tool_calls(url: str, run_id: str, *, calls: int) -> list[str]:
    """A line for each process that made so many calls at a time, all killed but the last (crash_story)."""
    return await _lines_of("crash_story", url, run_id, str(calls))


async def kill_in_undo(url: str, run_id: str, *, every: int) -> list[str]:
    """A line for each process that took a run's changes back, all killed but the last (take_back_story).

    Args:
        every: kill at each so-manieth step.
    """
    return await _lines_of("take_back_story", url, run_id, str(every))


async def kill_in_giving(url: str, *, every: int) -> list[str]:
    """A line for each process that copied given paths, all killed but the last (giving_story).

    Args:
        every: kill at each so-manieth step.
    """
    return await _lines_of("giving_story", url, str(every))


async def kill_in_migration(url: str, point: str, folder: Path, *, every: int = 1) -> list[str]:
    """A line for each process that migrated the database, all killed but the last (migration_story).

    Args:
        point: the failpoint to be killed at.
        folder: for the migrations; it is made.
        every: kill at each so-manieth arrival.
    """
    return await _lines_of("migration_story", url, point, str(folder), str(every))


async def _lines_of(story: str, *arguments: str) -> list[str]:
    process = await asyncio.create_subprocess_exec(
        *(prefork_python(), "-m", f"harness.database.{story}", *arguments),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    output, errors = await process.communicate()
    assert process.returncode == 0, errors.decode()
    return output.decode().splitlines()


async def a_running_run(database_url: str, data_dir: Path) -> Run:
    """A run that has begun, on a topic of its own, in an empty database."""
    async with open_database(database_url) as database:
        root = await a_topic(SqlPaths(database, lambda _: None, storage=LocalStorage(data_dir)))
        runs = SqlRunStore(database, lambda _: None, RecordingDispatcher())
        return await start_run(runs, a_run(root))
