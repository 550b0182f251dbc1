"""Writing an edit of a concept graph: its rows, the record of who did it and why, its events, the end of its call."""

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any

from pydantic import JsonValue
from sqlalchemy import Connection, bindparam, delete, insert, select, update
from sqlmodel import col

from sprout.crashing import crash_point
from sprout.errors import Conflict, GraphRefused
from sprout.events import (
    EdgeCreated,
    EdgeRemoved,
    Event,
    GraphEvent,
    MasteryChanged,
    NodeCreated,
    NodeRemoved,
    NodeRow,
    NodeUpdated,
)
from sprout.ids import new_id
from sprout.learning.graph.changes import Rows, only_in
from sprout.learning.graph.graph import ConceptGraph, Edit, title_key
from sprout.learning.paths.shelf import Actor
from sprout.runs.log import CallEnded
from sprout.store import tables
from sprout.store.begun import begun, refuse_while_going, started
from sprout.store.boundaries import end_call_once
from sprout.store.children import children_of, edges_among, unique_key
from sprout.store.columns import table_of
from sprout.store.log import Author, EventLog
from sprout.store.lost import Lost, lost_with, put_back
from sprout.store.mastering import follow_edit
from sprout.store.quotas import refuse_over
from sprout.store.run_tables import GraphOperation, Run
from sprout.store.write import Write

_nodes, _edges = table_of(tables.Node), table_of(tables.Edge)
_HAVING_PARTS = select(_nodes.c.parent_id).where(_nodes.c.parent_id.in_(bindparam("nodes", expanding=True))).limit(1)
_INSERT_RECORD = insert(table_of(GraphOperation))


def edit_children(
    write: Write,
    log: EventLog,
    parent: NodeRow,
    operation: Callable[[ConceptGraph], Edit],
    *,
    actor: Actor,
    reason: str | None = None,
    evidence: Sequence[str] = (),
    undoes: str | None = None,
    returning: Lost | None = None,
) -> Edit:
    """Apply the operation to the children of a node whose row is locked, and write all that follows from it.

    Args:
        evidence: ids of what the change goes by, kept with its record.
        undoes: the change that this one takes back.
        returning: what had gone with the rows that it removed.

    What the learner knows of the parent and its children is worked out anew in the same transaction (H4).

    Raises whatever the operation raises, GraphRefused (a node with parts of its own would go or, by an agent, one that
    the learner has begun), Conflict (a run of a node that would go has not ended; the call that the actor names has),
    TooLarge (the path has as many nodes as it may have).
    """
    connection = write.connection
    before = ConceptGraph(parent, tuple(children_of(connection, parent.id)), tuple(edges_among(connection, parent.id)))
    edit = operation(before)
    news: Sequence[MasteryChanged] = ()
    if edit.events:
        now = log.now()
        made = sum(isinstance(event, NodeCreated) for event in edit.events)
        if undoes is None:
            refuse_over(write, "nodes_per_path", parent.branch_id, adding=made)
        _refuse_to_lose(write, before, edit.events, actor, with_evidence=bool(evidence))
        lost = lost_with(connection, edit.events)
        _write_rows(connection, parent, edit.events, now)
        more = {"evidence": list(evidence), "lost": lost, "undoes": undoes}
        connection.execute(_INSERT_RECORD, _record(parent, before, edit, actor, reason, now) | more)
        if returning is not None:
            put_back(connection, returning)
        if any(not isinstance(event, NodeUpdated) for event in edit.events):
            news = follow_edit(write, parent, actor.user_id, now)
    tell(write, log, actor, [*edit.events, *news], result=_in_short(edit))
    return edit


def tell(write: Write, log: EventLog, actor: Actor, events: Sequence[Event], *, result: dict[str, JsonValue]) -> None:
    """Write the events into the log of the actor's run, and end its call with a result that says what was done.

    The loop writes the words that the model was told over it; they differ only for a run that is cut off in between.
    Raises Conflict (the call has ended, so that its effect is there already; or it was not begun).
    """
    if actor.run_id is None or actor.root_run_id is None:
        return
    log.append(write, Author(actor.run_id, actor.root_run_id, actor.agent or "", actor.epoch), events)
    if actor.call_id is None:
        return
    crash_point("effect_uncommitted")
    write.after_commit(lambda: crash_point("effect_committed"))
    ended = CallEnded(actor.call_id, json.dumps(result, ensure_ascii=False), is_error=False, attempts=1)
    if not end_call_once(write.connection, actor.run_id, ended, log.now()):
        raise Conflict(f"tool call {actor.call_id!r} was not begun, or has ended: nothing was changed")


def _write_rows(connection: Connection, parent: NodeRow, events: Sequence[GraphEvent], now: datetime) -> None:
    """One statement for each stretch of events of one kind."""
    for _, stretch in groupby(events, key=type):
        alike = list(stretch)
        statement = _STATEMENTS[type(alike[0])]
        connection.execute(statement, [_values(event, parent, now) for event in alike])


def _refuse_to_lose(
    write: Write, before: ConceptGraph, events: Sequence[GraphEvent], actor: Actor, *, with_evidence: bool
) -> None:
    """Parts and runs never go with a node, and what the learner has begun goes by his own hand only.

    With evidence, answers of a diagnostic are no beginning: they may be what shows that a node is not needed.
    """
    ids = [event.node_id for event in events if isinstance(event, NodeRemoved)]
    if not ids:
        return
    connection = write.connection
    if actor.run_id is not None and (
        theirs := started(connection, ids, lock=True) if with_evidence else begun(connection, ids)
    ):
        titles = ", ".join(f"'{node.title}'" for node in before.nodes if node.id in theirs)
        raise GraphRefused(f"The learner has begun {titles} already: leave that in place, and add beside it instead.")
    if write.connection.execute(_HAVING_PARTS, {"nodes": ids}).first() is not None:
        raise GraphRefused("A node that has parts of its own cannot be removed: remove its parts first.")
    refuse_while_going(write, col(Run.node_id).in_(ids))


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
        "before": _rows(only_in(before, edit.graph)),
        "after": _rows(only_in(edit.graph, before)),
        "created_at": now,
    }


def _rows(rows: Rows) -> dict[str, JsonValue]:
    return {
        "nodes": [node.model_dump(mode="json") for node in rows.nodes],
        "edges": [edge.model_dump(mode="json") for edge in rows.edges],
    }


def _in_short(edit: Edit) -> dict[str, JsonValue]:
    if edit.node is None:
        return {"done": True, "changes": len(edit.events)}
    return {"done": True, "saved": edit.created, "nodeId": edit.node.id, "title": edit.node.title}
