"""Bare diagnostics: those that were made and have nothing to ask."""

from sqlalchemy import Connection, bindparam, exists, select

from sprout.store.schema import tables
from sprout.store.schema.columns import table_of

_assessments, _questions, _nodes = (
    table_of(tables.Assessment),
    table_of(tables.Question),
    table_of(tables.Node),
)
_BARE = (
    select(_nodes.c.id)
    .join(_assessments, _assessments.c.target_node_id == _nodes.c.id)
    .where(
        _nodes.c.branch_id == bindparam("branch"),
        _nodes.c.type == "concept",
        _assessments.c.user_id == _nodes.c.user_id,
        _assessments.c.type == "diagnostic",
        _assessments.c.completed_at.is_not(None),  # one that is still being made has no questions either
        ~exists().where(_questions.c.assessment_id == _assessments.c.id, _questions.c.state.not_in(tables.NOT_ASKED)),
    )
    .order_by(_nodes.c.creation)
)


def bare_concepts(connection: Connection, branch_id: str) -> list[str]:
    """Ids of the branch's concepts whose diagnostic has nothing to ask, in the order of creation."""
    return [*connection.scalars(_BARE, {"branch": branch_id})]
