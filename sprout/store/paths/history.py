"""Change history of paths: changes are listed, and undone in one transaction."""

from typing import Any, cast

from sqlalchemy import Connection, RowMapping, Select, bindparam, select, update
from sqlmodel import col
from sqlmodel import select as select_rows

from sprout.errors import NotFound
from sprout.events import EdgeEnds, NodeRow
from sprout.learning.actor import Actor
from sprout.learning.graph.changes import Change, GraphRows, UndoRefused, undo_edit
from sprout.learning.paths.repository import UndoResult
from sprout.store.engine.tolerant_reads import decode_readable, raise_row_damaged
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.graph.nodes import lock_node
from sprout.store.paths.edits import edit_children
from sprout.store.paths.removal_guards import nodes_with_activity
from sprout.store.paths.removed_rows import RemovedRows
from sprout.store.runs.event_log import EventLog
from sprout.store.schema import mapping, tables
from sprout.store.schema.columns import table_of
from sprout.store.schema.run_tables import GraphOperation

_changes = table_of(GraphOperation)
_undoing, _this = _changes.alias("undoing"), _changes.alias("this")
ORDER = _changes.c.creation
_CHANGE = select(*_changes.c, _undoing.c.id.label("undone_by")).select_from(
    _changes.outerjoin(_undoing, _undoing.c.undoes == _changes.c.id)
)
_OF_USER = _CHANGE.where(_changes.c.id == bindparam("change"), _changes.c.user_id == bindparam("user"))
_LATER = _CHANGE.where(
    _changes.c.parent_id == bindparam("parent"),
    select(_this.c.creation).where(_this.c.id == bindparam("change")).scalar_subquery() < ORDER,
).order_by(ORDER)
_OF_RUN = _CHANGE.where(
    _changes.c.parent_id == bindparam("parent"),
    _changes.c.run_id == bindparam("run"),
    _changes.c.undoes.is_(None),
    _changes.c.undone_at.is_(None),
).order_by(ORDER.desc())
_REMOVED_ROWS = select(_changes.c.removed_rows).where(_changes.c.id == bindparam("change"))
_MARK_UNDONE = update(_changes).where(_changes.c.id == bindparam("change")).values(undone_at=bindparam("moment"))


def branch_changes(branch_id: str, user_id: str, *, before: str | None, limit: int) -> Select[Any]:
    """The rows of the branch's changes for `change_from`, newest first; none if `before` is not the user's."""
    wanted = _CHANGE.where(_changes.c.branch_id == branch_id, _changes.c.user_id == user_id)
    if before is not None:
        named = _changes.alias("named")
        older = select(named.c.creation).where(named.c.id == before, named.c.user_id == user_id).scalar_subquery()
        wanted = wanted.where(older > ORDER)
    return wanted.order_by(ORDER.desc()).limit(limit)


def parent_changes(parent_id: str, user_id: str) -> Select[Any]:
    """The rows of all changes of the children of the user's node for `change_from`, oldest first."""
    return _CHANGE.where(_changes.c.parent_id == parent_id, _changes.c.user_id == user_id).order_by(ORDER)


def change_from(row: RowMapping) -> Change:
    """A change from its row. Raises ValueError, TypeError, KeyError: the row is damaged."""
    return Change(
        id=row["id"],
        branch_id=row["branch_id"],
        parent_id=row["parent_id"],
        before=_rows(row["before"]),
        after=_rows(row["after"]),
        at=row["created_at"],
        agent=row["agent"],
        run_id=row["run_id"],
        reason=row["reason"],
        evidence=tuple(row["evidence"]),
        undone_at=row["undone_at"],
        undone_by=row["undone_by"],
        undoes=row["undoes"],
    )


def undo(tx: WriteTransaction, log: EventLog, change_id: str, user_id: str) -> UndoResult:
    """Undo the user's change by another change; for one that is undone already, the result of that.

    A learner's own edits have no run and so are in no log; the result has the rows.

    Raises NotFound, UndoRefused, InvalidGraphEdit (a node with parts would be removed), Conflict (a run is active).
    """
    connection = tx.connection
    parent = _lock_parent(connection, _change(connection, change_id, user_id), user_id)
    change = _change(connection, change_id, user_id)  # as it is under the lock
    if change.undone_at is None:
        _undo(tx, log, change, parent, Actor(user_id))
    return UndoResult(_latest_undo(connection, change_id, user_id), *_children(tx, parent.id))


def undo_run(tx: WriteTransaction, log: EventLog, parent_id: str, actor: Actor) -> int:
    """Undo what the actor's run has changed under a node, newest first; the number of changes.

    Raises NotFound, UndoRefused, InvalidGraphEdit, Conflict, RunAlreadyEnded, Fenced.
    """
    parent = lock_node(tx.connection, parent_id, actor.user_id)
    values = {"parent": parent_id, "run": actor.run_id}
    made = [change_from(row) for row in tx.connection.execute(_OF_RUN, values).mappings().all()]
    for change in made:
        _undo(tx, log, change, parent, actor)
    return len(made)


def _undo(tx: WriteTransaction, log: EventLog, change: Change, parent: NodeRow, actor: Actor) -> None:
    connection = tx.connection
    values = {"parent": change.parent_id, "change": change.id}
    # An unreadable change blocks nothing: whether the rows are as the change left them is checked besides.
    later = decode_readable(connection.execute(_LATER, values).mappings(), ORDER, change_from)
    started = nodes_with_activity(connection, change.added)
    edit_children(
        tx,
        log,
        parent,
        lambda graph: undo_edit(graph, change, later=later, started=started),
        actor=actor,
        undoes=change.id,
        returning=cast(RemovedRows, connection.execute(_REMOVED_ROWS, {"change": change.id}).scalar_one()),
    )
    connection.execute(_MARK_UNDONE, {"change": change.id, "moment": log.now()})


def _change(connection: Connection, change_id: str, user_id: str) -> Change:
    """Raises NotFound, CorruptRow."""
    with raise_row_damaged("change", change_id):
        row = connection.execute(_OF_USER, {"change": change_id, "user": user_id}).mappings().one_or_none()
        if row is None:
            raise NotFound("change", change_id)
        return change_from(row)


def _lock_parent(connection: Connection, change: Change, user_id: str) -> NodeRow:
    """Raises UndoRefused."""
    try:
        return lock_node(connection, change.parent_id, user_id)
    except NotFound as error:
        raise UndoRefused(
            "The node that this change was made under has been removed: undo that first.", code="undo_removal_first"
        ) from error


def _latest_undo(connection: Connection, change_id: str, user_id: str) -> Change:
    """The change by which this one is undone now. Raises UndoRefused: it was redone since."""
    last, steps = _change(connection, change_id, user_id), 0
    while last.undone_by is not None:
        last, steps = _change(connection, last.undone_by, user_id), steps + 1
    if steps % 2 == 0:
        raise UndoRefused(
            "This change was undone and then brought back: undo what brought it back.",
            code="undo_return_first",
            undo_first=last.id,
        )
    return last


def _children(tx: WriteTransaction, parent_id: str) -> tuple[list[Any], list[Any]]:
    """The children of a node and the edges among them, as the contract has them."""
    session = tx.session
    node, edge = tables.Node, tables.Edge
    nodes = session.exec(select_rows(node).where(node.parent_id == parent_id).order_by(col(node.creation)))
    edges = session.exec(select_rows(edge).where(edge.parent_id == parent_id).order_by(col(edge.creation)))
    return [mapping.node_detail(one) for one in nodes], [mapping.edge_row(one) for one in edges]


def _rows(stored: dict[str, Any]) -> GraphRows:
    return GraphRows(
        tuple(NodeRow.model_validate(node) for node in stored["nodes"]),
        tuple(EdgeEnds.model_validate(edge) for edge in stored["edges"]),
    )
