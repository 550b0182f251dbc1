"""Edits of a concept graph: rows, change record, events and the end of the tool call, in one transaction."""

from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any

from pydantic import JsonValue
from sqlalchemy import Connection, bindparam, delete, insert, select, update
from sqlmodel import col

from sprout.errors import InvalidGraphEdit
from sprout.events import (
    EdgeCreated,
    EdgeRemoved,
    GraphEvent,
    MasteryChanged,
    NodeCreated,
    NodeRemoved,
    NodeRow,
    NodeUpdated,
)
from sprout.ids import new_id
from sprout.learning.actor import Actor
from sprout.learning.graph.changes import GraphRows, rows_only_in
from sprout.learning.graph.graph import ConceptGraph, Edit, title_key
from sprout.store.assessment.mastery import update_after_edit
from sprout.store.engine.quotas import enforce_quota
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.graph.nodes import children_of, edges_among, unique_key
from sprout.store.paths.removal_guards import nodes_with_activity, refuse_while_running, started_nodes
from sprout.store.paths.removed_rows import RemovedRows, removed_rows, restore_rows
from sprout.store.runs.event_log import EventLog
from sprout.store.runs.tool_effects import record_effect
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of
from sprout.store.schema.run_tables import GraphOperation, Run

_nodes, _edges = table_of(tables.Node), table_of(tables.Edge)
_HAVING_PARTS = select(_nodes.c.parent_id).where(_nodes.c.parent_id.in_(bindparam("nodes", expanding=True))).limit(1)
_INSERT_RECORD = insert(table_of(GraphOperation))


def edit_children(
    tx: WriteTransaction,
    log: EventLog,
    parent: NodeRow,
    operation: Callable[[ConceptGraph], Edit],
    *,
    actor: Actor,
    reason: str | None = None,
    evidence: Sequence[str] = (),
    undoes: str | None = None,
    returning: RemovedRows | None = None,
) -> Edit:
    """Apply the operation to the children of a node whose row is locked, and write all that follows from it.

    Args:
        evidence: ids that the change is based on, stored with its record.
        undoes: the change that this one undoes.
        returning: the removed rows that it restores.

    Progress on the parent and its children is computed anew in the same transaction.

    Raises whatever the operation raises, InvalidGraphEdit (a node with parts would be removed or, by an agent, one that
    the learner has begun), Conflict (a run of a node to be removed has not ended; the actor's call has), TooLarge (the
    path has as many nodes as it may have).
    """
    connection = tx.connection
    before = ConceptGraph(parent, tuple(children_of(connection, parent.id)), tuple(edges_among(connection, parent.id)))
    edit = operation(before)
    changes: Sequence[MasteryChanged] = ()
    if edit.events:
        now = log.now()
        made = sum(isinstance(event, NodeCreated) for event in edit.events)
        if undoes is None:
            enforce_quota(tx, "nodes_per_path", parent.branch_id, adding=made)
        _refuse_removal(tx, before, edit.events, actor, with_evidence=bool(evidence))
        removed = removed_rows(connection, edit.events)
        _write_rows(connection, parent, edit.events, now)
        more = {"evidence": list(evidence), "removed_rows": removed, "undoes": undoes}
        connection.execute(_INSERT_RECORD, _record(parent, before, edit, actor, reason, now) | more)
        if returning is not None:
            restore_rows(connection, returning)
        if any(not isinstance(event, NodeUpdated) for event in edit.events):
            changes = update_after_edit(tx, parent, actor.user_id, now)
    record_effect(tx, log, actor, [*edit.events, *changes], result=_summary(edit))
    return edit


def _write_rows(connection: Connection, parent: NodeRow, events: Sequence[GraphEvent], now: datetime) -> None:
    """One statement for each sequence of events of one kind."""
    for _, stretch in groupby(events, key=type):
        alike = list(stretch)
        statement = _STATEMENTS[type(alike[0])]
        connection.execute(statement, [_values(event, parent, now) for event in alike])


def _refuse_removal(
    tx: WriteTransaction, before: ConceptGraph, events: Sequence[GraphEvent], actor: Actor, *, with_evidence: bool
) -> None:
    """Nodes with parts or active runs are never removed, and what the learner has begun only by the learner.

    With evidence, answers of a diagnostic do not count: they may be what shows that a node is not needed.
    """
    ids = [event.node_id for event in events if isinstance(event, NodeRemoved)]
    if not ids:
        return
    connection = tx.connection
    if actor.run_id is not None and (
        begun := started_nodes(connection, ids, lock=True) if with_evidence else nodes_with_activity(connection, ids)
    ):
        titles = ", ".join(f"'{node.title}'" for node in before.nodes if node.id in begun)
        raise InvalidGraphEdit(
            f"The learner has begun {titles} already: leave that in place, and add beside it instead."
        )
    if tx.connection.execute(_HAVING_PARTS, {"nodes": ids}).first() is not None:
        raise InvalidGraphEdit("A node that has parts of its own cannot be removed: remove its parts first.")
    refuse_while_running(tx, col(Run.node_id).in_(ids))


_STATEMENTS = {
    NodeCreated: insert(_nodes),
    NodeUpdated: (
        update(_nodes)
        .where(_nodes.c.id == bindparam("node"))
        .values({name: bindparam(f"new_{name}") for name in ("title", "title_key", "desc", "updated_at")})
    ),
    NodeRemoved: delete(_nodes).where(_nodes.c.id == bindparam("node")),
    EdgeCreated: insert(_edges),
    EdgeRemoved: delete(_edges).where(
        _edges.c.source_node_id == bindparam("source"), _edges.c.target_node_id == bindparam("target")
    ),
}


def _values(event: GraphEvent, parent: NodeRow, now: datetime) -> dict[str, Any]:
    match event:
        case NodeCreated(node=node, reason=reason):
            times = {name: datetime.fromisoformat(getattr(node, name)) for name in ("created_at", "updated_at")}
            return {
                **node.model_dump(by_alias=False),
                **times,
                "title_key": unique_key(title_key(node.title)),
                "reason": reason,
            }
        case NodeUpdated(node=node):
            return {
                "node": node.id,
                "new_title": node.title,
                "new_title_key": unique_key(title_key(node.title)),
                "new_desc": node.desc,
                "new_updated_at": datetime.fromisoformat(node.updated_at),
            }
        case NodeRemoved(node_id=node_id):
            return {"node": node_id}
        case EdgeCreated(edge=edge, reason=reason):
            ends = edge.model_dump(by_alias=False)
            return {"id": new_id(), "parent_id": parent.id, **ends, "reason": reason, "created_at": now}
        case EdgeRemoved(source_node_id=source, target_node_id=target):
            return {"source": source, "target": target}


def _record(
    parent: NodeRow, before: ConceptGraph, edit: Edit, actor: Actor, reason: str | None, now: datetime
) -> dict[str, Any]:
    return {
        "id": new_id(),
        "branch_id": parent.branch_id,
        "parent_id": parent.id,
        "user_id": actor.user_id,
        "agent": actor.agent,
        "run_id": actor.run_id,
        "call_id": actor.call_id,
        "reason": reason or next((event.reason for event in edit.events if event.reason), None),
        "before": _rows(rows_only_in(before, edit.graph)),
        "after": _rows(rows_only_in(edit.graph, before)),
        "created_at": now,
    }


def _rows(rows: GraphRows) -> dict[str, JsonValue]:
    return {
        "nodes": [node.model_dump(mode="json") for node in rows.nodes],
        "edges": [edge.model_dump(mode="json") for edge in rows.edges],
    }


def _summary(edit: Edit) -> dict[str, JsonValue]:
    if edit.node is None:
        return {"done": True, "changes": len(edit.events)}
    return {"done": True, "saved": edit.created, "nodeId": edit.node.id, "title": edit.node.title}
