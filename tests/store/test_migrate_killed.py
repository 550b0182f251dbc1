"""D-6: a database of each release is migrated with all that is in it, also when the process is killed meanwhile."""

import asyncio
from pathlib import Path

import pytest

from sprout.store import migrate
from sprout.store.checks import faults_of
from tests.store.released import REVISIONS, all_rows, restore, still_there
from tests.warm import warm_python

SOME = 5
TOP = Path(__file__).parents[2]


@pytest.fixture(params=["sqlite", "postgres"])
def new_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where no database is yet, or one without tables."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'sprout.sqlite3'}"
    url: str = request.getfixturevalue("bare_postgres_url")
    return url


@pytest.mark.parametrize("revision", REVISIONS)
def test_D6_a_database_of_each_release_is_migrated_with_every_row(new_url: str, revision: str) -> None:
    restore(new_url, revision)
    before = all_rows(new_url)
    assert sum(map(len, before.values())) > 100
    migrate.upgrade(new_url)
    assert migrate.current(new_url) == migrate.head()
    assert still_there(before, all_rows(new_url))


@pytest.mark.parametrize("revision", REVISIONS)
async def test_D6_killed_at_any_statement_of_a_migration_nothing_is_lost_and_the_next_start_finishes_it(
    new_url: str, revision: str, tmp_path: Path
) -> None:
    """At some statements, evenly chosen; `python -m faults migrations` takes them all."""
    restore(new_url, revision)
    told = await deaths(new_url, "migration_step", tmp_path / "migrations", every=SOME)
    assert len(told) > 8
    *killed, lived = told
    assert killed == [f"{1 + n * SOME} killed before" for n in range(len(killed))]
    assert lived == f"{1 + len(killed) * SOME} lived after"


async def test_D6_killed_after_the_commit_a_migration_is_done(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'sprout.sqlite3'}"
    restore(url, REVISIONS[0])
    told = await deaths(url, "migration_done", tmp_path / "migrations")
    assert told == ["1 killed after", "2 lived after"]


async def test_D6_a_backup_that_a_kill_left_half_written_is_never_taken_for_one(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'sprout.sqlite3'}"
    restore(url, REVISIONS[0])
    before = all_rows(url)
    told = await deaths(url, "backup_half_written", tmp_path / "migrations")
    assert len(told) > 4
    assert told[-1] == f"{len(told)} lived after"
    (only,) = backup_files(tmp_path)  # those half written never had a name, and the last took their place
    assert faults_of(only, thorough=True) == []
    assert all_rows(f"sqlite:///{only}") == before


def backup_files(folder: Path) -> list[Path]:
    return list(folder.glob("*backup*"))


async def deaths(url: str, point: str, folder: Path, *, every: int = 1) -> list[str]:
    """What the story says: one line per process, all killed but the last; `every`: at each so-manieth place."""
    story = await asyncio.create_subprocess_exec(
        *(warm_python(), "-m", "tests.store.migration_story", url, point, str(folder), str(every)),
        cwd=TOP,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    said, complaints = await story.communicate()
    assert story.returncode == 0, complaints.decode()
    return said.decode().splitlines()
