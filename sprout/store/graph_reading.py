"""A branch's nodes, edges and progress, however many, in two statements."""

from collections.abc import Sequence
from datetime import datetime
from operator import itemgetter
from typing import TypeVar

from sqlalchemy import Connection, and_, bindparam, select

from sprout.events import Wire, wire_time
from sprout.learning.library import EdgeRow, NodeDetail, ProgressRow
from sprout.store import tables
from sprout.store.columns import table_of

T = TypeVar("T", bound=Wire)

_nodes, _edges, _progress = table_of(tables.Node), table_of(tables.Edge), table_of(tables.Progress)

_WITH_PROGRESS = (
    select(
        *(_nodes.c[name] for name in NodeDetail.model_fields),
        _progress.c.creation,
        *(_progress.c[name] for name in ProgressRow.model_fields),
    )
    .outerjoin_from(
        _nodes, _progress, and_(_progress.c.node_id == _nodes.c.id, _progress.c.user_id == bindparam("user"))
    )
    .where(_nodes.c.branch_id == bindparam("branch"))
    .order_by(_nodes.c.creation)
)
_EDGES = (
    select(*(_edges.c[name] for name in EdgeRow.model_fields))
    .join(_nodes, _nodes.c.id == _edges.c.source_node_id)
    .where(_nodes.c.branch_id == bindparam("branch"))
    .order_by(_edges.c.creation)
)


def graph_of(
    connection: Connection, branch_id: str, user_id: str
) -> tuple[list[NodeDetail], list[EdgeRow], list[ProgressRow]]:
    """The nodes and edges of a branch, and the user's progress on them, each in the order of creation."""
    nodes: list[NodeDetail] = []
    progress: list[tuple[int, ProgressRow]] = []
    width = len(NodeDetail.model_fields)
    for found in connection.execute(_WITH_PROGRESS, {"branch": branch_id, "user": user_id}):
        nodes.append(_made(NodeDetail, found[:width]))
        if found[width] is not None:
            progress.append((found[width], _made(ProgressRow, found[width + 1 :])))
    edges = [_made(EdgeRow, found) for found in connection.execute(_EDGES, {"branch": branch_id})]
    return nodes, edges, [row for _, row in sorted(progress, key=itemgetter(0))]


def _made(kind: type[T], columns: Sequence[object]) -> T:
    """The row whose fields the columns are."""
    values = [wire_time(one) if isinstance(one, datetime) else one for one in columns]
    return kind.model_validate(dict(zip(kind.model_fields, values, strict=True)))
