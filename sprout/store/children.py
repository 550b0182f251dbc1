"""A node, also one that nobody else may change meanwhile, what is under it, and how its title is kept unique there."""

import hashlib
from typing import Any

from sqlalchemy import Connection, Select, bindparam, select

from sprout.errors import NotFound
from sprout.events import EdgeEnds, NodeRow
from sprout.store import rows, tables
from sprout.store.columns import table_of

LONGEST_KEY = 500

_nodes, _edges = table_of(tables.Node), table_of(tables.Edge)
_OWNED = select(*_nodes.c).where(_nodes.c.id == bindparam("node"), _nodes.c.user_id == bindparam("user"))
_OWNED_AND_LOCKED = _OWNED.with_for_update(key_share=True)  # who admits a run for it holds a root, and must not wait
_CHILDREN = select(*_nodes.c).where(_nodes.c.parent_id == bindparam("parent")).order_by(_nodes.c.creation)
_EDGES_AMONG = (
    select(_edges.c.source_node_id, _edges.c.target_node_id)
    .where(_edges.c.parent_id == bindparam("parent"))
    .order_by(_edges.c.creation)
)


def unique_key(folded: str) -> str:
    """A folded text as an index can hold it: itself or, where it is long, its digest."""
    if len(folded) <= LONGEST_KEY:
        return folded
    return f"sha256:{hashlib.sha256(folded.encode()).hexdigest()}"


def their_node(connection: Connection, node_id: str, user_id: str) -> NodeRow:
    """The user's node. Raises NotFound."""
    return _the_one(connection, _OWNED, node_id, user_id)


def locked_node(connection: Connection, node_id: str, user_id: str) -> NodeRow:
    """The user's node, which nobody else changes or deletes until the transaction ends. Raises NotFound."""
    return _the_one(connection, _OWNED_AND_LOCKED, node_id, user_id)


def children_of(connection: Connection, parent_id: str) -> list[NodeRow]:
    """The children of a node in order of creation."""
    return [rows.node_row(node) for node in connection.execute(_CHILDREN, {"parent": parent_id})]


def edges_among(connection: Connection, parent_id: str) -> list[EdgeEnds]:
    """The edges among the children of a node in order of creation."""
    return [rows.edge_ends(edge) for edge in connection.execute(_EDGES_AMONG, {"parent": parent_id})]


def _the_one(connection: Connection, wanted: Select[Any], node_id: str, user_id: str) -> NodeRow:
    found = connection.execute(wanted, {"node": node_id, "user": user_id}).one_or_none()
    if found is None:
        raise NotFound("node", node_id)
    return rows.node_row(found)
