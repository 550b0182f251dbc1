"""D-6: a database of each release is migrated with all that is in it, also when the process is killed meanwhile."""

from pathlib import Path

import pytest
from sqlalchemy import make_url

from harness.database.kills import kill_in_migration
from harness.database.released import REVISIONS, all_rows, restore, still_there
from sprout.store.engine import migrate
from sprout.store.sqlite.checks import faults_of

SOME = 40
STEPS = {"sqlite": 4, "postgresql": 8}  # between kills


@pytest.fixture(params=["sqlite", "postgres"])
def new_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """URL without a database, or of one without tables."""
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
    assert migrate.current_revision(new_url) == migrate.head()
    assert still_there(before, all_rows(new_url))


@pytest.mark.parametrize("revision", REVISIONS)
async def test_D6_killed_at_any_statement_of_a_migration_nothing_is_lost_and_the_next_start_finishes_it(
    new_url: str, revision: str, tmp_path: Path
) -> None:
    """At some statements, evenly chosen; `python -m faults migrations` takes them all."""
    restore(new_url, revision)
    step = STEPS[make_url(new_url).get_backend_name()]
    lines = await kill_in_migration(new_url, "migration_step", tmp_path / "migrations", every=step)
    assert step * len(lines) > 8
    *killed, lived = lines
    assert killed == [f"{1 + n * step} killed before" for n in range(len(killed))]
    assert lived == f"{1 + len(killed) * step} lived after"


async def test_D6_killed_at_any_statement_that_makes_the_first_tables_there_are_none_and_the_next_start_makes_them(
    new_url: str, tmp_path: Path
) -> None:
    """At some statements, evenly chosen."""
    lines = await kill_in_migration(new_url, "migration_step", tmp_path / "migrations", every=SOME)
    assert len(lines) > 4
    *killed, lived = lines
    assert killed == [f"{1 + n * SOME} killed before" for n in range(len(killed))]
    assert lived == f"{1 + len(killed) * SOME} lived after"


async def test_D6_killed_after_the_commit_a_migration_is_done(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'sprout.sqlite3'}"
    restore(url, REVISIONS[0])
    lines = await kill_in_migration(url, "migration_done", tmp_path / "migrations")
    assert lines == ["1 killed after", "2 lived after"]


async def test_D6_a_backup_that_a_kill_left_half_written_is_never_taken_for_one(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'sprout.sqlite3'}"
    restore(url, REVISIONS[0])
    before = all_rows(url)
    lines = await kill_in_migration(url, "backup_half_written", tmp_path / "migrations")
    assert len(lines) > 4
    assert lines[-1] == f"{len(lines)} lived after"
    (only,) = backup_files(tmp_path)  # those half written never had a name, and the last took their place
    assert faults_of(only, thorough=True) == []
    assert all_rows(f"sqlite:///{only}") == before


def backup_files(folder: Path) -> list[Path]:
    return list(folder.glob("*backup*"))
