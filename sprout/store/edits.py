"""Writing an edit of a concept graph: its rows, the record of who did it and why, its events, the end of its call."""

import hashlib
import json
from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any

from pydantic import JsonValue
from sqlalchemy import bindparam, delete, insert, update
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from sprout.errors import Conflict, GraphRefused
from sprout.events import EdgeCreated, EdgeRemoved, Event, GraphEvent, NodeCreated, NodeRemoved, NodeUpdated
from sprout.ids import new_id
from sprout.learning.graph import ConceptGraph, Edit, title_key
from sprout.learning.shelf import Actor
from sprout.runs.log import CallEnded
from sprout.store import rows, tables
from sprout.store.columns import table_of
from sprout.store.database import Write
from sprout.store.log import Author, EventLog
from sprout.store.run_tables import GraphOperation

LONGEST_KEY = 500

_nodes, _edges = table_of(tables.Node), table_of(tables.Edge)


def unique_key(folded: str) -> str:
    """A folded text as an index can hold it: itself or, where it is long, its digest."""
    if len(folded) <= LONGEST_KEY:
        return folded
    return f"sha256:{hashlib.sha256(folded.encode()).hexdigest()}"


async def children_of(session: AsyncSession, parent_id: str) -> tuple[Sequence[tables.Node], Sequence[tables.Edge]]:
    """The children of a node and the edges among them, both in order of creation."""
    nodes = select(tables.Node).where(tables.Node.parent_id == parent_id).order_by(col(tables.Node.creation))
    edges = select(tables.Edge).where(tables.Edge.parent_id == parent_id).order_by(col(tables.Edge.creation))
    return (await session.exec(nodes)).all(), (await session.exec(edges)).all()


async def edit_children(
    write: Write,
    log: EventLog,
    parent: tables.Node,
    operation: Callable[[ConceptGraph], Edit],
    *,
    actor: Actor,
    reason: str | None = None,
) -> Edit:
    """Apply the operation to the children of a node whose row is locked, and write all that follows from it.

    Raises whatever the operation raises, GraphRefused (a node with parts of its own would go), Conflict (the call that
    the actor names has ended).
    """
    nodes, edges = await children_of(write.session, parent.id)
    before = ConceptGraph(rows.node_row(parent), tuple(map(rows.node_row, nodes)), tuple(map(rows.edge_ends, edges)))
    edit = operation(before)
    if edit.events:
        now = log.now()
        await _write_rows(write, parent, edit.events, now)
        await write.connection.execute(
            insert(table_of(GraphOperation)), _record(parent, before, edit, actor, reason, now)
        )
    await tell(write, log, actor, edit.events, result=_in_short(edit))
    return edit


async def tell(
    write: Write, log: EventLog, actor: Actor, events: Sequence[Event], *, result: dict[str, JsonValue]
) -> None:
    """Write the events into the log of the actor's run, and end its call with a result that says what was done.

    The loop writes the words that the model was told over it; they differ only for a run that is cut off in between.
    Raises Conflict (the call has ended, so that its effect is there already; or it was not begun).
    """
    if actor.run_id is None or actor.root_run_id is None:
        return
    await log.append(write, Author(actor.run_id, actor.root_run_id, actor.agent or ""), events)
    if actor.call_id is None:
        return
    ended = CallEnded(actor.call_id, json.dumps(result, ensure_ascii=False), is_error=False, attempts=1)
    if not await log.end_call(write, actor.run_id, ended, only_once=True):
        raise Conflict(f"tool call {actor.call_id!r} was not begun, or has ended: nothing was changed")


async def _write_rows(write: Write, parent: tables.Node, events: Sequence[GraphEvent], now: datetime) -> None:
    """One statement for each stretch of events of one kind."""
    for _, stretch in groupby(events, key=type):
        alike = list(stretch)
        if isinstance(alike[0], NodeRemoved):
            await _refuse_parents(write, alike)
        statement = _STATEMENTS[type(alike[0])]
        await write.connection.execute(statement, [_values(event, parent, now) for event in alike])


async def _refuse_parents(write: Write, removals: Sequence[GraphEvent]) -> None:
    ids = [event.node_id for event in removals if isinstance(event, NodeRemoved)]
    having_parts = select(tables.Node.parent_id).where(col(tables.Node.parent_id).in_(ids)).limit(1)
    if (await write.session.exec(having_parts)).first() is not None:
        raise GraphRefused("A node that has parts of its own cannot be removed: remove its parts first.")


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


def _values(event: GraphEvent, parent: tables.Node, now: datetime) -> dict[str, Any]:
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
    parent: tables.Node, before: ConceptGraph, edit: Edit, actor: Actor, reason: str | None, now: datetime
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
        "before": _only_in(before, edit.graph),
        "after": _only_in(edit.graph, before),
        "created_at": now,
    }


def _only_in(one: ConceptGraph, other: ConceptGraph) -> dict[str, JsonValue]:
    """The rows of one graph that the other lacks or has differently."""
    nodes, edges = set(other.nodes), set(other.edges)
    return {
        "nodes": [node.model_dump(mode="json") for node in one.nodes if node not in nodes],
        "edges": [edge.model_dump(mode="json") for edge in one.edges if edge not in edges],
    }


def _in_short(edit: Edit) -> dict[str, JsonValue]:
    if edit.node is None:
        return {"done": True, "changes": len(edit.events)}
    return {"done": True, "saved": edit.created, "nodeId": edit.node.id, "title": edit.node.title}
