"""X6: versions side by side. A migration only adds to the schema, and what a release has stored is read by the next."""

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from alembic import command
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from harness.database.released import REVISIONS, all_rows, restore
from harness.database.schema_changes import contractions, shape_of
from harness.journeys.sprout_server import StoredEvent, start_server
from sprout.events import EVENT
from sprout.runs.execution.resume import plan_resume
from sprout.runs.run_store import RunRecord
from sprout.store.engine import migrate
from sprout.store.engine.database import open_database
from sprout.store.runs.checkpoints import record_of
from sprout.store.runs.mapping import run_of

BEFORE = (
    "create table topics (id text primary key, name text, size integer not null)",
    "create table notes (id text primary key, topic text references topics (id) ON DELETE CASCADE)",
)


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    """A database with two tables of an older version."""
    with migrate.connect(f"sqlite:///{tmp_path / 'changed.sqlite3'}") as connection:
        for statement in BEFORE:
            connection.execute(text(statement))
        yield connection


def test_X6_a_migration_takes_nothing_away_from_the_version_before_unless_it_says_what_that_no_longer_uses(
    tmp_path: Path,
) -> None:
    url = f"sqlite:///{tmp_path / 'each.sqlite3'}"
    scripts = [*ScriptDirectory.from_config(migrate.migrations()).walk_revisions()][::-1]
    found = {}
    with migrate.connect(url) as connection:
        for script in scripts:
            before = shape_of(connection)
            command.upgrade(migrate.migrations(connection), script.revision)
            taken = contractions(before, shape_of(connection)) if before else []
            if taken and not getattr(script.module, "contracts", ""):
                found[script.path] = taken
    assert len(scripts) > 5
    assert found == {}, "add a default or leave it for a release; if the release before uses none of it: contracts = …"


@pytest.mark.parametrize(
    ("change", "taken"),
    [
        ("drop table notes", "notes is gone"),
        ("alter table topics rename to subjects", "topics is gone"),
        ("alter table topics drop column name", "topics.name is gone"),
        ("alter table topics rename column name to title", "topics.name is gone"),
        ("alter table topics add column kind text not null default 'x'", None),
        ("alter table topics add column kind text", None),
        ("create unique index uq_topics_name on topics (name)", "topics has a new rule: unique index uq_topics_name"),
        ("create index ix_topics_name on topics (name)", None),
        ("create table marks (id text, note text, foreign key (note) references notes (id))", "marks refers to notes"),
        ("create table marks (id text, note text, foreign key (note) references notes (id) ON DELETE SET NULL)", None),
        ("create table marks (id text primary key, other text not null, up text references marks (id))", None),
    ],
)
def test_what_a_change_takes_away_is_found(connection: Connection, change: str, taken: str | None) -> None:
    before = shape_of(connection)
    connection.execute(text(change))
    found = contractions(before, shape_of(connection))
    assert [one.startswith(taken or "nothing") for one in found] == ([True] if taken else [])


@pytest.mark.parametrize(
    ("rebuilt", "taken"),
    [
        ("id text primary key, name text not null, size integer not null", "topics.name must have a value"),
        ("id text primary key, name text, size text not null", "topics.size has another type"),
        ("id text primary key, name text, size integer", None),
        ("id text primary key, name text, size integer not null, kind text not null", "topics.kind is new"),
        ("id text primary key, name text, size integer not null check (size > 0)", "topics has a new rule: check"),
    ],
)
def test_what_a_table_that_is_made_anew_takes_away_is_found(
    connection: Connection, rebuilt: str, taken: str | None
) -> None:
    before = shape_of(connection)
    connection.execute(text("drop table topics"))
    connection.execute(text(f"create table topics ({rebuilt})"))
    found = contractions(before, shape_of(connection))
    assert [one.startswith(taken or "nothing") for one in found] == ([True] if taken else [])


@pytest.mark.parametrize("revision", REVISIONS)
async def test_X6_events_checkpoints_and_calls_as_a_release_wrote_them_are_read(tmp_path: Path, revision: str) -> None:
    url = upgraded(tmp_path, revision)
    rows = all_rows(url)
    assert len(rows["run_events"]) > 50
    for row in rows["run_events"]:
        EVENT.validate_python({"kind": row["kind"], **json.loads(row["data"])})
    async with open_database(url) as database:
        for run in rows["runs"]:
            record = await database.read_tx(partial(record_of_run, run["id"]))
            plan = plan_resume(cut_off(record))
            assert plan is not None
            assert (plan.unreadable, plan.in_doubt) == (None, None)
            assert len(plan.messages) == len(record.checkpoints)


@pytest.mark.parametrize("revision", REVISIONS)
async def test_X6_the_stream_of_a_run_that_a_release_has_carried_is_the_one_that_it_stored(
    tmp_path: Path, revision: str
) -> None:
    url = upgraded(tmp_path, revision)
    rows = all_rows(url)
    roots = [run["id"] for run in rows["runs"] if run["parent_id"] is None]
    async with start_server(tmp_path / "data", url) as server:
        for root in roots:
            stored = sorted(
                (row["seq"], row["kind"], row["data"]) for row in rows["run_events"] if row["root_id"] == root
            )
            sent = await server.events_of(root)
            assert [(one.seq, one.kind) for one in sent] == [(seq, kind) for seq, kind, _ in stored]
            assert sent == [StoredEvent(seq, kind, json.loads(data)) for seq, kind, data in stored]


def record_of_run(run_id: str, connection: Connection) -> RunRecord:
    return record_of(connection, run_of(connection, run_id))


def cut_off(record: RunRecord) -> RunRecord:
    """The record as it was before the run's end, which has taken the digest of its instructions."""
    first, *others = record.checkpoints
    return replace(record, checkpoints=(replace(first, digest="of its instructions"), *others))


def upgraded(folder: Path, revision: str) -> str:
    """The database of that release in the schema of this program."""
    url = f"sqlite:///{folder / 'released.sqlite3'}"
    restore(url, revision)
    migrate.upgrade(url)
    return url
