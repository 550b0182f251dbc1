"""Constraints of the database itself; and deletions that never scan a table."""

from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy import PrimaryKeyConstraint, UniqueConstraint
from sqlmodel import select

from harness.builders import a_concept, a_run, a_topic, start_run
from sprout.errors import BadInput, Conflict, SproutError
from sprout.events import NodeRow
from sprout.store.engine.database import Database
from sprout.store.graph.nodes import MAX_KEY_LENGTH, unique_key
from sprout.store.paths.paths import SqlPaths
from sprout.store.runs.repository import SqlRunStore
from sprout.store.schema import tables
from sprout.store.schema.columns import TableModel, json_text, storable_text


@pytest.fixture
async def nodes(paths: SqlPaths) -> Sequence[NodeRow]:
    """A topic, two concepts, a part of the first."""
    root = await a_topic(paths)
    one, other = await a_concept(paths, root, "Light"), await a_concept(paths, root, "Leaves")
    return root, one, other, await a_concept(paths, one, "Photons")


async def test_G2_edges_join_two_different_siblings_once(database: Database, nodes: Sequence[NodeRow]) -> None:
    root, one, other, part = nodes
    await add(database, edge(root, one, other))
    await assert_refused(Conflict, database, edge(root, one, other))
    await assert_refused(BadInput, database, edge(root, one, one))
    await assert_refused(Conflict, database, edge(root, one, part))
    await assert_refused(Conflict, database, edge(one, part, other))
    await assert_refused(Conflict, database, edge(root, one, root))


async def test_a_node_is_what_its_place_says(database: Database, nodes: Sequence[NodeRow]) -> None:
    root, one, *_ = nodes
    good: dict[str, Any] = {
        "id": "n",
        "user_id": root.user_id,
        "title": "T",
        "title_key": "t",
        "parent_id": root.id,
        "type": "concept",
    }
    for wrong, failure in (
        ({"type": "planet"}, BadInput),
        ({"type": "root"}, BadInput),
        ({"parent_id": None}, BadInput),
        ({"parent_id": "n"}, BadInput),
        ({"accuracy_score": 1.5}, BadInput),
        ({"parent_id": "nothing"}, Conflict),
        ({"user_id": "nobody"}, Conflict),
        ({"title_key": "light"}, Conflict),
        ({"id": one.id}, Conflict),
        ({"type": "root", "parent_id": None, "branch_id": root.branch_id}, Conflict),
    ):
        await assert_refused(failure, database, tables.Node(**{**good, **wrong}))
    await add(database, tables.Node(**good))


async def test_there_is_one_of_what_there_is_one_of(database: Database, nodes: Sequence[NodeRow]) -> None:
    _, one, other, _ = nodes
    user = one.user_id
    content: dict[str, Any] = {"node_id": one.id, "explanation_md": "x"}
    await add(database, tables.NodeContent(id="c1", **content))
    await assert_refused(Conflict, database, tables.NodeContent(id="c2", **content))
    await add(database, tables.NodeContent(id="c3", **content, status="archived"))

    await add(database, tables.Assessment(id="a1", user_id=user, target_node_id=one.id))
    await assert_refused(Conflict, database, tables.Assessment(id="a2", user_id=user, target_node_id=one.id))
    await add(database, tables.Assessment(id="a3", user_id=user, target_node_id=other.id))
    await add(database, tables.Assessment(id="a4", user_id=user, target_node_id=one.id, type="quiz"))

    await add(database, tables.Progress(id="p1", user_id=user, node_id=one.id))
    await assert_refused(Conflict, database, tables.Progress(id="p2", user_id=user, node_id=one.id))
    await assert_refused(
        BadInput, database, tables.Progress(id="p3", user_id=user, node_id=other.id, mastery_score=1.1)
    )
    await assert_refused(
        BadInput, database, tables.Progress(id="p4", user_id=user, node_id=other.id, attempts_count=-1)
    )


async def test_a_question_is_whole(database: Database, nodes: Sequence[NodeRow]) -> None:
    one = nodes[1]
    await add(database, tables.Assessment(id="a1", user_id=one.user_id, target_node_id=one.id))
    good: dict[str, Any] = {
        "assessment_id": "a1",
        "node_id": one.id,
        "format": "open_ended",
        "prompt": "?",
        "prompt_key": "?",
    }
    await add(database, tables.Question(id="q1", position=1, **good))
    for wrong in ({"difficulty": 0}, {"format": "essay"}, {"format": "mcq"}, {"tolerance": -1.0}, {"state": "lost"}):
        fields = {**good, "prompt_key": "other", **wrong}
        await assert_refused(BadInput, database, tables.Question(id="q2", position=2, **fields))
    await assert_refused(Conflict, database, tables.Question(id="q2", position=2, **good))
    await assert_refused(Conflict, database, tables.Question(id="q2", position=1, **{**good, "prompt_key": "other"}))
    await assert_refused(
        BadInput, database, tables.Answer(id="w", user_id=one.user_id, assessment_id="a1", question_id="q1", score=2.0)
    )


async def test_R1_one_run_at_a_time_goes_in_a_lane(
    database: Database, runs: SqlRunStore, nodes: Sequence[NodeRow]
) -> None:
    first = await start_run(runs, a_run(nodes[0]))
    second = (await runs.admit(a_run(nodes[0], lane="another"))).run
    runs_table = TableModel.metadata.tables["runs"]
    same_lane = runs_table.update().where(runs_table.c.id == second.id).values(lane=first.lane, state="running")
    with pytest.raises(Conflict, match="active there"):
        await database.write_tx(lambda tx: tx.connection.execute(same_lane))


def test_deleting_never_searches_a_table() -> None:
    """Every reference is the first column of an index: or each deleted row would read the other table through."""
    for table in TableModel.metadata.sorted_tables:
        leading = {index.columns[0].name for index in table.indexes}
        leading |= {
            rule.columns[0].name
            for rule in table.constraints
            if isinstance(rule, (PrimaryKeyConstraint, UniqueConstraint))
        }
        for rule in table.foreign_key_constraints:
            assert rule.column_keys[0] in leading, f"{table.name}.{rule.column_keys[0]}"


def test_text_that_a_database_cannot_hold_is_mended() -> None:
    assert storable_text("a\x00b\ud800c\udc00 ü 😀") == "a\ufffdb\ufffdc\ufffd ü 😀"
    assert json_text({"a\x00": ["\ud800", 1, None, {"b": "ü"}]}) == '{"a\ufffd":["\ufffd",1,null,{"b":"ü"}]}'


def test_a_key_is_never_longer_than_an_index_takes() -> None:
    assert unique_key("light") == "light"
    long, longer = unique_key("x" * 5_000), unique_key("x" * 5_001)
    assert long != longer
    assert len(long) < MAX_KEY_LENGTH


async def test_JSON_columns_take_any_text_of_a_model(database: Database, nodes: Sequence[NodeRow]) -> None:
    cards: list[Any] = [{"explanation": "a\x00b\ud800"}]
    await add(database, tables.NodeContent(id="c", node_id=nodes[1].id, explanation_md="\x00", cards=cards))
    async with database.open_read_session() as session:
        (content,) = (await session.exec(select(tables.NodeContent))).all()
    assert (content.cards, content.explanation_md) == ([{"explanation": "a\ufffdb\ufffd"}], "\ufffd")


def edge(parent: NodeRow, source: NodeRow, target: NodeRow) -> tables.Edge:
    return tables.Edge(
        id=f"{source.id}-{target.id}", parent_id=parent.id, source_node_id=source.id, target_node_id=target.id
    )


async def add(database: Database, row: TableModel) -> None:
    await database.write_tx(lambda tx: tx.session.add(row))


async def assert_refused(failure: type[SproutError], database: Database, row: TableModel) -> None:
    with pytest.raises(failure):
        await add(database, row)
