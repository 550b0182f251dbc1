"""Quotas: limits on what one learner may store, each with a query that counts it."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import BindParameter, Connection, Select, bindparam, func, select

from sprout.errors import TooLarge, TooManyRequests
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.schema import class_tables, run_tables, tables
from sprout.store.schema.columns import table_of
from sprout.store.schema.run_tables import UNFINISHED

ENGINE_OPTION = "sprout_quotas"  # of the writer's engine
RETRY_AFTER_S = 10.0

_branches, _nodes, _documents = table_of(tables.Branch), table_of(tables.Node), table_of(tables.Document)
_classes, _members = table_of(class_tables.ClassTable), table_of(class_tables.ClassMember)
_sessions, _drawings, _runs = table_of(tables.ChatSession), table_of(tables.Drawing), table_of(run_tables.Run)


@dataclass(frozen=True, slots=True)
class Quotas:
    """The limits; None is without limit. Bytes are those of files and drawings of one learner; classes are those of one
    teacher."""

    paths: int | None = None
    nodes_per_path: int | None = None
    documents_per_topic: int | None = None
    stored_bytes: int | None = None
    runs_at_once: int | None = None
    classes: int | None = None
    members_per_class: int | None = None


@dataclass(frozen=True, slots=True)
class Quota:
    """One counted thing.

    Args:
        count_query: the present number for one branch, node, class or person.
        message: what to do, with the limit as `{most}`.
        is_temporary: whether the number falls again by itself after a while.
        is_exact: whether concurrent additions are waited for, so that they count too.
    """

    count_query: Select[Any]
    message: str
    is_temporary: bool = False
    is_exact: bool = True


_OF: BindParameter[Any] = bindparam("of")
_bytes_of_files = (
    select(func.coalesce(func.sum(_documents.c.file_size_bytes), 0))
    .join(_nodes, _nodes.c.id == _documents.c.node_id)
    .where(_nodes.c.user_id == _OF)
    .scalar_subquery()
)
_bytes_of_drawings = (
    select(func.coalesce(func.sum(func.length(_drawings.c.data)), 0))
    .join(_sessions, _sessions.c.id == _drawings.c.session_id)
    .where(_sessions.c.user_id == _OF)
    .scalar_subquery()
)
QUOTAS = {
    "paths": Quota(
        select(func.count()).select_from(_branches).where(_branches.c.user_id == _OF),
        "You have {most:,} paths, and more are not kept. Delete one that you do not need any more.",
    ),
    "nodes_per_path": Quota(
        select(func.count()).select_from(_nodes).where(_nodes.c.branch_id == _OF),
        "A path may have {most:,} nodes. Remove some, or begin another path.",
        is_exact=False,  # its transactions hold rows of nodes by then, and would deadlock
    ),
    "documents_per_topic": Quota(
        select(func.count()).select_from(_documents).where(_documents.c.node_id == _OF),
        "A topic may have {most:,} documents. Delete one first, or put several into one file.",
    ),
    "stored_bytes": Quota(
        select(_bytes_of_files + _bytes_of_drawings),
        "Your documents and drawings may have {most:,} bytes in all. Delete documents or paths first.",
    ),
    "runs_at_once": Quota(
        select(func.count())
        .select_from(_runs)
        .where(_runs.c.user_id == _OF, _runs.c.state.in_(UNFINISHED), _runs.c.parent_id.is_(None)),
        "{most:,} runs are going or waiting already. Stop some, or try again once some have ended.",
        is_temporary=True,
    ),
    "classes": Quota(
        select(func.count()).select_from(_classes).where(_classes.c.user_id == _OF),
        "You have {most:,} classes. Delete one that you do not need any more.",
    ),
    "members_per_class": Quota(
        select(func.count()).select_from(_members).where(_members.c.class_id == _OF),
        "This class is full: it has {most:,} learners. Tell your teacher.",
    ),
}


def quotas_of(connection: Connection) -> Quotas:
    """The quotas that the database was opened with."""
    quotas: Quotas = connection.get_execution_options().get(ENGINE_OPTION, _UNLIMITED)
    return quotas


_UNLIMITED = Quotas()


def enforce_quota(tx: WriteTransaction, name: str, owner_id: str | None, *, adding: int = 1) -> None:
    """Raises TooLarge, or TooManyRequests if the number falls again by itself: this much more exceeds the limit.

    Args:
        name: one of `QUOTAS`.
        owner_id: of the branch, node, class or person; None is not limited.
    """
    most: int | None = getattr(quotas_of(tx.connection), name)
    if most is None or owner_id is None or not adding:
        return
    quota = QUOTAS[name]
    if quota.is_exact:
        tx.lock(f"quota:{name}:{owner_id}")
    if tx.connection.execute(quota.count_query, {"of": owner_id}).scalar_one() + adding > most:
        code = f"quota_{name}"
        if quota.is_temporary:
            raise TooManyRequests(quota.message, retry_after_s=RETRY_AFTER_S, code=code, most=most)
        raise TooLarge(quota.message, code=code, most=most)
