"""Nodes: loaded or locked, with their children, and the key that makes titles unique among siblings."""

import hashlib
from typing import Any

from sqlalchemy import Connection, Select, bindparam, select

from sprout.errors import NotFound
from sprout.events import EdgeEnds, NodeRow
from sprout.store.engine.database import Database
from sprout.store.schema import mapping, tables
from sprout.store.schema.columns import table_of

MAX_KEY_LENGTH = 500

_nodes, _edges = table_of(tables.Node), table_of(tables.Edge)
_OWNED = select(*_nodes.c).where(_nodes.c.id == bindparam("node"), _nodes.c.user_id == bindparam("user"))
_OWNED_AND_LOCKED = _OWNED.with_for_update(key_share=True)  # an admission holds the root's lock, and must not wait
_CHILDREN = select(*_nodes.c).where(_nodes.c.parent_id == bindparam("parent")).order_by(_nodes.c.creation)
_EDGES_AMONG = (
    select(_edges.c.source_node_id, _edges.c.target_node_id)
    .where(_edges.c.parent_id == bindparam("parent"))
    .order_by(_edges.c.creation)
)


def unique_key(folded: str) -> str:
    """A folded text as an index can hold it: itself or, if it is long, its digest."""
    if len(folded) <= MAX_KEY_LENGTH:
        return folded
    return f"sha256:{hashlib.sha256(folded.encode()).hexdigest()}"


def owned_node_row(connection: Connection, node_id: str, user_id: str) -> NodeRow:
    """The user's node. Raises NotFound."""
    return _node_row(connection, _OWNED, node_id, user_id)


async def fetch_owned_node(database: Database, node_id: str, user_id: str) -> NodeRow:
    """`owned_node_row` without a transaction around it. Raises NotFound."""
    found = await database.fetch(_OWNED, {"node": node_id, "user": user_id})
    if not found:
        raise NotFound("node", node_id)
    return mapping.node_row(found[0])


def lock_node(connection: Connection, node_id: str, user_id: str) -> NodeRow:
    """The user's node, locked until the transaction ends. Raises NotFound."""
    return _node_row(connection, _OWNED_AND_LOCKED, node_id, user_id)


def children_of(connection: Connection, parent_id: str) -> list[NodeRow]:
    """The children of a node in order of creation."""
    return [mapping.node_row(node) for node in connection.execute(_CHILDREN, {"parent": parent_id})]


def edges_among(connection: Connection, parent_id: str) -> list[EdgeEnds]:
    """The edges among the children of a node in order of creation."""
    return [mapping.edge_ends(edge) for edge in connection.execute(_EDGES_AMONG, {"parent": parent_id})]


def _node_row(connection: Connection, wanted: Select[Any], node_id: str, user_id: str) -> NodeRow:
    found = connection.execute(wanted, {"node": node_id, "user": user_id}).one_or_none()
    if found is None:
        raise NotFound("node", node_id)
    return mapping.node_row(found)
