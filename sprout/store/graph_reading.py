"""A branch's nodes, edges and progress, however many, in two statements."""

from collections.abc import Sequence
from operator import itemgetter
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Connection, Table, and_, bindparam, select, type_coerce

from sprout.events import Wire
from sprout.learning.paths.library import EdgeRow, NodeDetail, ProgressRow
from sprout.store import tables
from sprout.store.columns import UtcTime, WireTime, table_of

T = TypeVar("T", bound=Wire)

_nodes, _edges, _progress = table_of(tables.Node), table_of(tables.Edge), table_of(tables.Progress)


def _columns(table: Table, kind: type[Wire]) -> list[ColumnElement[Any]]:
    """The columns that the fields of a row are read from, moments as they stand on the wire."""
    found = [table.c[name] for name in kind.model_fields]
    return [type_coerce(one, WireTime) if isinstance(one.type, UtcTime) else one for one in found]


_WITH_PROGRESS = (
    select(
        *_columns(_nodes, NodeDetail),
        _progress.c.creation,
        *_columns(_progress, ProgressRow),
    )
    .outerjoin_from(
        _nodes, _progress, and_(_progress.c.node_id == _nodes.c.id, _progress.c.user_id == bindparam("user"))
    )
    .where(_nodes.c.branch_id == bindparam("branch"))
    .order_by(_nodes.c.creation)
)
_EDGES = (
    select(*_columns(_edges, EdgeRow))
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
    return kind.model_validate(dict(zip(kind.model_fields, columns, strict=True)))
