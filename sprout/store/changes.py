"""Changes of paths as they are kept: listed, and taken back in one transaction."""

from typing import Any, cast

from sqlalchemy import Connection, RowMapping, Select, bindparam, select, update
from sqlmodel import col
from sqlmodel import select as select_rows

from sprout.errors import NotFound
from sprout.events import EdgeEnds, NodeRow
from sprout.learning.graph.changes import Change, Rows, UndoRefused, undone
from sprout.learning.paths.library import Undone
from sprout.learning.paths.shelf import Actor
from sprout.store import rows, tables
from sprout.store.begun import begun
from sprout.store.children import locked_node
from sprout.store.columns import table_of
from sprout.store.edits import edit_children
from sprout.store.log import EventLog
from sprout.store.lost import Lost
from sprout.store.readable import damaged_if_senseless, those_readable
from sprout.store.run_tables import GraphOperation
from sprout.store.write import Write

_kept = table_of(GraphOperation)
_undoing, _this = _kept.alias("undoing"), _kept.alias("this")
PLACE = _kept.c.creation
_CHANGE = select(*_kept.c, _undoing.c.id.label("undone_by")).select_from(
    _kept.outerjoin(_undoing, _undoing.c.undoes == _kept.c.id)
)
_OF_USER = _CHANGE.where(_kept.c.id == bindparam("change"), _kept.c.user_id == bindparam("user"))
_LATER = _CHANGE.where(
    _kept.c.parent_id == bindparam("parent"),
    select(_this.c.creation).where(_this.c.id == bindparam("change")).scalar_subquery() < PLACE,
).order_by(PLACE)
_OF_RUN = _CHANGE.where(
    _kept.c.parent_id == bindparam("parent"),
    _kept.c.run_id == bindparam("run"),
    _kept.c.undoes.is_(None),
    _kept.c.undone_at.is_(None),
).order_by(PLACE.desc())
_LOST = select(_kept.c.lost).where(_kept.c.id == bindparam("change"))
_MARK_UNDONE = update(_kept).where(_kept.c.id == bindparam("change")).values(undone_at=bindparam("moment"))


def of_branch(branch_id: str, user_id: str, *, before: str | None, limit: int) -> Select[Any]:
    """The rows of the branch's changes for `change_from`, newest first; none where `before` is not the user's."""
    wanted = _CHANGE.where(_kept.c.branch_id == branch_id, _kept.c.user_id == user_id)
    if before is not None:
        named = _kept.alias("named")
        older = select(named.c.creation).where(named.c.id == before, named.c.user_id == user_id).scalar_subquery()
        wanted = wanted.where(older > PLACE)
    return wanted.order_by(PLACE.desc()).limit(limit)


def of_parent(parent_id: str, user_id: str) -> Select[Any]:
    """The rows of all changes of the children of the user's node for `change_from`, oldest first."""
    return _CHANGE.where(_kept.c.parent_id == parent_id, _kept.c.user_id == user_id).order_by(PLACE)


def change_from(row: RowMapping) -> Change:
    """A change from its row. Raises ValueError, TypeError, KeyError: the row makes no sense."""
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


def undo(write: Write, log: EventLog, change_id: str, user_id: str) -> Undone:
    """Take the user's change back, by a change of his; one that is taken back already is answered with how.

    A learner's own edits have no run, so they are in no log; who asked has the rows in the answer.

    Raises NotFound, UndoRefused, GraphRefused (a node with parts would go), Conflict (a run is going there).
    """
    connection = write.connection
    parent = _locked_parent(connection, _change(connection, change_id, user_id), user_id)
    change = _change(connection, change_id, user_id)  # as it is under the lock
    if change.undone_at is None:
        _take_back(write, log, change, parent, Actor(user_id))
    return Undone(_last_word(connection, change_id, user_id), *_children(write, parent.id))


def take_back(write: Write, log: EventLog, parent_id: str, actor: Actor) -> int:
    """Take back what the actor's run has changed under a node, newest first; how many changes that were.

    Raises NotFound, UndoRefused, GraphRefused, Conflict, and what an edit raises for an actor whose time is over.
    """
    parent = locked_node(write.connection, parent_id, actor.user_id)
    values = {"parent": parent_id, "run": actor.run_id}
    made = [change_from(row) for row in write.connection.execute(_OF_RUN, values).mappings().all()]
    for change in made:
        _take_back(write, log, change, parent, actor)
    return len(made)


def _take_back(write: Write, log: EventLog, change: Change, parent: NodeRow, actor: Actor) -> None:
    connection = write.connection
    values = {"parent": change.parent_id, "change": change.id}
    # One that cannot be read blocks nothing: whether the rows are as the change left them is looked at besides.
    later = those_readable(connection.execute(_LATER, values).mappings(), PLACE, change_from)
    theirs = begun(connection, change.added)
    edit_children(
        write,
        log,
        parent,
        lambda graph: undone(graph, change, later=later, begun=theirs),
        actor=actor,
        undoes=change.id,
        returning=cast(Lost, connection.execute(_LOST, {"change": change.id}).scalar_one()),
    )
    connection.execute(_MARK_UNDONE, {"change": change.id, "moment": log.now()})


def _change(connection: Connection, change_id: str, user_id: str) -> Change:
    """Raises NotFound, RowDamaged."""
    with damaged_if_senseless("change", change_id):
        row = connection.execute(_OF_USER, {"change": change_id, "user": user_id}).mappings().one_or_none()
        if row is None:
            raise NotFound("change", change_id)
        return change_from(row)


def _locked_parent(connection: Connection, change: Change, user_id: str) -> NodeRow:
    """Raises UndoRefused."""
    try:
        return locked_node(connection, change.parent_id, user_id)
    except NotFound as gone:
        raise UndoRefused("What this change was made under has been removed: undo that first.") from gone


def _last_word(connection: Connection, change_id: str, user_id: str) -> Change:
    """The change by which this one is undone now. Raises UndoRefused: it was brought back since."""
    last, steps = _change(connection, change_id, user_id), 0
    while last.undone_by is not None:
        last, steps = _change(connection, last.undone_by, user_id), steps + 1
    if steps % 2 == 0:
        raise UndoRefused("This change was undone and then brought back: undo what brought it back.", first=last.id)
    return last


def _children(write: Write, parent_id: str) -> tuple[list[Any], list[Any]]:
    """The children of a node and the edges among them, as the page has them."""
    session = write.session
    node, edge = tables.Node, tables.Edge
    nodes = session.exec(select_rows(node).where(node.parent_id == parent_id).order_by(col(node.creation)))
    edges = session.exec(select_rows(edge).where(edge.parent_id == parent_id).order_by(col(edge.creation)))
    return [rows.node_detail(one) for one in nodes], [rows.edge_row(one) for one in edges]


def _rows(kept: dict[str, Any]) -> Rows:
    return Rows(
        tuple(NodeRow.model_validate(node) for node in kept["nodes"]),
        tuple(EdgeEnds.model_validate(edge) for edge in kept["edges"]),
    )
