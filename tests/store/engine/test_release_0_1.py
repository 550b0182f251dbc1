"""D7: what was learned with 0.1 is there after the upgrade, on both databases, and its lessons go on."""

import json
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
from alembic import command

from harness.database.release_0_1 import REVISION, restore_0_1
from harness.database.released import all_rows
from harness.journeys.sprout_server import QUICK_PACE, Row, SproutServer, start_server
from sprout.events import EVENT
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.store.engine import migrate

RENAMED = {"carriers": "worker_leases", "spending_days": "budget_days", "spending_tickets": "budget_reservations"}


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database of 0.1."""
    made = f"sqlite:///{tmp_path / 'sprout.sqlite3'}"
    if request.param == "postgres":
        made = request.getfixturevalue("bare_postgres_url")
    restore_0_1(made)
    return made


def test_D7_a_database_of_0_1_becomes_one_of_this_version_with_every_row(url: str) -> None:
    assert migrate.current_revision(url) == REVISION
    before = all_rows(url)
    migrate.upgrade(url)
    with migrate.connect(url) as connection:
        command.check(migrate.migrations(connection))
    after = all_rows(url)
    of_index = {table for table in before if "passage_words" in table}
    assert {table: len(before[table]) for table in before.keys() - of_index} == {
        table: len(after[RENAMED.get(table, table)]) for table in before.keys() - of_index
    }
    assert not [table for table in after if "release_0_1" in table]
    tested = [value_of(row["tests"]) for row in before["questions"]]
    assert len(after["question_tests"]) == sum(map(len, tested)) > 10


def test_D7_new_rows_follow_those_of_0_1(url: str) -> None:
    migrate.upgrade(url)
    last = max(row["creation"] for row in all_rows(url)["users"])
    with migrate.connect(url) as connection:
        moment = "2026-11-27 12:00:00"
        connection.exec_driver_sql(
            f"insert into users (id, created_at, updated_at) values ('new', '{moment}', '{moment}')"
        )
    assert max(row["creation"] for row in all_rows(url)["users"]) == last + 1


def test_D7_every_event_of_0_1_is_one_of_this_version(url: str) -> None:
    migrate.upgrade(url)
    kinds = set()
    for row in all_rows(url)["run_events"]:
        EVENT.validate_python({"kind": row["kind"], **json.loads(row["data"])})
        kinds.add(row["kind"])
    assert "mastery_changed" in kinds


async def test_D7_paths_documents_and_runs_are_there_over_http(tmp_path: Path) -> None:
    async with upgraded_server(tmp_path) as server:
        assert {path["branch"]["title"] for path in await server.paths()} == {"Bayesian reasoning", "Tides"}
        assert {run["state"] for run in await server.get("/runs")} == {"completed"}
        graph = await graph_of(server, "Tides")
        topic = next(node["id"] for node in graph["nodes"] if node["type"] == "root")
        (notes,) = await server.get(f"/nodes/{topic}/documents")
        assert (notes["originalFilename"], notes["extractionStatus"], notes["passages"]) == ("notes.md", "completed", 3)
        found = await server.get(f"/nodes/{topic}/search", q="neap")
        assert found[0]["heading"] == "Tides › Spring tides and neap tides"
        (grown,) = [run for run in graph["runs"] if run["agent"] == "topic"]
        assert (await server.events_of(grown["id"]))[-1].kind == "run_done"


async def test_D7_a_lesson_of_0_1_goes_on_where_its_question_waits(tmp_path: Path) -> None:
    async with upgraded_server(tmp_path) as server:
        session = await lesson_of(server, "Bayesian reasoning")
        before = await server.get(f"/chat/sessions/{session}/messages")
        lesson = await server.get(f"/chat/sessions/{session}/lesson")
        assert lesson["question"]["prompt"].startswith("A library has 700 visitors")
        assert (len(lesson["question"]["help"]), lesson["question"]["attempts"]) == (1, 1)
        turn = await say(server, session, "[ANSWER]\nMode: text\n42")
        assert (turn["graded"]["correct"], turn["graded"]["helpLevel"]) == (True, 1)
        assert turn["question"]["id"] != lesson["question"]["id"]
        assert len(await server.get(f"/chat/sessions/{session}/messages")) == len(before) + 2

        session = await lesson_of(server, "Tides")
        turn = await say(server, session, "[ANSWER]\nMode: text\nThe Moon pulls the near side more than the far side")
        assert "you decide whether they say the same" in turn["message"]


async def test_D7_what_was_removed_with_0_1_comes_back_with_its_progress(tmp_path: Path) -> None:
    async with upgraded_server(tmp_path) as server:
        branch = (await graph_of(server, "Bayesian reasoning"))["branch"]["id"]
        newest = (await server.get(f"/branches/{branch}/changes"))[0]
        (gone,) = [node["id"] for node in newest["before"]["nodes"]]
        await server.post(f"/changes/{newest['id']}/undo", {"userId": DEFAULT_USER_ID})
        assert gone in {node["id"] for node in (await graph_of(server, "Bayesian reasoning"))["nodes"]}
        (progress,) = [row for row in await server.get("/progress") if row["nodeId"] == gone]
        assert progress["attemptsCount"] == 1


def upgraded_server(folder: Path) -> AbstractAsyncContextManager[SproutServer]:
    """Today's server on the data of 0.1, which it upgrades as it starts."""
    url = f"sqlite:///{folder / 'sprout.sqlite3'}"
    restore_0_1(url)
    return start_server(folder, url, pace=QUICK_PACE)


async def graph_of(server: SproutServer, title: str) -> Row:
    """Everything of the path with this title."""
    (branch,) = [path["branch"]["id"] for path in await server.paths() if path["branch"]["title"] == title]
    graph: Row = await server.get(f"/branches/{branch}/graph")
    return graph


async def lesson_of(server: SproutServer, title: str) -> str:
    """The conversation of the path's only lesson."""
    nodes = {node["id"] for node in (await graph_of(server, title))["nodes"]}
    (session,) = [one["id"] for one in await server.get("/chat/sessions") if one["nodeId"] in nodes]
    return str(session)


async def say(server: SproutServer, session: str, content: str) -> Row:
    """The tutor's reply."""
    body = {"userId": DEFAULT_USER_ID, "content": content}
    reply: Row = await server.post(f"/chat/sessions/{session}/tutor", body)
    return reply


def value_of(column: str | list[Row] | None) -> list[Row]:
    """The list in a JSON column, which SQLite has as text."""
    found: list[Row] = json.loads(column) if isinstance(column, str) else column or []
    return found
