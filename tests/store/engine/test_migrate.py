"""Migrations: they agree with the tables, on both databases, up and down; an embedded file is backed up before."""

import asyncio
import json
import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from sqlalchemy import Connection, inspect, text

from harness.database.released import all_rows
from sprout.errors import SetupError
from sprout.store.documents.full_text import belongs_to_index
from sprout.store.engine import migrate
from sprout.store.engine.database import open_database
from sprout.store.engine.urls import sqlite_file
from sprout.store.schema.columns import TableModel
from sprout.store.schema.partitions import is_partition

TOP = Path(__file__).parents[3]


@pytest.fixture(params=["sqlite", "postgres"])
def bare_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database without tables."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'bare.sqlite3'}"
    url: str = request.getfixturevalue("bare_postgres_url")
    return url


def test_tables_and_migrations_agree(bare_url: str) -> None:
    migrate.upgrade(bare_url)
    with migrate.connect(bare_url) as connection:
        command.check(migrate.migrations(connection))
        migrated = schema(connection)
        TableModel.metadata.drop_all(connection)
        assert tables_of(connection) == ["alembic_version"]
        TableModel.metadata.create_all(connection)
        assert schema(connection) == migrated  # with checks and conditions, which `check` does not compare
    assert len(migrated) == len(TableModel.metadata.tables) > 15


def test_migrations_go_up_down_and_up_again(bare_url: str) -> None:
    assert migrate.current_revision(bare_url) is None
    migrate.upgrade(bare_url)
    assert migrate.current_revision(bare_url) == migrate.head()
    with migrate.connect(bare_url) as connection:
        command.downgrade(migrate.migrations(connection), "base")
    assert migrate.current_revision(bare_url) is None
    with migrate.connect(bare_url) as connection:
        assert tables_of(connection) == ["alembic_version"]
    migrate.upgrade(bare_url)
    migrate.upgrade(bare_url)
    assert migrate.current_revision(bare_url) == migrate.head()


async def test_two_that_migrate_a_server_at_once_wait_for_each_other(bare_postgres_url: str) -> None:
    await asyncio.gather(*(asyncio.to_thread(migrate.upgrade, bare_postgres_url) for _ in range(3)))
    assert migrate.current_revision(bare_postgres_url) == migrate.head()


async def test_a_file_that_a_process_has_open_is_not_migrated_under_it(sqlite_url: str) -> None:
    async with open_database(sqlite_url):
        with pytest.raises(SetupError, match="Another Sprout"):
            migrate.upgrade(sqlite_url)
    migrate.upgrade(sqlite_url)


async def test_D7_a_newer_schema_is_refused_and_left_as_it_is(database_url: str) -> None:
    with migrate.connect(database_url) as connection:
        connection.execute(text("update alembic_version set version_num = 'from the future'"))
    try:
        for opening in (True, False, None):
            with pytest.raises(SetupError, match="newer"):
                async with open_database(database_url, migrate=opening):
                    pass
        assert migrate.current_revision(database_url) == "from the future"
    finally:
        with migrate.connect(database_url) as connection:
            connection.execute(text("update alembic_version set version_num = :head"), {"head": migrate.head()})


@pytest.mark.parametrize("revision", ["9a75bf5f897e", "c58e0b7d3f92"])
async def test_a_database_of_an_unreleased_state_is_refused_with_what_to_do_and_left_as_it_is(
    bare_url: str, revision: str
) -> None:
    with migrate.connect(bare_url) as connection:
        for statement in (
            "create table alembic_version (version_num varchar(32) not null)",
            f"insert into alembic_version values ('{revision}')",
            "create table carriers (id text)",
        ):
            connection.execute(text(statement))
    before = all_rows(bare_url)
    for opening in (True, False, None):
        with pytest.raises(SetupError, match=r"before its first release.*(move .* away|DATABASE_URL)"):
            async with open_database(bare_url, migrate=opening):
                pass
    with pytest.raises(SetupError, match=revision):
        migrate.upgrade(bare_url)
    assert all_rows(bare_url) == before
    file = sqlite_file(bare_url)
    assert file is None or backups(file.parent) == []


async def test_an_older_server_database_is_refused_with_what_to_do(bare_postgres_url: str) -> None:
    with pytest.raises(SetupError, match="sprout migrate"):
        async with open_database(bare_postgres_url):
            pass
    async with open_database(bare_postgres_url, migrate=True):
        assert migrate.current_revision(bare_postgres_url) == migrate.head()


async def test_an_embedded_database_is_made_with_its_folder(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'new folder 50%' / 'sprout.sqlite3'}"
    async with open_database(url):
        assert migrate.current_revision(url) == migrate.head()
    assert backups(tmp_path / "new folder 50%") == []


async def test_an_embedded_database_that_is_behind_is_backed_up_before_it_is_changed(tmp_path: Path) -> None:
    file = tmp_path / "sprout.sqlite3"
    with closing(sqlite3.connect(file)) as old:
        old.execute("create table keepsake (words text)")
        old.execute("insert into keepsake values ('from before')")
        old.commit()
    async with open_database(f"sqlite:///{file}"):
        pass
    (backup,) = backups(tmp_path)
    with closing(sqlite3.connect(backup)) as connection:
        assert connection.execute("select name from sqlite_master").fetchall() == [("keepsake",)]
        assert connection.execute("select words from keepsake").fetchall() == [("from before",)]


async def test_a_migration_that_fails_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "sprout.sqlite3"
    with closing(sqlite3.connect(file)) as old:
        old.execute("create table runs (words text)")  # in the way of ours
    with pytest.raises(SetupError, match="runs"):
        async with open_database(f"sqlite:///{file}"):
            pass
    with closing(sqlite3.connect(file)) as left:
        assert left.execute("select name from sqlite_master").fetchall() == [("runs",)]


def test_developers_can_run_alembic_from_the_top_folder(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'dev.sqlite3'}"
    for words in (["upgrade", "head"], ["check"]):
        alembic = [sys.executable, "-m", "alembic", "-x", f"url={url}", *words]
        done = subprocess.run(alembic, cwd=TOP, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
    assert migrate.current_revision(url) == migrate.head()


def backups(folder: Path) -> list[Path]:
    return list(folder.glob("*.backup-*"))


def schema(connection: Connection) -> Mapping[str, Any]:
    """All that a table is made of, by table, in an order that does not depend on how it was made."""
    inspector = inspect(connection)
    inspector.clear_cache()
    return {
        table: {
            "columns": [
                (column["name"], str(column["type"]), column["nullable"]) for column in inspector.get_columns(table)
            ],
            "key": inspector.get_pk_constraint(table)["constrained_columns"],
            "checks": sorted((str(rule["name"]), rule["sqltext"]) for rule in inspector.get_check_constraints(table)),
            "unique": sorted(
                (str(rule["name"]), rule["column_names"]) for rule in inspector.get_unique_constraints(table)
            ),
            "references": sorted(in_words(rule) for rule in inspector.get_foreign_keys(table)),
            "indexes": sorted(in_words(index) for index in inspector.get_indexes(table)),
        }
        for table in tables_of(connection)
        if table != "alembic_version"
    }


def tables_of(connection: Connection) -> list[str]:
    """All tables but those of the full-text index and the partitions."""
    names = inspect(connection).get_table_names()
    return [name for name in names if not (belongs_to_index(name) or is_partition(name))]


def in_words(facts: Mapping[str, Any]) -> str:
    """One text for equal facts; the condition of an index is an object, which has its words."""
    return json.dumps(facts, sort_keys=True, default=str)
