"""A branch's nodes, edges and progress, however many, in two statements."""

from collections.abc import Sequence
from operator import itemgetter
from typing import Any, TypeVar

from pydantic import TypeAdapter
from sqlalchemy import ColumnElement, Connection, Table, and_, bindparam, select, type_coerce

from sprout.events import Wire
from sprout.learning.paths.library import EdgeRow, NodeDetail, ProgressRow
from sprout.store import tables
from sprout.store.columns import UtcTime, WireTime, table_of

T = TypeVar("T", bound=Wire)

_NODE_ROWS, _EDGE_ROWS, _PROGRESS_ROWS = (
    TypeAdapter(list[NodeDetail]),
    TypeAdapter(list[EdgeRow]),
    TypeAdapter(list[ProgressRow]),
)
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
    found = connection.execute(_WITH_PROGRESS, {"branch": branch_id, "user": user_id}).all()
    width = len(NodeDetail.model_fields)
    progress = sorted((row[width:] for row in found if row[width] is not None), key=itemgetter(0))
    return (
        _made(_NODE_ROWS, NodeDetail, [row[:width] for row in found]),
        _made(_EDGE_ROWS, EdgeRow, connection.execute(_EDGES, {"branch": branch_id}).all()),
        _made(_PROGRESS_ROWS, ProgressRow, [row[1:] for row in progress]),
    )


def _made(rows: TypeAdapter[list[T]], kind: type[T], found: Sequence[Sequence[object]]) -> list[T]:
    """The rows whose fields the columns are; all in one step takes a fifth of the time of one after the other."""
    fields = tuple(kind.model_fields)
    return rows.validate_python([dict(zip(fields, columns, strict=True)) for columns in found])
