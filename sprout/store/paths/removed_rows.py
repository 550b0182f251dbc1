"""Removed rows: data of removed nodes and edges that no event has, stored with the change and restored by its undo."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from pydantic import JsonValue
from sqlalchemy import Connection, RowMapping, Select, Table, bindparam, insert, select, update

from sprout.events import EdgeRemoved, GraphEvent, NodeRemoved
from sprout.store.schema import tables
from sprout.store.schema.columns import UtcTime, table_of
from sprout.store.schema.placement_tables import PlacementFinding
from sprout.store.schema.review_tables import ReviewCard, ReviewEntry

_nodes, _edges, _progress = table_of(tables.Node), table_of(tables.Edge), table_of(tables.Progress)
_tests = table_of(tables.QuestionTest)
_assessments, _questions, _answers = (table_of(one) for one in (tables.Assessment, tables.Question, tables.Answer))
_cards, _reviews, _findings = table_of(ReviewCard), table_of(ReviewEntry), table_of(PlacementFinding)
_LEARNING = (
    _assessments,
    _questions,
    _tests,
    _answers,
    _cards,
    _reviews,
    _findings,
)  # in the order of their references
_REASON = update(_nodes).where(_nodes.c.id == bindparam("node")).values(reason=bindparam("its_reason"))
_LEAVING = select(_edges).where(_edges.c.source_node_id.in_(bindparam("sources", expanding=True)))
_EDGE = (
    update(_edges)
    .where(_edges.c.source_node_id == bindparam("source"), _edges.c.target_node_id == bindparam("target"))
    .values(id=bindparam("old_id"), reason=bindparam("its_reason"), created_at=bindparam("old_time"))
)
_TEST = (
    update(_tests)
    .where(
        _tests.c.question_id == bindparam("question"),
        _tests.c.position == bindparam("place"),
        _tests.c.node_id.is_(None),
    )
    .values(node_id=bindparam("node"))
)

RemovedRows = Mapping[str, Sequence[Mapping[str, Any]]]


def removed_rows(connection: Connection, events: Collection[GraphEvent]) -> dict[str, JsonValue]:
    """Data of the rows that these events are about to remove.

    Reasons, places in the order of creation, progress, which questions test the nodes; and what was asked for these
    nodes alone, with the answers, reviews and findings, which progress would be computed without.
    """
    node_ids = [event.node_id for event in events if isinstance(event, NodeRemoved)]
    pairs = {(event.source_node_id, event.target_node_id) for event in events if isinstance(event, EdgeRemoved)}
    removed: dict[str, JsonValue] = {}
    if pairs:
        leaving = connection.execute(_LEAVING, {"sources": [source for source, _ in pairs]}).mappings()
        removed["edges"] = [
            _plain(edge) for edge in leaving if (edge["source_node_id"], edge["target_node_id"]) in pairs
        ]
    if node_ids:
        wanted = select(_nodes.c.id, _nodes.c.creation, _nodes.c.reason).where(_nodes.c.id.in_(node_ids))
        removed["nodes"] = _plain_rows(connection, wanted)
        removed["progress"] = _plain_rows(connection, select(_progress).where(_progress.c.node_id.in_(node_ids)))
        removed["tests"] = _plain_rows(connection, select(_tests).where(_tests.c.node_id.in_(node_ids)))
        for table, learned in zip(_LEARNING, _learning_queries(node_ids), strict=True):
            removed[table.name] = _plain_rows(connection, learned)
    return removed


def restore_rows(connection: Connection, removed: RemovedRows) -> None:
    """Complete nodes and edges that have just been recreated; one that was not is skipped.

    What a question tests instead by now stays.
    """
    nodes, edges, progress, tests = (removed.get(name, ()) for name in ("nodes", "edges", "progress", "tests"))
    for node in nodes:
        connection.execute(_REASON, {"node": node["id"], "its_reason": node["reason"]})
    for edge in edges:
        moment = datetime.fromisoformat(edge["created_at"])
        ends = {"source": edge["source_node_id"], "target": edge["target_node_id"]}
        values = {"old_id": edge["id"], "its_reason": edge["reason"], "old_time": moment}
        connection.execute(_EDGE, {**ends, **values})
    for row in progress:
        connection.execute(insert(_progress), _unnumbered(_progress, row))
    if tests:
        places = ({"question": one["question_id"], "place": one["position"], "node": one["node_id"]} for one in tests)
        connection.execute(_TEST, list(places))
    for table in _LEARNING:
        learned = _with_known_answers(connection, removed.get(table.name, ()))
        if learned:
            connection.execute(insert(table), [_unnumbered(table, row) for row in learned])
    for table, rows in ((_nodes, nodes), (_edges, edges), (_progress, progress)):
        _restore_order(connection, table, rows)


def _restore_order(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Restore the numbers of the rows, from the first on, up to one that was reused meanwhile.

    SQLite reuses the highest numbers; the row that has one is newer, and the rows after it stay last.
    """
    old = {row["creation"]: row["id"] for row in sorted(rows, key=lambda row: int(row["creation"]))}
    if not old:
        return
    given = select(table.c.creation).where(table.c.creation.in_(list(old)), table.c.id.not_in(list(old.values())))
    first_given = min(connection.execute(given).scalars(), default=None)
    places = {place: id_ for place, id_ in old.items() if first_given is None or place < first_given}
    out_of_the_way = update(table).where(table.c.id.in_(list(places.values()))).values(creation=-table.c.creation)
    connection.execute(out_of_the_way)
    for place, id_ in places.items():
        connection.execute(update(table).where(table.c.id == id_).values(creation=place))


def _learning_queries(node_ids: Collection[str]) -> Sequence[Select[Any]]:
    """The rows of `_LEARNING` that go with the nodes."""
    assessments = select(_assessments.c.id).where(_assessments.c.target_node_id.in_(node_ids))
    questions = select(_questions.c.id).where(_questions.c.assessment_id.in_(assessments))
    return (
        select(_assessments).where(_assessments.c.target_node_id.in_(node_ids)).order_by(_assessments.c.creation),
        select(_questions).where(_questions.c.assessment_id.in_(assessments)).order_by(_questions.c.creation),
        select(_tests).where(_tests.c.question_id.in_(questions)).order_by(_tests.c.question_id, _tests.c.position),
        select(_answers).where(_answers.c.assessment_id.in_(assessments)).order_by(_answers.c.creation),
        select(_cards).where(_cards.c.node_id.in_(node_ids)).order_by(_cards.c.creation),
        select(_reviews).where(_reviews.c.node_id.in_(node_ids)).order_by(_reviews.c.creation),
        select(_findings).where(_findings.c.node_id.in_(node_ids)).order_by(_findings.c.creation),
    )


def _with_known_answers(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """The rows, with the answers that are gone left out of them."""
    named = {row["answer_id"] for row in rows if row.get("answer_id") is not None}
    known = set(connection.execute(select(_answers.c.id).where(_answers.c.id.in_(named))).scalars()) if named else set()
    return [{**row, "answer_id": None} if row.get("answer_id") in named - known else row for row in rows]


def _plain_rows(connection: Connection, wanted: Select[Any]) -> list[JsonValue]:
    """The rows as JSON values."""
    return [_plain(row) for row in connection.execute(wanted).mappings()]


def _plain(row: RowMapping) -> dict[str, JsonValue]:
    return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in row.items()}


def _unnumbered(table: Table, row: Mapping[str, Any]) -> dict[str, Any]:
    """A stored row as an INSERT takes it; the database assigns its number."""
    return {
        column.name: datetime.fromisoformat(row[column.name])
        if isinstance(column.type, UtcTime) and row[column.name] is not None
        else row[column.name]
        for column in table.columns
        if column.name != "creation"
    }
